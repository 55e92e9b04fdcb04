-- release.lua for the recursive mutex: the last unlock() of an owner, or a waiter that gives up.
--
-- KEYS  lock, waiters, seen, fence (see _queue.lua and _recursive.lua)
-- ARGV[1] owner   ARGV[2] entry to take off the queue, or ''   ARGV[3] Redisson's channel of this lock
--
-- returns 0 not mine   1 released   2 handed over

--@include _queue.lua
--@include _recursive.lua

if ARGV[2] ~= '' then
  call('ZREM', KEYS[2], ARGV[2])
  call('HDEL', KEYS[3], ARGV[2])
end

-- A key of another type is not mine either. Other errors are told: whoever may not ask does not know.
local count = redis.pcall('HGET', KEYS[1], ARGV[1])
if type(count) == 'table' and not string.find(count.err, 'WRONGTYPE', 1, true) then return count end
if type(count) ~= 'string' then return 0 end
return pass_on(ARGV[3])
