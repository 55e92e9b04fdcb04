-- What may this user run inside a script? Tries commands on keys of a made-up name. Used by `doctor` where ACL DRYRUN is
-- not there or not allowed. Leaves nothing behind: on absent keys these do nothing, HSET is tried only where DEL is allowed,
-- and nobody sees what is between the two. PUBLISH goes to an inbox that nobody hears.
--
-- ARGV    lock, waiters, seen, fence (not as KEYS: a user who may not use them would not get this far), inbox, the same in a Cluster or ''
-- returns one text for each command, `<command> <error>` with an empty error if it ran

local lock, waiters, seen, fence, inbox, shard = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6]
local out = {}

local function try(command, ...)
  local answer = redis.pcall(command, ...)
  local wrong = type(answer) == 'table' and answer.err or ''
  out[#out + 1] = command .. ' ' .. wrong
  return wrong == ''
end

try('TIME')
try('GET', lock)
try('SET', lock, 'x', 'XX', 'PX', '1')
try('SETRANGE', fence, '0', '')
local may_delete = try('DEL', lock) and redis.pcall('DEL', seen) == 0
try('EXISTS', lock)
try('PEXPIRE', lock, '1')
try('PTTL', lock)
try('ZADD', waiters, 'XX', '0', 'x')
try('ZREM', waiters, 'x')
try('ZPOPMIN', waiters)
try('ZRANGE', waiters, '0', '0')
try('ZSCORE', waiters, 'x')
try('ZRANK', waiters, 'x')
try('ZCARD', waiters)
try('ZRANGEBYSCORE', waiters, '0', '0')
try('HGET', seen, 'x')
try('HDEL', seen, 'x')
if may_delete then
  try('HSET', seen, 'x', 'x')
  redis.pcall('DEL', seen)
end
try('PUBLISH', inbox, '0')
if shard ~= '' then try('SPUBLISH', shard, '0') end
return out
