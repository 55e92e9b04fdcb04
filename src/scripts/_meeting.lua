-- Shared by meet_count and meet_wait: the meeting itself, which is a latch (one phase) or a barrier (one after the other).
--
-- KEYS[1] lock     hash   kind      latch or barrier
--                         made      µs when it was made: tells it from a later one of the same name
--                         expected  what its maker said, and everybody has to say
--                         members   what a phase takes: expected, less those who dropped out
--                         left      what the phase still takes
--                         drops     how many of this phase's arrivals take part no more
--                         phase     the number of the present one; a latch is open in phase 1
--                         @<id>     phase of an arrival that may yet be sent again
-- KEYS[2] waiters  zset   entry -> ticket; entry = <phase>;<claim ms>:<inbox, hex>:<number of the waiter>:<owner>
-- KEYS[3] seen     zset   id -> µs until which it is remembered, for every field @<id>
--
-- All have an expiry whenever they exist. For the texts of numbers and constants see _queue.lua.

--@include _clock.lua

local function field(name) return call('HGET', KEYS[1], name) end

local function text(number) return string.format('%.0f', number) end

-- Finds the meeting, or makes it if `made` is '' (the caller knows of none yet). Returns nil, or the error reply.
local function attend(kind, expected, ttl, made)
  local known = field('made')
  if not known then
    if call('EXISTS', KEYS[1]) == 1 then return redis.error_reply('WRONGTYPE not a ' .. kind) end
    if made ~= '' then return redis.error_reply('HFGONE the ' .. kind .. ' is not there any more') end
    call('HSET', KEYS[1], 'kind', kind, 'made', now(), 'expected', expected, 'members', expected, 'left', expected,
      'drops', '0', 'phase', expected == '0' and '1' or '0')
    call('PEXPIRE', KEYS[1], ttl)
    return nil
  end
  local is = field('kind')
  if is ~= kind then return redis.error_reply('WRONGTYPE a ' .. tostring(is) .. ', not a ' .. kind) end
  if made ~= '' and made ~= known then
    return redis.error_reply('HFGONE another ' .. kind .. ' of this name has been made since')
  end
  local agreed = field('expected')
  if agreed ~= expected then
    return redis.error_reply('HFCOUNT the ' .. kind .. ' was made for ' .. agreed .. ', and this call says ' .. expected)
  end
  -- A barrier that everybody has left goes soon, and late questions do not keep it.
  if kind == 'latch' or field('members') ~= '0' then
    call('PEXPIRE', KEYS[1], ttl)
    call('PEXPIRE', KEYS[3], ttl)
  end
  return nil
end
