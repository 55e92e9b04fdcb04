-- The clock of the scripts: µs as text of 16 digits (_queue.lua says why text).

local call = redis.call

local clock
local function now()
  if not clock then
    local t = call('TIME')
    clock = t[1] .. string.sub('00000' .. t[2], -6)
  end
  return clock
end
