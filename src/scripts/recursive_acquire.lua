-- acquire.lua for the recursive mutex, in Redisson's layout: take the lock, or join the queue, or learn who has it. Only
-- the outermost lock() of an owner comes here. Idempotent for the same owner: the count is set to 1, never incremented.
--
-- KEYS  lock, waiters, seen, fence (see _queue.lua and _recursive.lua)
-- ARGV[1] owner   ARGV[2] ttl in ms   ARGV[3] entry to queue with, or '' to not queue   ARGV[4] '1' to draw a fence
-- ARGV[5] '1' if this entry was never sent before   ARGV[6] Redisson's channel, not used here
--
-- returns as acquire.lua does

--@include _queue.lua
--@include _fence.lua
--@include _recursive.lua

local owner, ttl, entry = ARGV[1], ARGV[2], ARGV[3]

local fenced = ARGV[4] == '1'

local function take(number)
  number = number or '0'
  return write(owner, number, ttl) or 'granted ' .. number
end

local fields, remaining = call('HGETALL', KEYS[1]), nil

-- Mine already: an answer or a grant was lost on the way. Whatever number it carried was never seen. PEXPIRE first: at
-- maxmemory a script may add only once it has written something else.
for i = 1, #fields, 2 do
  if fields[i] == owner then
    call('PEXPIRE', KEYS[1], ttl)
    if entry ~= '' then
      call('ZREM', KEYS[2], entry)
      call('HDEL', KEYS[3], entry)
    end
    if not fenced then return 'granted 0' end
    local number = draw_past_queue()
    call('HSET', KEYS[1], 'holdfast', number)
    return 'granted ' .. number
  end
end

local holder = holder_in(fields)
if #fields > 0 and not holder then return redis.error_reply('WRONGTYPE the hash is not a lock') end

-- Free: Java's, while it has its turn; else the first one's in the queue, not the one's who happens to ask.
if not holder then
  if call('EXISTS', KEYS[2], KEYS[3]) == 0 then return take(fenced and draw()) end
  remaining = turn_left()
  holder = remaining and 'nobody: it is the turn of those who wait in Redisson'
end
if not holder then
  local queue, ticket = serve_queue(entry)
  if queue ~= 'granted' then return take(fenced and (ticket or draw_past_queue())) end
  holder = holder_in(call('HGETALL', KEYS[1]))
end

remaining = remaining or call('PTTL', KEYS[1])
if entry == '' then return 'held ' .. remaining .. ' ' .. holder end

--@include _join.lua

return join(entry, draw, remaining .. ' ' .. holder)
