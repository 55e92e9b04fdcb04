-- Keeping a vote on one node of a quorum: quorum_renew.lua says what the answers mean. PEXPIRE and never SET: a server at maxmemory
-- refuses SET.
--
-- KEYS[1] lock   KEYS[2] seat (see _seat.lua)
-- ARGV[1] owner   ARGV[2] ttl in ms   ARGV[3] run id of this process   ARGV[4] max_ttl in ms

--@include _clock.lua
--@include _seat.lua

local function keep_vote()
  local answer = not_seated(KEYS[2], ARGV[3], ARGV[4], ARGV[2])
  if answer then return answer end
  local holder = redis.pcall('GET', KEYS[1])
  if not holder then return 'gone' end
  if holder ~= ARGV[1] then return 'taken' end
  call('PEXPIRE', KEYS[1], ARGV[2])
  return 'kept'
end
