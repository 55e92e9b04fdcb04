-- Take the lock, or join the queue for it, or learn who has it. Sent again as the heartbeat of a waiter, and when an
-- answer was lost: every step is idempotent for the same owner.
--
-- KEYS  lock, waiters, seen, fence (see _queue.lua)
-- ARGV[1] owner   ARGV[2] ttl in ms   ARGV[3] entry to queue with, or '' to not queue   ARGV[4] '1' to draw a fence
-- ARGV[5] '1' if this entry was never sent before
--
-- returns 'granted <fence>'                                  0 if none was asked for
--         'queued <ticket> <rank> <remaining ms> <holder>'   rank 0 is next; remaining -1: the holder's key never expires
--         'held <remaining ms> <holder>'                     and not queued
-- Text and not an array: for an array Redis allocates 16 KiB of reply buffer, which costs more than the commands below.

--@include _queue.lua
--@include _fence.lua

local owner, ttl, entry = ARGV[1], ARGV[2], ARGV[3]

local function granted(number)
  if ARGV[4] ~= '1' then return 'granted 0' end
  return 'granted ' .. (number or draw_past_queue())
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
    return ARGV[4] == '1' and 'granted ' .. draw() or 'granted 0'
  end
  local queue, ticket = serve_queue(entry)
  if queue ~= 'granted' then
    call('SET', KEYS[1], owner, 'PX', ttl)
    return granted(ticket)
  end
  holder = call('GET', KEYS[1])
end

local remaining = call('PTTL', KEYS[1])
if entry == '' then return 'held ' .. remaining .. ' ' .. holder end

--@include _join.lua

return join(entry, draw, remaining .. ' ' .. holder)
