-- Take a lock of Redisson's from its holder: delete it, and wake those who wait for it in Java.
--
-- KEYS[1] lock   KEYS[2] the queue of a fair lock
-- ARGV[1] a holder that is meant, or '' for any
-- ARGV[2] channel of the re-entrant lock   ARGV[3] channel of the read-write lock
--
-- returns as break_plain.lua does

--@include _redisson.lua

local kind = redis.call('TYPE', KEYS[1])['ok']
if kind ~= 'hash' then return { kind } end
local owners, layout = redisson_fields(KEYS[1])
if not owners then return { kind } end
local meant = ARGV[1] == ''
for _, owner in ipairs(owners) do meant = meant or owner == ARGV[1] end
if not meant then return { 'changed', owners[1] } end

redis.call('DEL', KEYS[1])
if layout == 'redisson' then
  -- 0 wakes one waiter of each process; a fair lock's waiters have a channel each.
  redis.pcall('PUBLISH', ARGV[2], '0')
  local first = redis.pcall('LINDEX', KEYS[2], '0')
  if type(first) == 'string' then redis.pcall('PUBLISH', ARGV[2] .. ':' .. first, '0') end
else
  redis.pcall('PUBLISH', ARGV[3], layout == 'redisson_write' and '1' or '0')
end
return { 'broken', owners[1], '', 0 }
