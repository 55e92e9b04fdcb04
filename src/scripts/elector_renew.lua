-- As renew.lua, with the record of the leader.
--
-- KEYS[1] lock
-- ARGV[1] owner   ARGV[2] ttl in ms   ARGV[3] key of the leader's record, in the lock's slot
--
-- returns as renew.lua does

local holder = redis.pcall('GET', KEYS[1])
if not holder then return 'gone' end
if holder ~= ARGV[1] then return 'taken' end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
-- While the slot moves to another node of a Cluster the record may be there already, or still: the lock is what counts.
redis.pcall('PEXPIRE', ARGV[3], ARGV[2])
return 'kept'
