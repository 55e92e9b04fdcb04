-- Vote for a reader or a writer, on one node of a quorum; or put it on the list of those who wait. Idempotent for the same owner.
--
-- KEYS[1] lock   KEYS[2] waiters (see _share_votes.lua)   KEYS[3] fence   KEYS[4] seat, as in quorum_acquire.lua
-- ARGV[1] to ARGV[6]: as in quorum_acquire.lua
-- ARGV[7] weight: 1 of a reader, the capacity of a writer   ARGV[8] capacity
-- ARGV[9] 'rw'; then ARGV[10] may be 'again': held already by the votes of others
-- ARGV[9] a reader's owner, ARGV[10] 'up': that reader wants to be the writer, and its share is not in the way
--
-- returns as quorum_acquire.lua, 'held' if one writer is in the way; or
--         'busy <remaining ms> <holder>'   readers are, the last of whom is named; or a writer who waits and came before
--         'refused lost'                   up: the reader has no share here
--         'refused deadlock'               up: another reader waits for the same, and neither would ever give way

--@include _clock.lua
--@include _seat.lua
--@include _grant.lua

local owner, ttl, entry, hint, weight = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[7]
local answer = not_seated(KEYS[4], ARGV[5], ARGV[6], ttl)
if answer then return answer end

local capacity, of_permits = ARGV[8] + 0, false
local stead = ARGV[10] == 'up' and ARGV[9]

--@include _share_set.lua
--@include _share_votes.lua

local sum = call('ZSCORE', KEYS[1], '#')
-- A sorted set that is not ours: GET tells it by the error for a wrong type.
if not sum and call('EXISTS', KEYS[1]) == 1 then return call('GET', KEYS[1]) end
sum = purge(sum)

-- The first in the list, but before `mine`, of those whom `is` says yes to; those who are silent are taken off.
local function first_before(mine, is)
  local list = first_waiters()
  for i = 1, #list, 2 do
    local each = list[i]
    if each == mine then return nil end
    if string.find(each, is) then
      if not is_gone(each, list[i + 1]) then return each end
      drop(each)
    end
  end
end

local had, ends = share_of(owner)
local others = sum - (had or 0)
if stead then
  local lent = share_of(stead)
  if not lent then
    if entry ~= '' then drop(entry) end
    return 'refused lost'
  end
  others = others - lent
  if first_before(entry, '^%d+%^') then
    if entry ~= '' then drop(entry) end
    return 'refused deadlock'
  end
end

local reads = weight == '1'
local fits = others == 0 or (reads and others < capacity)
-- Only readers are held back by those who wait, and never one that has its lock already.
local before = reads and fits and not had and ARGV[10] ~= 'again' and first_before(entry, '^%d%d+[*^]')
if fits and not before then
  put(weight .. ':' .. owner, weight, ttl, sum - (had or 0), ends)
  if had and had ~= weight then call('ZREM', KEYS[1], had .. ':' .. owner) end
  if entry ~= '' then drop(entry) end
  return granted(hint)
end

-- For a little longer than the last of them may be silent.
if entry ~= '' then
  call('ZADD', KEYS[2], 'NX', now(), entry)
  call('PEXPIRE', KEYS[2], '4000')
  call('HSET', seen, entry, now())
  call('PEXPIRE', seen, '4000')
end
if before then return 'busy 1000 ' .. string.match(before, '^%d+[*^]%d+:[^:]+:%d+:(.*)$') end

-- A writer, if there is one: all nodes name the same then. With it there may be the share that it stands for.
local last = call('ZRANGE', KEYS[1], '-4', '-1', 'WITHSCORES')
local left, holder
for i = #last - 1, 1, -2 do
  local kind, who = string.match(last[i], '^(%d+):(.*)$')
  if kind and who ~= owner and who ~= stead and (not holder or kind ~= '1') then
    left, holder = math.max(math.ceil((last[i + 1] - now()) / 1000), 0), who
    if kind ~= '1' then break end
  end
end
return (others >= capacity and 'held ' or 'busy ') .. (left or 0) .. ' ' .. (holder or '')
