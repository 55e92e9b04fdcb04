-- Taking a vote back, on one node of a quorum, and inviting the first waiter that is connected to ask for it. Also takes the caller off the
-- list of those who wait. Done whether the node may vote or not: giving back does no harm.
--
-- KEYS[1] lock   KEYS[2] waiters (see quorum_acquire.lua)
-- ARGV[1] owner   ARGV[2] entry to take off the list, or ''

local call = redis.call
--@include _inbox.lua
--@include _invite.lua

-- Returns whether the vote was the owner's.
local function return_vote()
  if ARGV[2] ~= '' then call('ZREM', KEYS[2], ARGV[2]) end
  local holder = redis.pcall('GET', KEYS[1])
  local mine = holder == ARGV[1]
  if mine then call('DEL', KEYS[1]) end

  -- Also where it is free already: the one who was invited may be the one who leaves.
  if mine or (not holder and ARGV[2] ~= '') then invite() end
  return mine
end
