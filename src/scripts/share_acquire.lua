-- Take a share, or join the queue for it, or learn who is in the way. As acquire.lua in everything that a caller sees.
--
-- KEYS  lock, waiters, seen, fence (see _shares.lua)
-- ARGV[1] owner   ARGV[2] ttl in ms   ARGV[3] entry to queue with, or ''   ARGV[4] '1' to draw a fence
-- ARGV[5] '1' if this entry was never sent before
-- ARGV[6] weight  ARGV[7] capacity
-- ARGV[8] 'rw' a reader or writer; 'up' a reader that wants to be the writer; 'permits' of a semaphore
--
-- returns as acquire.lua, the holder being the one whose share ends first; or
--         'refused lost'            up: the reader has no share (any more)
--         'refused deadlock'        up: another reader waits for the same, and neither would ever give way
--         'refused passed_over'     up: those who wait have been passed over too often
--         'refused too_many <n>'    more than the capacity, which is n

--@include _silence.lua
--@include _fence.lua

local owner, ttl, entry, weight, mode = ARGV[1], ARGV[2], ARGV[3], ARGV[6], ARGV[8]
local member = weight .. ':' .. owner

local function granted(number)
  if ARGV[4] ~= '1' then return 'granted 0' end
  return 'granted ' .. number
end

-- A semaphore's may have been changed since the caller was made.
local capacity, changed = ARGV[7] + 0, nil
local of_permits = mode == 'permits'
if of_permits then
  changed = call('GET', string.sub(KEYS[2], 1, -8) .. 'capacity')
  if changed then capacity = changed + 0 end
end

-- Nobody holds and nobody waits: the most frequent case.
local sum = call('ZSCORE', KEYS[1], '#')
if not sum and mode ~= 'up' and weight + 0 <= capacity and not changed and call('EXISTS', KEYS[1], KEYS[2]) == 0 then
  local ends = string.format('%.0f', now() + ttl * 1000)
  if of_permits then
    call('ZADD', KEYS[1], weight, '#', ends, member, ARGV[7], '/')
  else
    call('ZADD', KEYS[1], weight, '#', ends, member)
  end
  call('PEXPIRE', KEYS[1], string.format('%.0f', ttl + 1))
  return granted(ARGV[4] == '1' and draw())
end

--@include _share_ticket.lua
--@include _join.lua

local function in_the_way(holder, ends)
  return math.max(math.ceil((ends - now()) / 1000), 0) .. ' ' .. string.match(holder, '^%d+:(.*)$')
end

-- Nothing is free and no share has ended: it joins the queue, or beats in it. Before the functions of _shares.lua are made, because those
-- who wait keep the server from those who give back.
if sum and entry ~= '' and mode ~= 'up' and not changed and sum + 0 >= capacity and weight + 0 <= capacity then
  local first = call('ZRANGEBYSCORE', KEYS[1], '1000000000', '+inf', 'WITHSCORES', 'LIMIT', '0', '1')
  if first[2] and first[2] - now() > 0 and not call('ZSCORE', KEYS[1], member) then
    return join(entry, draw_ticket, in_the_way(first[1], first[2]))
  end
end

--@include _shares.lua

if changed then call('PEXPIRE', string.sub(KEYS[2], 1, -8) .. 'capacity', '604800000') end
if weight + 0 > capacity then
  -- A waiter from before the capacity shrank would stand in the way of the others.
  if entry ~= '' then drop(entry) end
  return 'refused too_many ' .. text(capacity)
end

-- A sorted set that is not ours: GET tells it by the error for a wrong type.
if not sum and call('EXISTS', KEYS[1]) == 1 then return call('GET', KEYS[1]) end
sum = purge(sum)

-- Mine already: an answer or a grant was lost on the way. Whatever number it carried was never seen, but may be the only one left.
local ends = sum > 0 and call('ZSCORE', KEYS[1], member)
if ends then
  put(member, weight, ttl, sum - weight, ends)
  if entry ~= '' then drop(entry) end
  local number = number_past_queue()
  return granted(number or text(call('ZRANGE', KEYS[2], '0', '0', 'WITHSCORES')[2] - 1))
end

local ticket
if mode == 'up' then
  local old = '1:' .. owner
  ends = call('ZSCORE', KEYS[1], old)
  if not ends then
    if entry ~= '' then drop(entry) end
    return 'refused lost'
  end
  -- Upgraders stand before everybody else, so another one is at the head or nowhere.
  local head = call('ZRANGE', KEYS[2], '0', '0', 'WITHSCORES')
  if head[1] and head[1] ~= entry and string.find(head[1], '^%d+%^') then
    if not is_gone(head[1], head[2]) then return 'refused deadlock' end
    drop(head[1])
  end
  ticket = entry ~= '' and call('ZSCORE', KEYS[2], entry)
  if sum == 1 then
    if ticket then drop(entry) end
    ticket = ticket or number_past_queue()
    if not ticket then return 'refused passed_over' end
    put(member, weight, ttl, 0, ends)
    call('ZREM', KEYS[1], old)
    return granted(ticket)
  end
  if entry == '' then return 'held ' .. in_the_way(find_first()) end
  if not ticket then
    if call('EXISTS', KEYS[2]) == 0 then ticket = draw_ticket() else ticket = number_past_queue() end
    if not ticket then return 'refused passed_over' end
    call('ZADD', KEYS[2], ticket, entry)
  end
  -- Its ticket may look old from the beginning.
  call('PEXPIRE', KEYS[2], '15000')
  call('HSET', KEYS[3], entry, now())
  call('PEXPIRE', KEYS[3], '15000')
  return 'queued ' .. ticket .. ' 0 ' .. in_the_way(find_first())
end

local queue = call('EXISTS', KEYS[2]) == 1
if queue and sum < capacity then
  local _, mine
  sum, _, mine = serve_shares(entry, sum)
  queue = call('EXISTS', KEYS[2]) == 1
  if mine then
    put(member, weight, ttl, sum)
    serve_shares('', sum + weight)
    return granted(mine)
  end
end
if not queue and sum + weight <= capacity then
  put(member, weight, ttl, sum)
  return granted(ARGV[4] == '1' and draw())
end
if entry == '' then return 'held ' .. in_the_way(find_first()) end

return join(entry, draw_ticket, in_the_way(find_first()))
