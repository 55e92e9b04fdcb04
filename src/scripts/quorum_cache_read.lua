-- What a node of a quorum keeps of a cache.
--
-- KEYS  lock, waiters, value, fence, seat (see _keep.lua)
-- ARGV[1] run id of this process   ARGV[2] max_ttl in ms
--
-- returns the text without the run id and the rest of its expiry in ms; nothing, if there is none that this process has written.
-- What no cache has written is returned as it is.

local text = redis.call('GET', KEYS[3])
if not text then return false end
local size = #ARGV[1]
if string.sub(text, 1, size + 1) == ARGV[1] .. ' ' then
  text = string.sub(text, size + 2)
elseif string.find(text, '^%x+ %d+ %d+ %d+ %l ') then
  return false
end
return { text, redis.call('PTTL', KEYS[3]) }
