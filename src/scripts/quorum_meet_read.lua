-- What one node of a quorum knows of a latch or a barrier: the value that the guard guards (docs/quorum_family.md). With the
-- guard's owner, for whoever is going to write; without, only a look, which is a use of the meeting and tells its waiters.
--
-- KEYS[1] lock     hash   the fields of _meeting.lua, but for the ids, which are one field; and
--                         version  the fence of the guard under which it was written
--                         ids      arrivals that may yet be repeated, see src/lock/meeting_state.hpp
-- KEYS[2] waiters  zset   see _meeting.lua
-- KEYS[3] guard    string the owner of the lock that guards it
-- KEYS[4] seat     string see _seat.lua
-- ARGV[1] run id of this process   ARGV[2] max_ttl in ms   ARGV[3] latch or barrier   ARGV[4] ttl in ms
-- ARGV[5] owner of the guard, or '' to look
--
-- returns '<now in µs> 0'       nothing is there
--         '<now in µs> <version> <more> <kind> <made> <expected> <members> <left> <drops> <phase> <ids>'
--                               more: '1' if waiters are still to be told, by the next look
--         'taken'               the guard is not the owner's here
--         'young <ms left> <seat>'   'refused max_ttl <ms>'   as quorum_acquire.lua

--@include _clock.lua
--@include _seat.lua
--@include _meet_tell.lua

local answer = not_seated(KEYS[4], ARGV[1], ARGV[2], '0')
if answer then return answer end
local looks = ARGV[5] == ''
if not looks and redis.pcall('GET', KEYS[3]) ~= ARGV[5] then return 'taken' end

local version = call('HGET', KEYS[1], 'version')
if not version then
  if call('EXISTS', KEYS[1]) == 1 then return redis.error_reply('WRONGTYPE not a ' .. ARGV[3]) end
  return now() .. ' 0'
end
local more = '0'
if looks then
  more = tell(KEYS[2], call('HGET', KEYS[1], 'phase'))
  -- A barrier that everybody has left goes soon, and late questions do not keep it.
  if call('HGET', KEYS[1], 'kind') == 'latch' or call('HGET', KEYS[1], 'members') ~= '0' then
    call('PEXPIRE', KEYS[1], ARGV[4])
  end
end
local out = now() .. ' ' .. version .. ' ' .. more
for _, name in ipairs({ 'kind', 'made', 'expected', 'members', 'left', 'drops', 'phase', 'ids' }) do
  out = out .. ' ' .. tostring(call('HGET', KEYS[1], name))
end
return out
