-- Let a node of a fresh quorum vote without waiting. The caller has seen that all nodes are fresh (docs/quorum.md, "Restart
-- guard"); what it has seen is compared, so a node that has changed since is not opened.
--
-- KEYS[1] seat (see _seat.lua)
-- ARGV[1] the seat as it was seen
--
-- returns 1 opened   0 the seat is another one now

--@include _clock.lua

if call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
local run, max_ttl, why = string.match(ARGV[1], '^(%x+) %d+ (%d+) (%l+)$')
if why ~= 'none' then return 0 end
call('SET', KEYS[1], run .. ' ' .. now() .. ' ' .. max_ttl .. ' none', 'EX', '2592000')
return 1
