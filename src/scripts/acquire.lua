-- Take the lock, or join the queue for it, or learn who has it. Sent again as the heartbeat of a waiter, and when an
-- answer was lost: every step is idempotent for the same owner.
--
-- KEYS  lock, waiters, seen, fence (see _grant.lua)
-- ARGV[1] owner   ARGV[2] ttl in ms   ARGV[3] entry to queue with, or '' to not queue   ARGV[4] '1' to draw a fence
--
-- returns {1, fence}                              granted
--         {2, ticket, rank, remaining ms, holder} queued; rank 0 is next; remaining -1: the holder's key has no expiry
--         {0, remaining ms, holder}               held, and not queued

--@include _grant.lua

local owner, ttl, entry = ARGV[1], ARGV[2], ARGV[3]

local function granted()
  local fence = 0
  if ARGV[4] == '1' then fence = draw_fence() end
  return {1, fence}
end

local holder = redis.call('GET', KEYS[1])

-- Mine already: an answer or a grant was lost on the way. The number drawn now is larger than the one never seen.
if holder == owner then
  redis.call('PEXPIRE', KEYS[1], ttl)
  if entry ~= '' then
    redis.call('ZREM', KEYS[2], entry)
    redis.call('HDEL', KEYS[3], entry)
  end
  return granted()
end

-- Free: whoever is first in the queue has it, not the one who happens to ask.
if not holder then
  if redis.call('EXISTS', KEYS[2]) == 0 or serve_queue(entry) ~= 'granted' then
    redis.call('SET', KEYS[1], owner, 'PX', ttl)
    return granted()
  end
  holder = redis.call('GET', KEYS[1])
end

local remaining = redis.call('PTTL', KEYS[1])
if entry == '' then return {0, remaining, holder} end

local ticket = tonumber(redis.call('ZSCORE', KEYS[2], entry))
if not ticket then
  local last = redis.call('ZREVRANGE', KEYS[2], 0, 0, 'WITHSCORES')
  ticket = math.max(tonumber(last[2] or 0) + 1, now())
  redis.call('ZADD', KEYS[2], exact(ticket), entry)
elseif now() - ticket > YOUNG then
  redis.call('HSET', KEYS[3], entry, exact(now()))
  redis.call('PEXPIRE', KEYS[3], 15000)
end
redis.call('PEXPIRE', KEYS[2], 15000)
return {2, ticket, redis.call('ZRANK', KEYS[2], entry), remaining, holder}
