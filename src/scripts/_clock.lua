-- The clock of the scripts, who of the queue is silent, and how to tell the others. KEYS and the form of numbers: see _queue.lua.

local call = redis.call

--@include _inbox.lua

local clock
local function now()
  if not clock then
    local t = call('TIME')
    clock = t[1] .. string.sub('00000' .. t[2], -6)
  end
  return clock
end

-- A waiter that has been silent for this long (three heartbeats) is passed over: it is stopped, cut off or dead.
local SILENT = 3000000
-- Heartbeats are written down only from this age on, so that short waits cost no write to `seen`.
local YOUNG = 1000000

local function is_silent(entry, ticket)
  if now() - ticket <= YOUNG then return false end
  local seen = call('HGET', KEYS[3], entry) or ticket
  call('HDEL', KEYS[3], entry)
  return now() - seen > SILENT
end
