-- Telling those who wait for a phase of a meeting that has passed. After _inbox.lua and `call` are there.

-- `waiters` as _meeting.lua says, 500 at a time. The others are told by their own heartbeats, if the caller dies before it calls
-- again. Returns '1' if some are still to be told.
local function tell(waiters, present)
  local function passed(entry)
    local phase, inbox, waiter = string.match(entry, '^(%d+);%d+:([^:]+):(%d+):')
    return phase and tonumber(phase) < tonumber(present), inbox, waiter
  end
  local first = call('ZRANGE', waiters, '0', '0')[1]
  if not (first and passed(first)) then return '0' end
  local heads = call('ZRANGE', waiters, '0', '499', 'WITHSCORES')
  for i = 1, #heads, 2 do
    local over, inbox, waiter = passed(heads[i])
    if not over then return '0' end
    call('ZREM', waiters, heads[i])
    post(inbox, waiter .. ' ' .. heads[i + 1])
  end
  return #heads == 1000 and '1' or '0'
end
