-- The numbers of a quorum's node (docs/quorum.md, "Fences"). After _clock.lua, where any is drawn.

-- Not the clock where there is a counter: the counters of the nodes move together, their clocks do not, and where all
-- nodes answer the same number it need not be written back. `hint`: the least to draw.
local function draw(counter, hint)
  local last = redis.call('GET', counter)
  local number = last and last + 1 or now() + 0
  if hint + 0 > number then number = hint + 0 end
  number = string.format('%.0f', number)
  redis.call('SET', counter, number, 'EX', '604800')
  return number
end
