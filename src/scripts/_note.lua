-- Noting a number that is in use: whoever draws on this node of a quorum afterwards gets a greater one.
local function note(counter, number)
  local last = redis.call('GET', counter)
  if not last or last + 0 < number + 0 then redis.call('SET', counter, number, 'EX', '604800') end
end
