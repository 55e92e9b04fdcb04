-- Take a vote for slots back, on one node of a quorum, and invite those who may fit then. As quorum_release.lua in the rest.
--
-- KEYS  lock, waiters (see _permits.lua)
-- ARGV[1] owner   ARGV[2] entry to take off the list, or ''   ARGV[3] how many   ARGV[4] capacity
--
-- returns 0 not mine   1 released

--@include _clock.lua
--@include _permits.lua

if ARGV[2] ~= '' then call('ZREM', KEYS[2], ARGV[2]) end
-- A key of another type is not mine either.
local vote = redis.pcall('HGET', KEYS[1], ARGV[1])
if type(vote) == 'table' then return 0 end
local mine = read_vote(vote) ~= nil
if vote then call('HDEL', KEYS[1], ARGV[1]) end

-- Also where nothing was given back: the one who was invited may be the one who leaves.
if (mine or ARGV[2] ~= '') and call('EXISTS', KEYS[2]) == 1 then
  invite_fitting(capacity_or(ARGV[4]) - survey('').count)
end
return mine and 1 or 0
