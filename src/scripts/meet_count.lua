-- Arrive at a latch or a barrier, or only look. Whoever completes a phase tells its waiters. Sent again when an answer
-- was lost: an arrival is known by its id for a while and counts once.
--
-- KEYS  lock, waiters, seen (see _meeting.lua)
-- ARGV[1] latch or barrier   ARGV[2] expected   ARGV[3] ttl in ms   ARGV[4] made, or '' if not known
-- ARGV[5] id of the arrival, or '' to look   ARGV[6] how many arrive   ARGV[7] '1' if they drop out with it
-- ARGV[8] how long the id is remembered, in ms
--
-- returns '<made> <phase> <present phase> <left> <more>'
--         phase: in which it arrived; more: '1' if waiters are still to be told, which the next call does

--@include _meeting.lua
--@include _inbox.lua
--@include _meet_tell.lua

local kind, ttl, id, count, window = ARGV[1], ARGV[3], ARGV[5], tonumber(ARGV[6]), ARGV[8]

-- Bounded work: as each arrival forgets two at most, the ids stay few.
local function forget_old()
  local oldest = call('ZRANGE', KEYS[3], '0', '1', 'WITHSCORES')
  for i = 1, #oldest, 2 do
    if oldest[i + 1] < now() then
      call('ZREM', KEYS[3], oldest[i])
      call('HDEL', KEYS[1], '@' .. oldest[i])
    end
  end
end

local wrong = attend(kind, ARGV[2], ttl, ARGV[4])
if wrong then return wrong end
local phase, left = field('phase'), field('left')
local present = phase

if id ~= '' then
  local before = field('@' .. id)
  if before then
    phase = before
  else
    -- Everybody had left, and somebody begins anew.
    if kind == 'barrier' and field('members') == '0' then
      call('HSET', KEYS[1], 'members', ARGV[2])
      left = ARGV[2]
    end
    if count > tonumber(left) then
      return redis.error_reply('HFCOUNT ' .. ARGV[6] .. ' arrive at the ' .. kind .. ', which waits for ' .. left)
    end
    forget_old()
    call('HSET', KEYS[1], '@' .. id, phase)
    call('ZADD', KEYS[3], text(now() + window * 1000), id)
    call('PEXPIRE', KEYS[3], ttl)
    left = text(left - count)
    local drops = field('drops') + (ARGV[7] == '1' and count or 0)
    local members = field('members')
    if left == '0' then
      present = text(phase + 1)
      if kind == 'barrier' then
        members, drops = text(members - drops), 0
        left = members
      end
    end
    call('HSET', KEYS[1], 'left', left, 'members', members, 'drops', text(drops), 'phase', present)
    if kind == 'barrier' and members == '0' then
      call('PEXPIRE', KEYS[1], window)
      call('PEXPIRE', KEYS[3], window)
    else
      call('PEXPIRE', KEYS[1], ttl)
    end
  end
end
return field('made') .. ' ' .. phase .. ' ' .. present .. ' ' .. left .. ' ' .. tell(KEYS[2], present)
