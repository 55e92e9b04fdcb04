-- Permits on one node of a quorum: numbered slots, each of which has one owner at a time (docs/quorum_family.md, "semaphore").
-- Shared by quorum_permits_acquire, quorum_permits_release and quorum_permits_capacity. After _clock.lua.
--
-- KEYS[1] lock      hash    <owner> -> '<end µs> <since µs> <capacity> <slot,slot,…>', by the node's clock. The capacity at that time
--                           is told to whoever looks (inspect.lua), and never decided by
-- KEYS[2] waiters   zset    see quorum_acquire.lua; entry = <weight>*<claim ms>:<inbox>:<waiter>:<owner>
-- capacity          string  {key}:capacity, only once set_capacity was called; not among KEYS, but in their slot
--
-- The key lives as long as its longest vote, and goes with the last. Votes that have ended are taken off before anything is decided.

local function text(number) return string.format('%.0f', number) end

-- Nil if it has ended; an error if it is not a vote: GET tells a hash that is not ours by the error for a wrong type.
local function read_vote(value)
  if not value then return nil end
  local ends, since, slots = string.match(value, '^(%d+) (%d+) %d+ ([%d,]+)$')
  if not ends then call('GET', KEYS[1]) end
  return ends > now() and { ends = ends, since = since, slots = slots } or nil
end

-- What set_capacity said, or `told` by the caller.
local function capacity_or(told)
  local key = string.sub(KEYS[2], 1, -8) .. 'capacity'
  local changed = call('GET', key)
  if not changed then return told + 0 end
  call('PEXPIRE', key, '604800000')
  return changed + 0
end

-- The votes of all but `me`: which slots they have, and how many; the vote that ends first and the one that came last, with owners.
local function survey(me)
  local out = { taken = {}, count = 0 }
  local fields, ended = call('HGETALL', KEYS[1]), {}
  for i = 1, #fields, 2 do
    local owner = fields[i]
    if owner ~= me then
      local vote = read_vote(fields[i + 1])
      if vote then
        for slot in string.gmatch(vote.slots, '%d+') do
          out.taken[slot + 0] = true
          out.count = out.count + 1
        end
        vote.owner = owner
        if not out.first or vote.ends < out.first.ends then out.first = vote end
        if not out.last or vote.since > out.last.since then out.last = vote end
      else
        ended[#ended + 1] = owner
      end
    end
  end
  for _, owner in ipairs(ended) do call('HDEL', KEYS[1], owner) end
  return out
end

-- Tells those who wait that they may ask, in their order, while what they want fits into `room`; whoever wants more is passed over, and
-- keeps its place. As in _invite.lua nothing is promised.
local function invite_fitting(room)
  for _, entry in ipairs(call('ZRANGE', KEYS[2], '0', '99')) do
    if room < 1 then return end
    local weight, inbox, waiter = string.match(entry, '^(%d+)%*%d+:([^:]+):(%d+):')
    if not weight or weight + 0 <= room then
      call('ZREM', KEYS[2], entry)
      local heard = inbox and post(inbox, waiter .. ' 0')
      if type(heard) == 'number' and heard > 0 then room = room - weight end
    end
  end
end
