-- Take a vote back, on one node of a quorum.
--
-- KEYS, ARGV: see _return_vote.lua
--
-- returns 0 not mine   1 released

--@include _return_vote.lua

return return_vote() and 1 or 0
