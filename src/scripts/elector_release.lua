-- As release.lua, and forgets the leader. Tells all clients to look when nobody follows; whoever follows announces itself.
--
-- KEYS  lock, waiters, seen, fence (see _queue.lua)
-- ARGV[1] owner   ARGV[2] entry to take off the queue, or ''   ARGV[3] key of the leader's record, in the lock's slot
--
-- returns as release.lua does

--@include _queue.lua

if ARGV[2] ~= '' then
  call('ZREM', KEYS[2], ARGV[2])
  call('HDEL', KEYS[3], ARGV[2])
end
if redis.pcall('GET', KEYS[1]) ~= ARGV[1] then return 0 end
call('DEL', ARGV[3])
if serve_queue('') == 'granted' then return 2 end
call('DEL', KEYS[1])
redis.pcall('PUBLISH', 'holdfast:inbox:all', 'leader ' .. KEYS[1])
return 1
