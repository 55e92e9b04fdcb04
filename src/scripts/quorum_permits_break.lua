-- Take the permits of one holder, on one node of a quorum; invite those who may fit then, and tell the holder.
--
-- KEYS  lock, waiters (see _permits.lua)
-- ARGV[1] the holder that is meant   ARGV[2] capacity
--
-- returns as break_plain.lua does; the next owner is not known

--@include _clock.lua
--@include _permits.lua
--@include _broken.lua

local kind = call('TYPE', KEYS[1])['ok']
if kind ~= 'none' and kind ~= 'hash' then return { kind } end
if not read_vote(call('HGET', KEYS[1], ARGV[1])) then return { 'none' } end
call('HDEL', KEYS[1], ARGV[1])
invite_fitting(capacity_or(ARGV[2]) - survey('').count)
return { 'broken', ARGV[1], '', tell_broken(ARGV[1]), 1 }
