-- Telling a client something, through the inbox that its entry in the queue names: the digits of its client, or the same with
-- the tag of the lock's slot in front, `{1183}…`. That is a sharded channel (Cluster, from Redis 7.0 on), which is heard on the
-- node that serves the slot: here. Returns how many heard it on this node, or an error.
local function post(inbox, message)
  return redis.pcall(string.byte(inbox) == 123 and 'SPUBLISH' or 'PUBLISH', 'holdfast:inbox:' .. inbox, message)
end
