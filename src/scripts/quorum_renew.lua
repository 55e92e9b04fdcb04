-- Keep a vote, on one node of a quorum.
--
-- KEYS, ARGV: see _keep_vote.lua
--
-- returns 'kept'   'gone'   'taken', which is somebody else's, or not a string at all
--         'young <ms left> <seat>'   'refused max_ttl <ms>'   as quorum_acquire.lua; nothing is confirmed

--@include _keep_vote.lua

return keep_vote()
