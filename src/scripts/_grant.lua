-- The number of a vote, on one node of a quorum. After _clock.lua; KEYS[3]: the counter (see quorum_acquire.lua).

-- Not the clock where there is a counter: the counters of the nodes move together, their clocks do not, and where all
-- nodes answer the same number it need not be written back. `hint`: 0 for none, '' to draw no number.
local function granted(hint)
  if hint == '' then return 'granted 0' end
  local last = call('GET', KEYS[3])
  local number = last and last + 1 or now() + 0
  if hint + 0 > number then number = hint + 0 end
  number = string.format('%.0f', number)
  call('SET', KEYS[3], number, 'EX', '604800')
  return 'granted ' .. number
end
