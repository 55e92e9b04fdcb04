-- Note the number that a holder is going to use, on one node of a quorum. Only where the lock is its own: whoever gets this
-- node's vote next draws a greater one (docs/quorum.md, "Fences").
--
-- KEYS[1] lock   KEYS[2] fence
-- ARGV[1] owner   ARGV[2] number
--
-- returns 'noted'   'gone'   'taken', which is somebody else's, or not a string at all

local holder = redis.pcall('GET', KEYS[1])
if not holder then return 'gone' end
if holder ~= ARGV[1] then return 'taken' end

--@include _noted.lua
