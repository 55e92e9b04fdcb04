-- acquire.lua for Redisson's read-write lock: come in as a reader or the writer, or join the queue, or learn who is inside.
-- Idempotent for the same owner.
--
-- KEYS  lock, waiters, seen, fence (see _read_write.lua)
-- ARGV[1] owner   ARGV[2] ttl in ms   ARGV[3] entry to queue with, or '' to not queue   ARGV[4] '1' to draw a fence
-- ARGV[5] '1' if this entry was never sent before
-- ARGV[6] 'read' or 'write'   ARGV[7] Redisson's channel of this lock   ARGV[8] what the names of its timeouts begin with
--
-- returns as acquire.lua does; of several readers, how long the longest will be there, and one of them

--@include _silence.lua
--@include _fence.lua

local owner, ttl, entry, fenced = ARGV[1], ARGV[2], ARGV[3], ARGV[4] == '1'
local writes, channel, stem = ARGV[6] == 'write', ARGV[7], ARGV[8]

--@include _turns.lua
--@include _read_write.lua

local function take(number)
  number = number or '0'
  return put(owner, writes, ttl) or 'granted ' .. number
end

local mode = call('HGET', KEYS[1], 'mode') or nil
if not mode then
  if call('EXISTS', KEYS[1], KEYS[2], KEYS[3]) == 0 then return take(fenced and draw()) end
  if call('EXISTS', KEYS[1]) == 1 then return redis.error_reply('WRONGTYPE the hash is not a read-write lock') end
elseif mode ~= 'read' and mode ~= 'write' then
  return redis.error_reply('WRONGTYPE the hash is not a read-write lock')
end

-- Mine already: an answer or a grant was lost on the way. Whatever number it carried was never seen. PEXPIRE first: at
-- maxmemory a script may add only once it has written something else.
if mode and call('HGET', KEYS[1], writes and owner .. ':write' or owner)
  and call('PEXPIRE', writes and KEYS[1] or timeout_of(owner), ttl) == 1 then
  keep(ttl)
  if entry ~= '' then drop(entry) end
  return 'granted ' .. (fenced and draw_past_queue() or '0')
end

-- Those behind the first in the queue need not know how long each reader has.
local queue = call('EXISTS', KEYS[2]) == 1
local rank = queue and entry ~= '' and ARGV[5] ~= '1' and call('ZRANK', KEYS[2], entry)
local follows = rank and rank > 0
local remaining, holder
if mode == 'read' and (writes or queue) and not follows then
  remaining, holder = find_readers()
  if not remaining then mode = nil end
elseif not mode then
  remaining = turn_left()
  holder = remaining and 'nobody: it is the turn of those who wait in Redisson'
end

if not (mode or remaining) or mode == 'read' then
  if queue then
    local first, ticket
    mode, first, ticket = serve(entry, mode)
    if ticket then
      local answer = take(fenced and ticket)
      if not writes then serve('', 'read') end
      return answer
    end
    if first then remaining = nil end
    queue = call('EXISTS', KEYS[2]) == 1
  end
  if not queue and not (mode and writes) and mode ~= 'write' then return take(fenced and draw()) end
end

if mode == 'write' then
  remaining, holder = call('PTTL', KEYS[1]), 'a writer'
  local fields = call('HGETALL', KEYS[1])
  for i = 1, #fields, 2 do holder = string.match(fields[i], '^(.*):write$') or holder end
elseif not remaining then
  remaining, holder = call('PTTL', KEYS[1]), 'readers'
  if not follows then
    local longest, reader = find_readers()
    if longest then remaining, holder = longest, reader end
  end
end
if entry == '' then return 'held ' .. remaining .. ' ' .. holder end

--@include _join.lua

return join(entry, draw, remaining .. ' ' .. holder)
