-- Take a vote back, on one node of a quorum, and invite the first waiter that is connected to ask for it. Also takes the caller off the
-- list of those who wait. Done whether the node may vote or not: giving back does no harm.
--
-- KEYS[1] lock   KEYS[2] waiters (see quorum_acquire.lua)
-- ARGV[1] owner   ARGV[2] entry to take off the list, or ''
--
-- returns 0 not mine   1 released

local call = redis.call

if ARGV[2] ~= '' then call('ZREM', KEYS[2], ARGV[2]) end
local holder = redis.pcall('GET', KEYS[1])
local mine = holder == ARGV[1]
if mine then call('DEL', KEYS[1]) end

-- Also where it is free already: the one who was invited may be the one who leaves.
-- Ticket 0 is nobody's and means: ask. Nothing is promised, so whoever does not hear costs nothing but the next message.
if mine or (not holder and ARGV[2] ~= '') then
  for _ = 1, 100 do
    local entry = call('ZPOPMIN', KEYS[2])[1]
    if not entry then break end
    local inbox, waiter = string.match(entry, '^%d+:(%x+):(%d+):')
    local heard = inbox and redis.pcall('PUBLISH', 'holdfast:inbox:' .. inbox, waiter .. ' 0')
    if type(heard) == 'number' and heard > 0 then break end
  end
end
return mine and 1 or 0
