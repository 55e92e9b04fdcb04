-- Shared by acquire and release: fencing numbers, and passing the lock to the head of the queue.
--
-- KEYS[1] lock     string   the owner; expiry = what is left of the lease
-- KEYS[2] waiters  zset     entry -> ticket (µs of server time at joining, strictly increasing): the queue
-- KEYS[3] seen     hash     entry -> µs of the last heartbeat, for waiters that have waited longer than a second
-- KEYS[4] fence    string   the last fencing number drawn in this hash slot
--
-- entry = <claim ms>:<fence 0|1>:<inbox, hex>:<owner>. All four keys have an expiry whenever they exist.

local clock
local function now()
  if not clock then
    local t = redis.call('TIME')
    clock = t[1] * 1000000 + t[2]
  end
  return clock
end

local function exact(number)
  return string.format('%.0f', number)
end

-- Larger than every earlier number while the counter lives, and larger than the server's clock in any case, so that the
-- numbers go on increasing when the counter was lost. The counter expires after a week without use in its slot; by then
-- the clock has long passed it.
local function draw_fence()
  local last = tonumber(redis.call('GET', KEYS[4]) or 0)
  local fence = math.max(last + 1, now())
  redis.call('SET', KEYS[4], exact(fence), 'EX', 604800)
  return fence
end

-- A waiter that has been silent for this long (three heartbeats) is passed over: it is stopped, cut off or dead.
local SILENT = 3000000
-- Heartbeats are written down only from this age on, so that short waits cost no write to `seen`.
local YOUNG = 1000000

-- Gives the lock to the first waiter that is alive. Returns 'granted'; or 'mine' when it came to the entry `me`, which is
-- off the queue then and has not been granted anything; or 'empty' when nobody is left.
-- PUBLISH counts receivers: 0 means that the waiter's connection is closed, and the next one is asked.
local function serve_queue(me)
  for _ = 1, 1000 do
    local head = redis.call('ZPOPMIN', KEYS[2])
    local entry, ticket = head[1], tonumber(head[2])
    if not entry then return 'empty' end
    local alive = true
    if now() - ticket > YOUNG then
      local seen = tonumber(redis.call('HGET', KEYS[3], entry) or ticket)
      redis.call('HDEL', KEYS[3], entry)
      alive = now() - seen <= SILENT
    end
    if entry == me then return 'mine' end
    if alive then
      local claim, fenced, inbox, owner = string.match(entry, '^(%d+):(%d):(%x+):(.*)$')
      local fence = fenced == '1' and draw_fence() or 0
      redis.call('SET', KEYS[1], owner, 'PX', claim)
      local message = exact(ticket) .. ' ' .. exact(fence) .. ' ' .. #KEYS[1] .. ' ' .. KEYS[1] .. owner
      local heard = redis.pcall('PUBLISH', 'holdfast:inbox:' .. inbox, message)
      if type(heard) == 'number' and heard > 0 then return 'granted' end
    end
  end
  return 'empty'
end
