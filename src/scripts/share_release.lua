-- Give a share back, and let in whoever fits then. Also leaves the queue, as release.lua does.
--
-- KEYS  lock, waiters, seen, fence (see _shares.lua)
-- ARGV[1] owner   ARGV[2] entry to take off the queue, or ''
-- ARGV[3] weight  ARGV[4] capacity
-- ARGV[5] 'rw', 'permits'; 'up': the writer becomes a reader again (a downgrade, or an upgrade that is undone)
--
-- returns 0 not mine   1 released, or a reader now; nobody was let in   2 the same, and somebody was

--@include _silence.lua

local owner, weight, mode = ARGV[1], ARGV[3], ARGV[5]

if ARGV[2] ~= '' then
  call('ZREM', KEYS[2], ARGV[2])
  call('HDEL', KEYS[3], ARGV[2])
end

-- A key of another type is not mine either; pcall turns WRONGTYPE into a table.
local sum = redis.pcall('ZSCORE', KEYS[1], '#')
if type(sum) == 'table' then return 0 end

-- The only share: nobody else can have come in since it was taken, ended or not. With nobody in the queue that is all.
local alone = mode ~= 'up' and sum == weight and call('ZREM', KEYS[1], weight .. ':' .. owner) == 1
local head
if alone then
  head = call('ZPOPMIN', KEYS[2])
  if not head[1] then
    call('DEL', KEYS[1])
    return 1
  end
  sum = 0
end

-- A semaphore's may have been changed since the caller was made.
local limit = ARGV[4]
local of_permits = mode == 'permits'
if of_permits then limit = call('GET', string.sub(KEYS[2], 1, -8) .. 'capacity') or limit end
local capacity = limit + 0

-- From the only one to the next, who has not waited for long: the most frequent hand-over, written out as serve_shares would do it
-- and before its functions are made, which takes as long as two or three commands.
local given = 0
if alone and now() - head[2] <= YOUNG then
  local takes, claim, inbox, waiter, taker = string.match(head[1], '^(%d+)%*(%d+):([^:]+):(%d+):(.*)$')
  if takes and takes + 0 <= capacity then
    local ends = string.format('%.0f', now() + claim * 1000)
    if of_permits then
      call('ZADD', KEYS[1], takes, '#', ends, takes .. ':' .. taker, limit, '/')
    else
      call('ZADD', KEYS[1], takes, '#', ends, takes .. ':' .. taker)
    end
    call('PEXPIRE', KEYS[1], string.format('%.0f', claim + 1))
    local heard = post(inbox, waiter .. ' ' .. head[2])
    if type(heard) == 'number' and heard > 0 then
      if takes + 0 == capacity then return 2 end
      sum, given = takes + 0, 1
    else
      call('ZREM', KEYS[1], takes .. ':' .. taker)
    end
    head = nil
  end
end

--@include _shares.lua

local mine = alone
if not alone then sum = purge(sum) end
if mode == 'up' then
  local reader = '1:' .. owner
  local ends = call('ZSCORE', KEYS[1], weight .. ':' .. owner)
  if ends then
    call('ZADD', KEYS[1], ends, reader)
    call('ZREM', KEYS[1], weight .. ':' .. owner)
    sum = set_sum(sum - weight + 1)
    mine = true
  else
    mine = call('ZSCORE', KEYS[1], reader) ~= false
  end
elseif not alone and sum > 0 then
  if call('ZREM', KEYS[1], weight .. ':' .. owner) == 1 then
    mine = true
  elseif mode == 'rw' then
    -- It was upgraded or downgraded since.
    weight = weight == '1' and ARGV[4] or '1'
    mine = call('ZREM', KEYS[1], weight .. ':' .. owner) == 1
  end
  if mine then sum = set_sum(sum - weight) end
end

-- Also when only an entry left the queue: those behind it may fit.
local left, more = serve_shares('', sum, head)
if alone and left == 0 then call('DEL', KEYS[1]) end
if not mine then return 0 end
return given + more > 0 and 2 or 1
