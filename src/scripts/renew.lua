-- Keep the lock, if it is mine. PEXPIRE and never SET: a server at maxmemory refuses SET.
--
-- KEYS[1] lock   KEYS[2] its note (leave.lua), where there may be one
-- ARGV[1] owner   ARGV[2] ttl in ms
--
-- returns 'kept'   'gone'   'taken', which is somebody else's, or not a string at all

local holder = redis.pcall('GET', KEYS[1])
if not holder then return 'gone' end
if holder ~= ARGV[1] then return 'taken' end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
if KEYS[2] then redis.call('PEXPIRE', KEYS[2], ARGV[2]) end
return 'kept'
