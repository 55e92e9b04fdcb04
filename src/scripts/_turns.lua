-- Turns for those who wait in Java, for locks in Redisson's layout. Comes after _silence.lua.
--
-- KEYS[3] seen     hash     besides heartbeats: #run  -> our releases in a row while somebody in Java listened
--                                               #turn -> until when (µs) the free lock is left to Java
--
-- Our waiters are handed the lock and Java's hear only of locks that are free; so every RUN-th release while somebody
-- listens on Redisson's channel frees the lock, and none of ours takes it for TURN.

local RUN, TURN = 8, 20000

-- How many ms of Java's turn are left; nil if there is none.
local function turn_left()
  local over = call('HGET', KEYS[3], '#turn')
  if over and over > now() then return string.format('%.0f', math.ceil((over - now()) / 1000)) end
  if over then call('HDEL', KEYS[3], '#turn') end
  return nil
end

-- One more release while somebody in Java listens. Returns whether it is Java's turn now. Only fairness hangs on it: a
-- server at maxmemory may refuse.
local function count_run()
  local run = redis.pcall('HINCRBY', KEYS[3], '#run', '1')
  if type(run) ~= 'number' then return false end
  if run >= RUN then
    call('HDEL', KEYS[3], '#run')
    call('HSET', KEYS[3], '#turn', string.format('%.0f', now() + TURN))
  end
  call('PEXPIRE', KEYS[3], '15000')
  return run >= RUN
end

local function java_listens(channel)
  local count = redis.pcall('PUBSUB', 'NUMSUB', channel)
  return type(count) == 'table' and type(count[2]) == 'number' and count[2] > 0
end

-- Ticket 0 is nobody's: the first in the queue does not believe it, asks, and learns when to come.
local function nudge_first()
  local entry = call('ZRANGE', KEYS[2], '0', '0')[1]
  local inbox, waiter = string.match(entry or '', '^[%d*]+:(%x+):(%d+):')
  if inbox then redis.pcall('PUBLISH', 'holdfast:inbox:' .. inbox, waiter .. ' 0') end
end
