-- Telling the first waiter of a quorum's lock who is connected that it may ask. After `call` is there; KEYS[2]: see quorum_acquire.lua.

-- Ticket 0 is nobody's and means: ask. Nothing is promised, so whoever does not hear costs nothing but the next message.
local function invite()
  for _ = 1, 100 do
    local entry = call('ZPOPMIN', KEYS[2])[1]
    if not entry then return end
    local inbox, waiter = string.match(entry, '^%d+:([^:]+):(%d+):')
    local heard = inbox and post(inbox, waiter .. ' 0')
    if type(heard) == 'number' and heard > 0 then return end
  end
end
