-- Take a re-entrant lock in Redisson's layout from its holder: give it to the first of our waiters, or free it and wake those
-- who wait for it in Java; and tell the holder, if it is one of ours.
--
-- KEYS  lock, waiters, seen, fence (see _queue.lua), the queue of a fair lock
-- ARGV[1] the holder that is meant, or '' for any   ARGV[2] Redisson's channel of this lock
--
-- returns as break_plain.lua does, or { 'read_write' }: that is for break_read_write.lua

--@include _queue.lua
--@include _recursive.lua
--@include _redisson.lua
--@include _broken.lua

local kind = redis.call('TYPE', KEYS[1])['ok']
if kind ~= 'hash' then return { kind } end
local owners, layout = redisson_fields(KEYS[1])
if not owners then return { kind } end
if layout ~= 'redisson' then return { 'read_write' } end
if ARGV[1] ~= '' and ARGV[1] ~= owners[1] then return { 'changed', owners[1] } end

-- 0 wakes one waiter of each process; a fair lock's waiters have a channel each.
local holder, next_owner = owners[1], ''
if pass_on(ARGV[2]) == 2 then next_owner = holder_in(call('HGETALL', KEYS[1])) or '' end
local first = redis.pcall('LINDEX', KEYS[5], '0')
if type(first) == 'string' then redis.pcall('PUBLISH', ARGV[2] .. ':' .. first, '0') end

local heard = tell_broken(holder)
return { 'broken', holder, next_owner, heard, 1 }
