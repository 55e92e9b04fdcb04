-- Sends waiters home whose work has been done by the holder (cache): takes them off the queue and tells each. At most a
-- thousand in one step, so that the server is not busy for long; whoever gets the lock next goes on with it. After
-- _queue.lua; or, on a node of a quorum, after _inbox.lua, with the ticket that all have there.

local function dismiss_queue(ticket)
  for _ = 1, 1000 do
    local head = call('ZPOPMIN', KEYS[2])
    local entry = head[1]
    if not entry then return end
    if not ticket then call('HDEL', KEYS[3], entry) end
    local inbox, waiter = string.match(entry, '^%d+:([^:]+):(%d+):')
    post(inbox, 'dismissed ' .. waiter .. ' ' .. (ticket or head[2]))
  end
end
