-- Drawing tickets for those who wait for a share, and numbers for those who get one past them (_shares.lua has the keys).
-- After _fence.lua.

-- Tickets keep 15 free numbers below them, for what is granted past the queue: each of those needs a number of its own.
local GAP = 16
local function draw_ticket()
  local number, last = now(), call('GET', KEYS[4])
  if not last then
    call('SET', KEYS[4], number, 'EX', '604800')
    return number
  end
  if last + GAP > number + 0 then number = string.format('%.0f', last + GAP) end
  call('SETRANGE', KEYS[4], '0', number)
  return number
end

-- For a holder past the queue: above all holders so far, below all who wait. nil: all numbers below the first ticket are used.
local function number_past_queue()
  local first = call('ZRANGE', KEYS[2], '0', '0', 'WITHSCORES')[2]
  if not first then return draw() end
  local mark = call('ZRANGE', KEYS[1], '0', '0')[1]
  local used = mark and string.match(mark, '^%^(%d+)$')
  local number = first - GAP + 1
  if used then
    if used + 0 >= number then number = used + 1 end
    call('ZREM', KEYS[1], mark)
  end
  if number >= first + 0 then number = nil end
  call('ZADD', KEYS[1], '0', '^' .. (number and string.format('%.0f', number) or used))
  return number and string.format('%.0f', number)
end
