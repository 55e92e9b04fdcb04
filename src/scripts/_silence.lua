-- Who of the queue is silent. KEYS: see _queue.lua.

--@include _clock.lua

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
