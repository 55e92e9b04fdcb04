-- Stop waiting at a latch or a barrier. Whoever arrived has arrived: only the place in the queue is given up.
--
-- KEYS  lock, waiters, seen, fence; as release.lua takes them
-- ARGV[1] owner   ARGV[2] entry to take off the queue, or ''
--
-- returns 0

if ARGV[2] ~= '' then redis.call('ZREM', KEYS[2], ARGV[2]) end
return 0
