-- Drawing fencing numbers, which are also the tickets of the queue (see _queue.lua, which comes first).

-- Larger than every earlier number while the counter lives, and not smaller than the server's clock in any case, so that
-- numbers go on increasing when the counter was lost. The counter expires a week after it was made: whenever that is, the
-- clock has passed it. SETRANGE keeps the expiry and is cheaper than SET with a new one.
-- `counter`: other than the fourth key, where a script is about several locks.
local function draw(counter)
  counter = counter or KEYS[4]
  local number, last = now(), call('GET', counter)
  if not last then
    call('SET', counter, number, 'EX', '604800')
    return number
  end
  if last >= number then number = string.format('%.0f', last + 1) end
  call('SETRANGE', counter, '0', number)
  return number
end

-- For a grant that does not come from the queue: above all holders so far, below all who wait.
local function draw_past_queue()
  local head = call('ZRANGE', KEYS[2], '0', '0', 'WITHSCORES')[2]
  return head and string.format('%.0f', head - 1) or draw()
end
