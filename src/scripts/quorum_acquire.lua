-- Vote for an owner, on one node of a quorum; or put it on the list of those who wait. Idempotent for the same owner.
--
-- KEYS[1] lock     string   the owner; expiry = what is left of the vote
-- KEYS[2] waiters  zset     entry -> when it joined in µs: whom to invite when the lock is released (quorum_release.lua)
-- KEYS[3] fence    string   the last number drawn in this hash slot
-- KEYS[4] seat     string   see _seat.lua
-- ARGV[1] owner   ARGV[2] ttl in ms   ARGV[3] entry to be invited by, or ''   ARGV[4] hint for the fence, 0 for none; or '' to
-- draw no fence   ARGV[5] run id of this process   ARGV[6] max_ttl in ms
--
-- returns 'granted <number>'                 0 if none was asked for
--         'held <remaining ms> <holder>'     remaining -1: the holder's key never expires
--         'young <ms left> <seat>'           the node may not vote yet
--         'refused max_ttl <ms>'             the deployment's is another, or the ttl is longer

--@include _clock.lua
--@include _seat.lua
--@include _grant.lua

local owner, ttl, entry, hint = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local answer = not_seated(KEYS[4], ARGV[5], ARGV[6], ttl)
if answer then return answer end

local holder = call('GET', KEYS[1])
if holder and holder ~= owner then
  if entry ~= '' then
    call('ZADD', KEYS[2], 'NX', now(), entry)
    call('PEXPIRE', KEYS[2], '15000')
  end
  return 'held ' .. call('PTTL', KEYS[1]) .. ' ' .. holder
end

call('SET', KEYS[1], owner, 'PX', ttl)
if entry ~= '' then call('ZREM', KEYS[2], entry) end
return granted(hint)
