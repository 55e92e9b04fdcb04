-- Keep a share, if it is mine and has not ended. ZADD with XX and PEXPIRE add nothing.
--
-- KEYS[1] lock (see _shares.lua)
-- ARGV[1] owner   ARGV[2] ttl in ms   ARGV[3] weight   ARGV[4] capacity   ARGV[5] 'rw', 'permits'
--
-- returns 'kept'   'gone'   'taken', which is not a sorted set at all

local call = redis.call
local member = ARGV[3] .. ':' .. ARGV[1]
local ends = redis.pcall('ZSCORE', KEYS[1], member)
if type(ends) == 'table' then return 'taken' end
if not ends and ARGV[5] == 'rw' then
  -- It was upgraded or downgraded since.
  member = (ARGV[3] == '1' and ARGV[4] or '1') .. ':' .. ARGV[1]
  ends = call('ZSCORE', KEYS[1], member)
end
if not ends then return 'gone' end
local t = call('TIME')
local now = t[1] * 1000000 + t[2]
if ends + 0 <= now then return 'gone' end
local left = call('PTTL', KEYS[1])
call('ZADD', KEYS[1], 'XX', string.format('%.0f', now + ARGV[2] * 1000), member)
if left <= ARGV[2] + 0 then call('PEXPIRE', KEYS[1], string.format('%.0f', ARGV[2] + 1)) end
return 'kept'
