-- Keep a share, on one node of a quorum. A reader that was the writer becomes the reader here, if its downgrade did not come this
-- far; a writer's renewal that is behind its own downgrade keeps the reader. ZADD with XX and PEXPIRE add nothing.
--
-- KEYS[1] lock (see _share_votes.lua)   KEYS[2] seat (see _seat.lua)
-- ARGV[1] owner   ARGV[2] ttl in ms   ARGV[3] run id of this process   ARGV[4] max_ttl in ms   ARGV[5] weight   ARGV[6] capacity
--
-- returns as quorum_renew.lua; 'taken', which is not a sorted set at all

--@include _clock.lua
--@include _seat.lua

local owner, ttl, weight = ARGV[1], ARGV[2], ARGV[5]
local answer = not_seated(KEYS[2], ARGV[3], ARGV[4], ttl)
if answer then return answer end

local member = weight .. ':' .. owner
local ends = redis.pcall('ZSCORE', KEYS[1], member)
if type(ends) == 'table' then return 'taken' end
local was
if not ends then
  was = (weight == '1' and ARGV[6] or '1') .. ':' .. owner
  ends = call('ZSCORE', KEYS[1], was)
end
if not ends or ends + 0 <= now() + 0 then return 'gone' end
if was and weight == '1' then
  local sum = call('ZSCORE', KEYS[1], '#') - ARGV[6] + 1
  call('ZADD', KEYS[1], string.format('%.0f', sum), '#', ends, member)
  call('ZREM', KEYS[1], was)
elseif was then
  member = was
end
local left = call('PTTL', KEYS[1])
call('ZADD', KEYS[1], 'XX', string.format('%.0f', now() + ttl * 1000), member)
if left <= ttl + 0 then call('PEXPIRE', KEYS[1], string.format('%.0f', ttl + 1)) end
return 'kept'
