-- Shared by the scripts of the recursive mutex: the lock as Redisson lays it out, and turns for those who wait in Java.
-- Comes after _queue.lua.
--
-- KEYS[1] lock     hash     <owner> -> 1, holdfast -> the fence; or Redisson's own, <uuid>:<thread> -> count
-- KEYS[3] seen     hash     besides heartbeats: #run  -> our releases in a row while somebody in Java listened
--                                               #turn -> until when (µs) the free lock is left to Java
--
-- The count is 1 for as long as the owner is inside, however deep: writing it is idempotent, and nobody but the owner
-- decides anything by it. Our waiters are handed the lock and Java's hear only of locks that are free; so every RUN-th
-- release while somebody listens on Redisson's channel frees the lock, and none of ours takes it for TURN.

local RUN, TURN = 8, 20000

-- Nil, or the refusal: a lock must not stay without expiry where a user may HSET and not PEXPIRE.
local function write(owner, fence, ttl)
  call('HSET', KEYS[1], owner, '1', 'holdfast', fence)
  local kept = redis.pcall('PEXPIRE', KEYS[1], ttl)
  if kept == 1 then return nil end
  call('DEL', KEYS[1])
  return kept
end

give = function(owner, claim, ticket)
  call('DEL', KEYS[1])
  write(owner, ticket, claim)
end

-- Who has the lock, of whatever kind of Redisson's it is; nil if these are not the fields of a lock.
local function holder_in(fields)
  for i = 1, #fields, 2 do
    if fields[i] ~= 'holdfast' and fields[i] ~= 'mode' then
      return string.match(fields[i + 1], '^%d+$') and fields[i]
    end
  end
  return nil
end

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
  local inbox, waiter = string.match(entry or '', '^%d+:(%x+):(%d+):')
  if inbox then redis.pcall('PUBLISH', 'holdfast:inbox:' .. inbox, waiter .. ' 0') end
end

-- The lock is given up: to the first of our waiters that is alive (2), or to whoever comes (1). Java is told last.
local function pass_on(channel)
  local waited = call('EXISTS', KEYS[2]) == 1
  local open = waited and java_listens(channel) and count_run()
  if waited and not open and serve_queue('') == 'granted' then return 2 end
  call('DEL', KEYS[1])
  if open then nudge_first() end
  local heard = redis.pcall('PUBLISH', channel, '0')
  if not waited and type(heard) == 'number' and heard > 0 then count_run() end
  return 1
end
