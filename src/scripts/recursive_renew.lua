-- renew.lua for the recursive mutex.
--
-- KEYS[1] lock
-- ARGV[1] owner   ARGV[2] ttl in ms
--
-- returns 'kept'   'gone'   'taken', which is somebody else's, or not a hash at all

local count = redis.pcall('HGET', KEYS[1], ARGV[1])
if type(count) == 'string' then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  return 'kept'
end
-- Other errors prove nothing.
if type(count) == 'table' and not string.find(count.err, 'WRONGTYPE', 1, true) then return count end
return redis.call('EXISTS', KEYS[1]) == 0 and 'gone' or 'taken'
