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

local function granted(number)
  if ARGV[4] ~= '1' then return {1, 0} end
  return {1, tonumber(number or draw_past_queue())}
end

local holder = call('GET', KEYS[1])

-- Mine already: an answer or a grant was lost on the way. Whatever number it carried was never seen.
if holder == owner then
  call('PEXPIRE', KEYS[1], ttl)
  if entry ~= '' then
    call('ZREM', KEYS[2], entry)
    call('HDEL', KEYS[3], entry)
  end
  return granted()
end

-- Free: whoever is first in the queue has it, not the one who happens to ask.
if not holder then
  if call('EXISTS', KEYS[2]) == 0 then
    call('SET', KEYS[1], owner, 'PX', ttl)
    return {1, ARGV[4] == '1' and tonumber(draw()) or 0}
  end
  local queue, ticket = serve_queue(entry)
  if queue ~= 'granted' then
    call('SET', KEYS[1], owner, 'PX', ttl)
    return granted(ticket)
  end
  holder = call('GET', KEYS[1])
end

local remaining = call('PTTL', KEYS[1])
if entry == '' then return {0, remaining, holder} end

-- The queue lives for 15 s after the last heartbeat of anybody in it. Whoever joins adds nothing to that, unless first.
local ticket = call('ZSCORE', KEYS[2], entry)
local rank
if not ticket then
  ticket = draw()
  call('ZADD', KEYS[2], ticket, entry)
  rank = call('ZRANK', KEYS[2], entry)
  if rank == 0 then call('PEXPIRE', KEYS[2], '15000') end
else
  -- Before HSET: at maxmemory a script may add only once it has written something else, and a waiter keeps its place.
  call('PEXPIRE', KEYS[2], '15000')
  if now() - ticket > YOUNG then
    call('HSET', KEYS[3], entry, now())
    call('PEXPIRE', KEYS[3], '15000')
  end
  rank = call('ZRANK', KEYS[2], entry)
end
return {2, tonumber(ticket), rank, remaining, holder}
