-- Whom one node of a quorum votes for, and what it has written down about a leader. Only reads.
--
-- KEYS[1] lock   KEYS[2] leader (elector_announce.lua)   ARGV: not used
--
-- returns {}                                      it votes for nobody
--         { owner, remaining ms, record or '' }   the record may be an earlier leader's

local owner = redis.call('GET', KEYS[1])
if not owner then return {} end
return { owner, redis.call('PTTL', KEYS[1]), redis.call('GET', KEYS[2]) or '' }
