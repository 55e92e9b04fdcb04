-- Give the lock back: to the first waiter that is alive, or to nobody. Also leaves the queue, for a waiter that gives up
-- and cannot know whether it has just been granted.
--
-- KEYS  lock, waiters, seen, fence (see _queue.lua), and its note (leave.lua), where there may be one
-- ARGV[1] owner   ARGV[2] entry to take off the queue, or ''
-- ARGV[3] if given: a list to push to when the lock is freed, for waiters of python-redis-lock
--
-- returns 0 not mine   1 released, nobody waited   2 handed over

--@include _queue.lua

if ARGV[2] ~= '' then
  call('ZREM', KEYS[2], ARGV[2])
  call('HDEL', KEYS[3], ARGV[2])
end

-- A key of another type is not mine either; pcall turns WRONGTYPE into a table, which equals no owner.
if redis.pcall('GET', KEYS[1]) ~= ARGV[1] then return 0 end

if KEYS[5] then call('DEL', KEYS[5]) end
if serve_queue('') == 'granted' then return 2 end
call('DEL', KEYS[1])

-- As python-redis-lock does it: one element, for 1 s. Another type is somebody else's key; and no list without expiry.
if ARGV[3] then
  local length = redis.pcall('LPUSH', ARGV[3], '1')
  if type(length) == 'number' then
    if length > 1 then redis.pcall('LTRIM', ARGV[3], '0', '0') end
    if redis.pcall('PEXPIRE', ARGV[3], '1000') ~= 1 then redis.pcall('DEL', ARGV[3]) end
  end
end
return 1
