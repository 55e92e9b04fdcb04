-- The number that a vote is given under, on one node of a quorum (docs/quorum.md, "Fences"). After _clock.lua.

-- Not the clock where there is a counter: the counters of the nodes move together, their clocks do not, and where all
-- nodes answer the same number it need not be written back. `hint`: the least to draw; '' to draw none.
local function vote_number(counter, hint)
  if hint == '' then return '0' end
  local last = redis.call('GET', counter)
  local number = last and last + 1 or now() + 0
  if hint + 0 > number then number = hint + 0 end
  number = string.format('%.0f', number)
  redis.call('SET', counter, number, 'EX', '604800')
  return number
end
