-- Who leads. Only reads.
--
-- KEYS[1] lock   KEYS[2] leader (elector_announce.lua)
--
-- returns 'leader <remaining ms> <record>'
--         'none'      nobody holds the lock
--         'unknown'   somebody does who has not announced itself (yet): what is written is about an earlier one

local holder = redis.call('GET', KEYS[1])
if not holder then return 'none' end
local record = redis.call('GET', KEYS[2])
if not record then return 'unknown' end
local size, rest = string.match(record, '^%d+ (%d+) (.*)$')
if not size or string.sub(rest, 1, tonumber(size)) ~= holder then return 'unknown' end
return 'leader ' .. redis.call('PTTL', KEYS[1]) .. ' ' .. record
