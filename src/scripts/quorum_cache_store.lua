-- Keep what was loaded on one node of a quorum and give back the loader's lock there, in any case; and wake all who wait for the
-- value, or, where it was not kept, the first of them: one step.
--
-- KEYS  lock, waiters, value, fence, seat (see _keep.lua)
-- ARGV[1] run id of this process   ARGV[2] max_ttl in ms   ARGV[3] number   ARGV[4] ttl in ms, or '' when the value is there already
-- ARGV[5] what to keep, without its number   ARGV[6] owner   ARGV[7] µs since the load began
--
-- returns 'stored'   'newer <number>' somebody has put or erased the key since   'lost' the lock is not mine: nothing was done
--         'unsure' this node has forgotten something since the load began: an erasure, perhaps
--         'young …'   'refused …'   as quorum_acquire.lua

--@include _clock.lua
--@include _seat.lua
--@include _note.lua
--@include _keep.lua
--@include _dismiss.lua
--@include _invite.lua

if redis.pcall('GET', KEYS[1]) ~= ARGV[6] then return 'lost' end

-- The seat says when the node may vote: max_ttl after it was found to have forgotten something.
local function forgot_since(age)
  local from = string.match(call('GET', KEYS[5]), '^%x+ (%d+) ')
  return from - ARGV[2] * 1000 > now() - age and 'unsure' or nil
end

local answer = 'stored'
if ARGV[4] ~= '' then
  answer = not_seated(KEYS[5], ARGV[1], ARGV[2], '0') or forgot_since(ARGV[7]) or keep(ARGV[1], ARGV[3], ARGV[4], ARGV[5])
end
if answer == 'stored' then dismiss_queue('1') end
call('DEL', KEYS[1])
invite()
return answer
