-- Give a share back, and let in whoever fits then. Also leaves the queue, as release.lua does.
--
-- KEYS  lock, waiters, seen, fence (see _shares.lua)
-- ARGV[1] owner   ARGV[2] entry to take off the queue, or ''
-- ARGV[3] weight  ARGV[4] capacity
-- ARGV[5] 'rw', 'permits'; 'up': the writer becomes a reader again (a downgrade, or an upgrade that is undone)
--
-- returns 0 not mine   1 released, or a reader now; nobody was let in   2 the same, and somebody was

--@include _silence.lua
--@include _fence.lua

local owner, weight, mode = ARGV[1], ARGV[3], ARGV[5]

-- A key of another type is not mine either; pcall turns WRONGTYPE into a table.
local sum = redis.pcall('ZSCORE', KEYS[1], '#')
if type(sum) == 'table' then
  if ARGV[2] ~= '' then call('ZREM', KEYS[2], ARGV[2]) end
  return 0
end

-- The only share: nobody else can have come in since it was taken, ended or not. With nobody in the queue that is all.
local alone = mode ~= 'up' and sum == weight and call('ZSCORE', KEYS[1], weight .. ':' .. owner)
if alone then
  call('DEL', KEYS[1])
  if call('EXISTS', KEYS[2]) == 0 then return 1 end
  sum = false
end

-- A semaphore's may have been changed since the caller was made.
local capacity = ARGV[4] + 0
local of_permits = mode == 'permits'
if of_permits then
  local changed = call('GET', string.sub(KEYS[2], 1, -8) .. 'capacity')
  if changed then capacity = changed + 0 end
end

--@include _shares.lua

if ARGV[2] ~= '' then drop(ARGV[2]) end
local mine = alone and true or false
sum = purge(sum)
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
elseif sum > 0 then
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
local _, given = serve_shares('', sum)
if not mine then return 0 end
return given > 0 and 2 or 1
