-- Change a semaphore's capacity, on one node of a quorum; invite those who may fit then. Done whether the node may vote or not.
--
-- KEYS  lock, waiters (see _permits.lua)
-- ARGV[1] the new capacity
--
-- returns 1

--@include _clock.lua
--@include _permits.lua

call('SET', string.sub(KEYS[2], 1, -8) .. 'capacity', ARGV[1], 'PX', '604800000')
if call('EXISTS', KEYS[2]) == 1 then invite_fitting(ARGV[1] - survey('').count) end
return 1
