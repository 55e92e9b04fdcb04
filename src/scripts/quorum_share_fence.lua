-- Note the number that a holder is going to use, on one node of a quorum: quorum_fence.lua for shares. Only where the share is its own.
--
-- KEYS[1] lock (see _share_votes.lua)   KEYS[2] fence
-- ARGV[1] owner   ARGV[2] number   ARGV[3] weight
--
-- returns 'noted'   'gone'   'taken', which is not a sorted set at all

--@include _clock.lua

local ends = redis.pcall('ZSCORE', KEYS[1], ARGV[3] .. ':' .. ARGV[1])
if type(ends) == 'table' then return 'taken' end
if not ends or ends + 0 <= now() + 0 then return 'gone' end

--@include _noted.lua
