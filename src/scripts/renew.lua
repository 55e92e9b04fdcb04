-- Keep the lock, if it is mine. PEXPIRE and never SET: a server at maxmemory refuses SET.
--
-- KEYS[1] lock   ARGV[1] owner   ARGV[2] ttl in ms
--
-- returns {1, server time in µs} kept   {0} gone   {2, holder} somebody else's

local holder = redis.pcall('GET', KEYS[1])
if holder == ARGV[1] then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  local t = redis.call('TIME')
  return {1, t[1] * 1000000 + t[2]}
end
if not holder then return {0} end
if type(holder) == 'table' then holder = '(another type)' end
return {2, holder}
