-- Vote for an owner of some of a semaphore's slots, on one node of a quorum; or put it on the list of those who wait. Idempotent for
-- the same owner.
--
-- KEYS  lock, waiters, fence, seat (see _permits.lua, quorum_acquire.lua)
-- ARGV[1] owner   ARGV[2] ttl in ms   ARGV[3] entry to be invited by, or ''   ARGV[4] hint for the fence, 0 for none; or '' to
-- draw no fence   ARGV[5] run id of this process   ARGV[6] max_ttl in ms   ARGV[7] how many slots   ARGV[8] capacity
-- ARGV[9] which slots:
--         'from <slot>'   the first that are free, beginning there; all or none
--         'to 3,4'        these in place of those that the owner has here, of which the vote counted for nobody
--         '3,4'           these, which the owner has elsewhere
--         Of slots that are named those are given that are free, whatever the capacity: a smaller one takes nothing from who holds.
--
-- returns 'granted <number> <slot,slot,…>'              the number is 0 if none was asked for
--         'full <remaining ms> <last> <holder>'         of the vote that ends first; last: the end of the owner that came last
--         'refused too_many <n>'                        more than the capacity, which is n
--         'young <ms left> <seat>'   'refused max_ttl <ms>'   as quorum_acquire.lua

--@include _clock.lua
--@include _seat.lua
--@include _vote_number.lua
--@include _permits.lua

local owner, ttl, entry, wish = ARGV[1], ARGV[2], ARGV[3], ARGV[9]
local answer = not_seated(KEYS[4], ARGV[5], ARGV[6], ttl)
if answer then return answer end

local capacity = capacity_or(ARGV[8])
local others = survey(owner)
local own = read_vote(call('HGET', KEYS[1], owner))
local start = string.match(wish, '^from (%d+)$')
local moves = string.sub(wish, 1, 3) == 'to '
local ends = text(now() + ttl * 1000)
if own and (moves or own.ends > ends) then ends = own.ends end

local slots = {}
if start then
  local weight = ARGV[7] + 0
  if weight > capacity then
    if entry ~= '' then call('ZREM', KEYS[2], entry) end
    return 'refused too_many ' .. text(capacity)
  end
  if own then
    slots[1] = own.slots
  elseif others.count + weight <= capacity then
    -- What others have beyond a capacity that has shrunk counts as well, so there are as many below it.
    local slot = start % capacity
    while #slots < weight do
      if not others.taken[slot] then slots[#slots + 1] = text(slot) end
      slot = (slot + 1) % capacity
    end
  end
elseif own or not moves then
  for slot in string.gmatch(wish, '%d+') do
    if not others.taken[slot + 0] then slots[#slots + 1] = slot end
  end
end

if #slots == 0 then
  if own then call('HDEL', KEYS[1], owner) end
  if entry ~= '' then
    call('ZADD', KEYS[2], 'NX', now(), entry)
    call('PEXPIRE', KEYS[2], '15000')
  end
  if not others.first then return 'full 0 - ' end
  local left = math.max(math.ceil((others.first.ends - now()) / 1000), 0)
  return 'full ' .. left .. ' ' .. string.sub(others.last.owner, -16) .. ' ' .. others.first.owner
end

slots = table.concat(slots, ',')
local left = call('PTTL', KEYS[1])
local since = own and own.since or now()
call('HSET', KEYS[1], owner, ends .. ' ' .. since .. ' ' .. text(capacity) .. ' ' .. slots)
if left <= ttl + 0 then call('PEXPIRE', KEYS[1], text(ttl + 1)) end
if entry ~= '' then call('ZREM', KEYS[2], entry) end
return 'granted ' .. vote_number(KEYS[3], ARGV[4]) .. ' ' .. slots
