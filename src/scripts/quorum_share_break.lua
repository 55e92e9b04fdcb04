-- Take the share of a reader or writer from its holder, on one node of a quorum; tell those who may fit then to ask, and tell the holder.
--
-- KEYS[1] lock   KEYS[2] waiters (see _share_votes.lua)
-- ARGV[1] the holder that is meant   ARGV[2] capacity
--
-- returns as break_plain.lua does; the next owner is not known

--@include _clock.lua
--@include _broken.lua

local capacity, of_permits = ARGV[2] + 0, false

--@include _share_set.lua
--@include _share_votes.lua

local kind = call('TYPE', KEYS[1])['ok']
local sum = kind == 'zset' and call('ZSCORE', KEYS[1], '#')
if not sum then return { kind } end
sum = purge(sum)
local weight = share_of(ARGV[1])
if not weight then return { 'none' } end
call('ZREM', KEYS[1], weight .. ':' .. ARGV[1])
invite(set_sum(sum - weight))
return { 'broken', ARGV[1], '', tell_broken(ARGV[1]), 1 }
