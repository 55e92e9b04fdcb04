-- Keep a value, or forget it, whoever is loading: with a number above that of every loader under way, so that theirs are
-- not kept.
--
-- KEYS  lock, waiters, seen, fence (see _queue.lua), value
-- ARGV[1] ttl in ms   ARGV[2] what to keep, without its number; '' to forget
-- ARGV[3] when forgetting under a loader: for how long to remember that, in ms   ARGV[4] what to keep for it, likewise
--
-- returns 1

--@include _queue.lua
--@include _fence.lua

if ARGV[2] ~= '' then
  call('SET', KEYS[5], draw() .. ARGV[2], 'PX', ARGV[1])
elseif call('EXISTS', KEYS[1]) == 0 then
  call('DEL', KEYS[5])  -- nobody holds the lock, so nobody can keep anything
else
  call('SET', KEYS[5], draw() .. ARGV[4], 'PX', ARGV[3])
end
return 1
