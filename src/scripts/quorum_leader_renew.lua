-- As quorum_renew.lua, with the record of the leader: written where it is not, which is the announcement, and on a node that was added
-- again; then all clients are told to look.
--
-- KEYS, ARGV[1] to ARGV[4]: see _keep_vote.lua
-- ARGV[5] key of the leader's record, in the lock's slot   ARGV[6] the record (elector_announce.lua), or '' while there is none
--
-- returns as quorum_renew.lua does

--@include _keep_vote.lua

local answer = keep_vote()
if answer ~= 'kept' or ARGV[6] == '' then return answer end
if redis.pcall('GET', ARGV[5]) == ARGV[6] then
  call('PEXPIRE', ARGV[5], ARGV[2])
else
  -- After PEXPIRE, which is a write: at maxmemory a script may add only once it has written something else.
  call('SET', ARGV[5], ARGV[6], 'PX', ARGV[2])
  post('all', 'leader ' .. KEYS[1])
end
return answer
