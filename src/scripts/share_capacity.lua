-- Change a semaphore's capacity. A larger one lets waiters in at once; under a smaller one holders finish as they are.
--
-- KEYS  lock, waiters, seen, fence (see _shares.lua)
-- ARGV[1] the new capacity
--
-- returns 0

--@include _silence.lua

local capacity, of_permits = ARGV[1] + 0, true

--@include _shares.lua

call('SET', string.sub(KEYS[2], 1, -8) .. 'capacity', ARGV[1], 'PX', '604800000')
serve_shares('', purge(call('ZSCORE', KEYS[1], '#')))
return 0
