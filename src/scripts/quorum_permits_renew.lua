-- Keep a vote for slots, on one node of a quorum. What the owner has here beyond them goes: it counted for nobody.
--
-- KEYS[1] lock (see _permits.lua)   KEYS[2] seat (see _seat.lua)
-- ARGV[1] owner   ARGV[2] ttl in ms   ARGV[3] run id of this process   ARGV[4] max_ttl in ms   ARGV[5] how many   ARGV[6] capacity
-- ARGV[7] the slots that it holds, '3,4'
--
-- returns 'kept <slot,slot,…>', those of them that are its own here   'gone'   'taken', which is not a hash at all
--         'young <ms left> <seat>'   'refused max_ttl <ms>'   as quorum_acquire.lua; nothing is confirmed

--@include _clock.lua
--@include _seat.lua

local owner, ttl, wanted = ARGV[1], ARGV[2], ARGV[7]
local answer = not_seated(KEYS[2], ARGV[3], ARGV[4], ttl)
if answer then return answer end
local vote = redis.pcall('HGET', KEYS[1], owner)
if type(vote) == 'table' then return 'taken' end
local ends, since, slots = string.match(vote or '', '^(%d+) (%d+ %d+) ([%d,]+)$')
if not ends or ends <= now() then return 'gone' end

if slots ~= wanted then
  local mine, kept = {}, {}
  for slot in string.gmatch(slots, '%d+') do mine[slot] = true end
  for slot in string.gmatch(wanted, '%d+') do
    if mine[slot] then kept[#kept + 1] = slot end
  end
  slots = table.concat(kept, ',')
  if slots == '' then
    call('HDEL', KEYS[1], owner)
    return 'gone'
  end
end

-- PEXPIRE first: at maxmemory a script may set a field only once it has written something else.
call('PEXPIRE', KEYS[1], string.format('%.0f', math.max(call('PTTL', KEYS[1]), ttl + 1)))
call('HSET', KEYS[1], owner, string.format('%.0f', now() + ttl * 1000) .. ' ' .. since .. ' ' .. slots)
return 'kept ' .. slots
