-- Write down who was elected, if the lock is mine, and tell all clients to look.
--
-- KEYS[1] lock   KEYS[2] leader: '<term> <owner size> <owner><id>', with the lock's expiry
-- ARGV[1] owner   ARGV[2] the record
--
-- returns 1   0 not mine (any more)

if redis.pcall('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[2], ARGV[2], 'PX', redis.call('PTTL', KEYS[1]))
redis.pcall('PUBLISH', 'holdfast:inbox:all', 'leader ' .. KEYS[1])
return 1
