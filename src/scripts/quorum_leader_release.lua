-- As quorum_release.lua, and forgets the leader. Tells all clients to look, also where a waiter was invited: that it follows is not sure.
--
-- KEYS, ARGV[1], ARGV[2]: see _return_vote.lua
-- ARGV[3] key of the leader's record, in the lock's slot
--
-- returns as quorum_release.lua does

--@include _return_vote.lua

if not return_vote() then return 0 end
call('DEL', ARGV[3])
post('all', 'leader ' .. KEYS[1])
return 1
