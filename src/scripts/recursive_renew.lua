-- renew.lua for the recursive mutex.
--
-- KEYS[1] lock
-- ARGV[1] owner   ARGV[2] ttl in ms
--
-- returns 'kept'   'gone'   'taken', which is somebody else's, or not a hash at all

if redis.pcall('HEXISTS', KEYS[1], ARGV[1]) == 1 then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  return 'kept'
end
return redis.call('EXISTS', KEYS[1]) == 0 and 'gone' or 'taken'
