-- Shared by the scripts of the recursive mutex: the lock as Redisson lays it out, and turns for those who wait in Java.
-- Comes after _queue.lua.
--
-- KEYS[1] lock     hash     <owner> -> 1, holdfast -> the fence; or Redisson's own, <uuid>:<thread> -> count
-- KEYS[3] seen     hash     besides heartbeats what _turns.lua keeps
--
-- The count is 1 for as long as the owner is inside, however deep: writing it is idempotent, and nobody but the owner
-- decides anything by it.

--@include _turns.lua

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
