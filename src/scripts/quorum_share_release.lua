-- Take a share back, on one node of a quorum, or make the writer a reader; and tell those who may fit then to ask. Also takes the
-- caller off the list of those who wait. Done whether the node may vote or not: giving back does no harm.
--
-- KEYS[1] lock   KEYS[2] waiters (see _share_votes.lua)
-- ARGV[1] owner   ARGV[2] entry to take off the list, or ''   ARGV[3] weight   ARGV[4] capacity
-- ARGV[5] 'down' for a downgrade; anything else takes the share back, whatever it weighs
--
-- returns 0 not mine   1 released, or a reader now

--@include _clock.lua

local owner, entry = ARGV[1], ARGV[2]
local capacity, of_permits = ARGV[4] + 0, false

--@include _share_set.lua
--@include _share_votes.lua

if entry ~= '' then drop(entry) end
-- A key of another type is not mine either; pcall turns WRONGTYPE into a table.
local sum = redis.pcall('ZSCORE', KEYS[1], '#')
if type(sum) == 'table' then return 0 end
sum = purge(sum)

local had, ends = share_of(owner)
if had and ARGV[5] ~= 'down' then
  call('ZREM', KEYS[1], had .. ':' .. owner)
  sum = set_sum(sum - had)
elseif had and had ~= '1' then
  call('ZADD', KEYS[1], ends, '1:' .. owner)
  call('ZREM', KEYS[1], had .. ':' .. owner)
  sum = set_sum(sum - had + 1)
end
-- Also where only an entry left the list: those behind it may fit.
if had or entry ~= '' then invite(sum) end
return had and 1 or 0
