-- Shares: holders with a weight under one capacity. Shared by share_acquire, share_release and share_capacity, which have `capacity` and `of_permits`. shared_mutex: a reader weighs 1, a writer the whole capacity. semaphore: k of n.
--
-- KEYS[1] lock      zset    <weight>:<owner> -> when this share ends, µs of the server's clock
--                           '#' -> sum of the weights
--                           '/' -> the capacity, of a semaphore: told to whoever looks (inspect.lua), and never decided by
--                           '^<number>' -> 0: the last number granted past the queue while somebody waits; seldom there
-- KEYS[2] waiters, KEYS[3] seen, KEYS[4] fence: as in _queue.lua, entry = <weight>*<claim ms>:<inbox>:<waiter>:<owner>,
--                           or with ^ for * where a reader wants to become the writer
-- capacity          string  {key}:capacity, only once set_capacity was called; not among KEYS, but in their slot
--
-- '#', '/' and '^' score below 1e9 and no share does, so a range of scores tells them apart. The key lives as long as its longest
-- share, and goes with the last. Ended shares are taken off before anything is decided.

-- Comes after _silence.lua, so that a script can do what is most frequent before the functions below are made: making
-- them takes as long as a command or two.

--@include _share_set.lua

-- In its own place in the queue: silent for so long that it is stopped, cut off or dead.
local function is_gone(entry, ticket)
  return now() - ticket > SILENT and now() - (call('HGET', KEYS[3], entry) or ticket) > SILENT
end

-- Whoever is younger than that has not been written down as seen; an upgrader's ticket may be older than itself.
local function drop(entry, ticket, popped)
  if not popped then call('ZREM', KEYS[2], entry) end
  if not ticket or now() - ticket > YOUNG or string.find(entry, '^%d+%^') then call('HDEL', KEYS[3], entry) end
end

-- Lets in those at the head of the queue, one after the other, while they fit. Returns the sum of weights by then, how many were
-- let in, and the ticket of the entry `me` if it came to that one, which is off the queue then and has not been given anything.
-- Whoever cannot fit any more (the capacity shrank, the reader that wanted to be the writer has lost its share) leaves the queue, and
-- learns why when it asks next. `head`: what a caller has taken off the queue where nobody holds.
local function serve_shares(me, sum, head)
  local given = 0
  for _ = 1, 1000 do
    if sum >= capacity then break end
    -- Where nobody holds, the head goes in or goes away.
    local popped = sum == 0
    head = head or (popped and call('ZPOPMIN', KEYS[2]) or call('ZRANGE', KEYS[2], '0', '0', 'WITHSCORES'))
    local entry, ticket = head[1], head[2]
    head = nil
    if not entry then break end
    local weight, kind, claim, inbox, waiter, owner = string.match(entry, '^(%d+)([*^])(%d+):([^:]+):(%d+):(.*)$')
    local old = kind == '^' and '1:' .. owner
    local ends = old and call('ZSCORE', KEYS[1], old)
    local extra = old and weight - 1 or (weight or 0) + 0
    if not weight or weight + 0 > capacity or (old and not ends) then
      drop(entry, ticket, popped)
    elseif sum + extra > capacity then
      if entry == me or not is_gone(entry, ticket) then break end
      drop(entry, ticket, popped)
    elseif entry == me then
      drop(entry, ticket, popped)
      return sum, given, ticket
    elseif is_gone(entry, ticket) then
      drop(entry, ticket, popped)
    else
      drop(entry, ticket, popped)
      local member = weight .. ':' .. owner
      put(member, extra, claim, sum, ends)
      if old then call('ZREM', KEYS[1], old) end
      local heard = post(inbox, waiter .. ' ' .. ticket)
      if type(heard) == 'number' and heard > 0 then
        sum = sum + extra
        given = given + 1
      else
        call('ZREM', KEYS[1], member)
        first = nil
        if old then call('ZADD', KEYS[1], ends, old) end
        set_sum(sum)
      end
    end
  end
  return sum, given
end
