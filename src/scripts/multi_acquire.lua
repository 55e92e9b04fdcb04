-- Take several locks if all of them are free and nobody waits for any. Idempotent for one owner.
--
-- KEYS  of each lock: lock, waiters, fence (see _queue.lua)
-- ARGV[1] owner   ARGV[2] ttl in ms   ARGV[3] '1' to draw fences
--
-- returns 'granted <fence> …'                             one for each lock, 0 if none was asked for
--         'held <which> <remaining ms> <holder>'          which: counted from 0
--         'awaited <which>'                               it is free, but somebody is first
-- Nothing is written unless all are granted.

--@include _queue.lua
--@include _fence.lua

local owner = ARGV[1]
for i = 1, #KEYS, 3 do
  local holder = call('GET', KEYS[i])
  if holder and holder ~= owner then
    return 'held ' .. (i - 1) / 3 .. ' ' .. call('PTTL', KEYS[i]) .. ' ' .. holder
  end
  if not holder and call('EXISTS', KEYS[i + 1]) == 1 then return 'awaited ' .. (i - 1) / 3 end
end

local answer = 'granted'
for i = 1, #KEYS, 3 do
  local number = '0'
  if ARGV[3] == '1' then
    -- Mine already, an answer was lost, and somebody waits by now: below the first ticket.
    local head = call('ZRANGE', KEYS[i + 1], '0', '0', 'WITHSCORES')[2]
    number = head and string.format('%.0f', head - 1) or draw(KEYS[i + 2])
  end
  call('SET', KEYS[i], owner, 'PX', ARGV[2])
  answer = answer .. ' ' .. number
end
return answer
