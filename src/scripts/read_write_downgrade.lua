-- The writer of Redisson's read-write lock becomes a reader, and the readers at the head of the queue come in, too. Again for the
-- same owner it changes nothing.
--
-- KEYS  lock, waiters, seen, fence (see _read_write.lua)
-- ARGV  as read_write_release.lua
--
-- returns 0 not mine   1 a reader now

--@include _silence.lua

local owner, channel, stem = ARGV[1], ARGV[4], ARGV[5]

--@include _turns.lua
--@include _read_write.lua

local mode = redis.pcall('HGET', KEYS[1], 'mode')
if type(mode) == 'table' and not string.find(mode.err, 'WRONGTYPE', 1, true) then return mode end
if mode == 'read' then return call('HGET', KEYS[1], owner) and call('EXISTS', timeout_of(owner)) or 0 end
if mode ~= 'write' or not call('HGET', KEYS[1], owner .. ':write') then return 0 end
local refusal = put(owner, false, string.format('%.0f', math.max(call('PTTL', KEYS[1]), 1)))
if refusal then return refusal end
call('HDEL', KEYS[1], owner .. ':write')
serve('', 'read')
redis.pcall('PUBLISH', channel, '1')
return 1
