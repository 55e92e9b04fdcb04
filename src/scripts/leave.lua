-- Let go of a lock without releasing it, if it is mine: nobody renews it from now on, and a note tells what only the
-- holder's process knew.
--
-- KEYS[1] lock   KEYS[2] note
-- ARGV[1] owner   ARGV[2] ttl in ms   ARGV[3] fence   ARGV[4] µs since it was acquired
--
-- returns as renew.lua does

local holder = redis.pcall('GET', KEYS[1])
if not holder then return 'gone' end
if holder ~= ARGV[1] then return 'taken' end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
-- Only a nicety, and a server at maxmemory may refuse it.
local t = redis.call('TIME')
local since = string.format('%.0f', t[1] * 1000000 + t[2] - ARGV[4])
redis.pcall('SET', KEYS[2], ARGV[3] .. ' ' .. since .. ' ' .. holder, 'PX', ARGV[2])
return 'kept'
