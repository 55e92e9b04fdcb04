-- Redisson's read-write lock, as it lies in Redis, and our queue for it. Comes after _silence.lua and _turns.lua, in scripts that
-- have `channel` (Redisson's, of this lock) and `stem` (what the names of its timeouts begin with).
--
-- KEYS[1] lock      hash    mode -> read | write, <uuid>:<thread> -> how often this reader is inside, <uuid>:<thread>:write ->
--                           how often the writer is. Ours are inside once, each under a uuid of its own
-- timeouts          string  <stem>:<uuid>:<thread>:rwlock_timeout:<n>, one for each time that a reader is inside; its expiry is the
--                           end of that hold. Not among KEYS, but in their slot
-- KEYS[2] waiters, KEYS[3] seen, KEYS[4] fence: as in _queue.lua, entry = <weight>*<claim ms>:<inbox>:<waiter>:<owner>;
--                           weight 1 reads, another writes (as in _shares.lua)
--
-- No other field may be in the hash: Redisson takes what is beside `mode` for holders. It does not look at timeouts before
-- somebody leaves, and its writers wait for the hash; so the hash has to end with the longest of them.

local function timeout_of(owner, n) return stem .. ':' .. owner .. ':rwlock_timeout:' .. (n or '1') end

-- Version 8: the uuids that we make (owner_text.hpp).
local function is_ours(owner) return string.find(owner, '^%x+%-%x+%-8%x%x%x%-b%x%x%x%-%x+:%d+$') ~= nil end

-- The hash shall not end before `ms`. Nil, or the refusal.
local function keep(ms)
  if call('PTTL', KEYS[1]) >= ms + 0 then return nil end
  local kept = redis.pcall('PEXPIRE', KEYS[1], ms)
  return kept ~= 1 and kept or nil
end

local function take_off(owner, writes)
  call('HDEL', KEYS[1], writes and owner .. ':write' or owner)
  if not writes then call('DEL', timeout_of(owner)) end
  -- Only `mode` would be left.
  if #call('HGETALL', KEYS[1]) <= 2 then call('DEL', KEYS[1]) end
end

-- Writes a holder of ours. The count is set and not incremented, so doing it again changes nothing. Nil, or the refusal: a
-- lock must not stay without expiry where a user may HSET and not PEXPIRE.
local function put(owner, writes, ms)
  if writes then
    call('HSET', KEYS[1], 'mode', 'write', owner .. ':write', '1')
  else
    call('SET', timeout_of(owner), '1', 'PX', ms)
    call('HSET', KEYS[1], 'mode', 'read', owner, '1')
  end
  local refusal = keep(ms)
  if refusal then take_off(owner, writes) end
  return refusal
end

-- How long (ms) the readers will be inside if none leaves, and one of them: Java's if there is one, because that one hands
-- nothing over. Nil if the time of all of them is over; then the lock is gone. Ours that have ended are taken off. Java's
-- are not: their threads may yet leave, as they would without us.
local function find_readers()
  local longest, holder = 0, nil
  local fields = call('HGETALL', KEYS[1])
  for i = 1, #fields, 2 do
    local owner, count = fields[i], string.match(fields[i + 1], '^%d+$')
    if count then
      local left = 0
      for n = 1, math.min(count, 1000) do left = math.max(left, call('PTTL', timeout_of(owner, n))) end
      if left > 0 then
        longest = math.max(longest, left)
        if not holder or not is_ours(owner) then holder = owner end
      elseif is_ours(owner) then
        call('HDEL', KEYS[1], owner)
      end
    end
  end
  if longest == 0 then
    call('DEL', KEYS[1])
    return nil
  end
  local ms = string.format('%.0f', longest)
  if call('PTTL', KEYS[1]) ~= longest then call('PEXPIRE', KEYS[1], ms) end
  return ms, holder
end

-- In its own place in the queue: silent for so long that it is stopped, cut off or dead.
local function is_gone(entry, ticket)
  return now() - ticket > SILENT and now() - (call('HGET', KEYS[3], entry) or ticket) > SILENT
end

local function drop(entry)
  call('ZREM', KEYS[2], entry)
  call('HDEL', KEYS[3], entry)
end

-- Lets in those at the head of the queue, while they fit: one writer where nobody is inside, or all readers up to the next
-- writer. `mode` says who is inside: nil, 'read' or 'write'. Returns it as it is then, the first that was let in, and the
-- ticket of the entry `me` if it came to that one, which is off the queue then and has not been given anything.
local function serve(me, mode)
  local first
  for _ = 1, 1000 do
    if mode == 'write' then break end
    local head = call('ZRANGE', KEYS[2], '0', '0', 'WITHSCORES')
    local entry, ticket = head[1], head[2]
    if not entry then break end
    local weight, claim, inbox, waiter, owner = string.match(entry, '^(%d+)%*(%d+):(%x+):(%d+):(.*)$')
    local writes = weight ~= '1'
    local gone = not weight or (entry ~= me and is_gone(entry, ticket))
    if writes and mode and not gone then break end
    drop(entry)
    if entry == me then return mode, first, ticket end
    if not gone and not put(owner, writes, claim) then
      local heard = redis.pcall('PUBLISH', 'holdfast:inbox:' .. inbox, waiter .. ' ' .. ticket)
      if type(heard) == 'number' and heard > 0 then
        mode = writes and 'write' or 'read'
        first = first or owner
      else
        take_off(owner, writes)
        if mode then find_readers() end
      end
    end
  end
  return mode, first
end

-- The last one has left: on to our queue (2, and who was let in first), or to whoever comes (1). `message` is what Redisson
-- would publish: 0 wakes one waiter of each process, 1 all.
local function pass_on_to(message)
  local waited = call('EXISTS', KEYS[2]) == 1
  local open = waited and java_listens(channel) and count_run()
  if waited and not open then
    local mode, first = serve('', nil)
    if mode then
      -- Readers in Java may come along with ours.
      if mode == 'read' then redis.pcall('PUBLISH', channel, '1') end
      return 2, first
    end
  end
  if open then nudge_first() end
  local heard = redis.pcall('PUBLISH', channel, message)
  if not waited and type(heard) == 'number' and heard > 0 then count_run() end
  return 1
end
