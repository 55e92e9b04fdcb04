-- Take a lock in Redisson's layout from its holder: give it to the first of our waiters, or free it and wake those who
-- wait for it in Java; and tell the holder, if it is one of ours.
--
-- KEYS  lock, waiters, seen, fence (see _queue.lua), the queue of a fair lock
-- ARGV[1] a holder that is meant, or '' for any
-- ARGV[2] channel of the re-entrant lock   ARGV[3] channel of the read-write lock
--
-- returns as break_plain.lua does

--@include _queue.lua
--@include _recursive.lua
--@include _redisson.lua

local kind = redis.call('TYPE', KEYS[1])['ok']
if kind ~= 'hash' then return { kind } end
local owners, layout = redisson_fields(KEYS[1])
if not owners then return { kind } end
local meant = ARGV[1] == ''
for _, owner in ipairs(owners) do meant = meant or owner == ARGV[1] end
if not meant then return { 'changed', owners[1] } end

if layout ~= 'redisson' then
  call('DEL', KEYS[1])
  redis.pcall('PUBLISH', ARGV[3], layout == 'redisson_write' and '1' or '0')
  return { 'broken', owners[1], '', 0 }
end

-- 0 wakes one waiter of each process; a fair lock's waiters have a channel each.
local holder, next_owner = owners[1], ''
if pass_on(ARGV[2]) == 2 then next_owner = holder_in(call('HGETALL', KEYS[1])) or '' end
local first = redis.pcall('LINDEX', KEYS[5], '0')
if type(first) == 'string' then redis.pcall('PUBLISH', ARGV[2] .. ':' .. first, '0') end

-- The inbox of our own holder is spread over its uuid, around the two digits that tell it from Java's (owner_text.hpp).
local a, b, c, d = string.match(holder, '^(%x+)%-(%x+)%-8(%x+)%-b(%x)%x+%-%x+:%d+$')
local inbox = a and #a == 8 and #b == 4 and #c == 3 and a .. b .. c .. d or 'all'
local heard = redis.pcall('PUBLISH', 'holdfast:inbox:' .. inbox, 'broken ' .. #KEYS[1] .. ' ' .. KEYS[1] .. holder)
return { 'broken', holder, next_owner, type(heard) == 'number' and inbox ~= 'all' and heard or 0 }
