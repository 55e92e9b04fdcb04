-- Write a meeting on one node of a quorum, if it is newer than what is there; give the guard back, and tell the waiters of phases that
-- have passed. Counts only where the guard is still the writer's and the node may vote; but newer is newer, so it is stored anywhere.
--
-- KEYS[1] guard   KEYS[2] its waiters (see quorum_acquire.lua)   KEYS[3] lock   KEYS[4] waiters (see quorum_meet_read.lua)   KEYS[5] seat
-- ARGV[1] run id of this process   ARGV[2] max_ttl in ms   ARGV[3] owner of the guard, or '' to bring a node up to date
-- ARGV[4] version   ARGV[5] ttl in ms   ARGV[6] kind   and made, expected, members, left, drops, phase, ids
--
-- returns 'written <more>'   it is there, and the guard was the owner's; more: '1' if waiters are still to be told, by a look
--         'stored'           it is there, or something newer, and that does not count
--         'refused max_ttl <ms>'   as quorum_acquire.lua; nothing is stored

--@include _clock.lua
--@include _seat.lua
--@include _invite.lua
--@include _meet_tell.lua

local unseated = not_seated(KEYS[5], ARGV[1], ARGV[2], '0')
if unseated and string.sub(unseated, 1, 7) == 'refused' then return unseated end

local known = call('HGET', KEYS[3], 'version')
if not known and call('EXISTS', KEYS[3]) == 1 then return redis.error_reply('WRONGTYPE not a ' .. ARGV[6]) end
local newer = known and known + 0 > ARGV[4] + 0
if not newer then
  call('HSET', KEYS[3], 'version', ARGV[4], 'kind', ARGV[6], 'made', ARGV[7], 'expected', ARGV[8], 'members', ARGV[9],
    'left', ARGV[10], 'drops', ARGV[11], 'phase', ARGV[12], 'ids', ARGV[13])
  call('PEXPIRE', KEYS[3], ARGV[5])
end

local ours = ARGV[3] ~= '' and redis.pcall('GET', KEYS[1]) == ARGV[3]
if ours then
  call('DEL', KEYS[1])
  invite()
end
local more = tell(KEYS[4], newer and call('HGET', KEYS[3], 'phase') or ARGV[12])
if ours and not newer and not unseated then return 'written ' .. more end
return 'stored'
