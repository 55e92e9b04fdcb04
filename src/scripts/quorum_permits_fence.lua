-- Note the number that a holder of slots is going to use, as quorum_fence.lua.
--
-- KEYS[1] lock (see _permits.lua)   KEYS[2] fence
-- ARGV[1] owner   ARGV[2] number
--
-- returns 'noted'   'gone'   'taken', which is not a hash at all

--@include _clock.lua

local vote = redis.pcall('HGET', KEYS[1], ARGV[1])
if type(vote) == 'table' then return 'taken' end
local ends = string.match(vote or '', '^(%d+) ')
if not ends or ends <= now() then return 'gone' end

--@include _noted.lua
