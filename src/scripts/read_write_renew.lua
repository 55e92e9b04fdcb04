-- renew.lua for Redisson's read-write lock. Only the caller's own hold: a reader that has crashed ends, whoever else renews.
--
-- KEYS[1] lock
-- ARGV[1] owner   ARGV[2] ttl in ms   ARGV[3] 'read' or 'write', ARGV[4] channel: not used here
-- ARGV[5] what the names of its timeouts begin with
--
-- returns 'kept'   'gone'   'taken', which is a writer's, or not a hash at all

local call = redis.call
local mode = redis.pcall('HGET', KEYS[1], 'mode')
-- Other errors prove nothing.
if type(mode) == 'table' and not string.find(mode.err, 'WRONGTYPE', 1, true) then return mode end
if mode == 'write' and call('HGET', KEYS[1], ARGV[1] .. ':write') then
  call('PEXPIRE', KEYS[1], ARGV[2])
  return 'kept'
end
if mode == 'read' and call('HGET', KEYS[1], ARGV[1]) then
  -- Without its timeout it has ended, and Redisson gives the lock away over it.
  if call('PEXPIRE', ARGV[5] .. ':' .. ARGV[1] .. ':rwlock_timeout:1', ARGV[2]) ~= 1 then return 'gone' end
  if call('PTTL', KEYS[1]) < ARGV[2] + 0 then call('PEXPIRE', KEYS[1], ARGV[2]) end
  return 'kept'
end
return (mode == 'read' or call('EXISTS', KEYS[1]) == 0) and 'gone' or 'taken'
