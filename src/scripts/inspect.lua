-- What is known of one lock, in one moment. Writes nothing, so a replica answers too.
--
-- KEYS[1] lock   KEYS[2] waiters   KEYS[3] note
-- ARGV[1] how many waiters to tell, at most
-- ARGV[2] what is worth an answer: 'all'; 'locks', what is recognisably one; 'expiring', and strings with an expiry
--
-- returns nil, or { type, layout, now in µs, remaining ms, { owner, … }, waiting, { entry, ticket, … }, note or '',
--                   { number, … }, { word, text, … } }
--         layout: none plain redisson redisson_read redisson_write shares meeting other; the owners of shares have their weight
--         in front
--         a number for each owner: of a share when it ends, of Redisson's the hold count; none for a plain lock
--         words: fence, of our own in Redisson's layout; capacity, of a semaphore; leader, the record of an elector;
--         value, if a cache keeps one; kind, expected, members, left, phase, of a meeting

--@include _redisson.lua

local call, want = redis.call, ARGV[2]
local kind = call('TYPE', KEYS[1])['ok']
if want ~= 'all' and kind ~= 'string' and kind ~= 'hash' and kind ~= 'zset' then return false end

local function number(answer) return type(answer) == 'number' and answer or 0 end
local function text(answer) return type(answer) == 'string' and answer or '' end

local t = call('TIME')
local now = t[1] .. string.sub('00000' .. t[2], -6)
local layout, owners, numbers, words = kind == 'none' and 'none' or 'other', {}, {}, {}
local function tell(word, what)
  if what and what ~= '' then
    words[#words + 1] = word
    words[#words + 1] = what
  end
end
-- Helpers that only some locks have, in the slot of KEYS but not among them: whoever has no right to them still sees the lock.
local function beside(suffix) return string.sub(KEYS[2], 1, -8) .. suffix end

-- Permits on a quorum's node (_permits.lua): the votes that have not ended, the first to end in front, and the capacity; nil if the hash is
-- something else. A large one is gone over only if it was asked for by name.
local function permits_in()
  if call('HLEN', KEYS[1]) > (want == 'all' and 10000 or 256) then return nil end
  local fields, votes, capacity = call('HGETALL', KEYS[1]), {}, nil
  for i = 1, #fields, 2 do
    local ends, of, slots = string.match(fields[i + 1], '^(%d+) %d+ (%d+) ([%d,]+)$')
    if not ends then return nil end
    capacity = of
    if ends > now then
      local _, commas = string.gsub(slots, ',', '')
      votes[#votes + 1] = { ends, string.format('%d:', commas + 1) .. fields[i] }
    end
  end
  table.sort(votes, function(a, b) return a[1] < b[1] end)
  return votes, capacity
end

if kind == 'hash' then
  local is, votes, capacity = call('HGET', KEYS[1], 'kind'), nil, nil
  if not is then
    votes, capacity = permits_in()
  end
  if (is == 'latch' or is == 'barrier') and string.match(call('HGET', KEYS[1], 'made') or '', '^%d+$') then
    layout = 'meeting'
    for _, field in ipairs({ 'kind', 'expected', 'members', 'left', 'phase' }) do
      tell(field, call('HGET', KEYS[1], field))
    end
  elseif votes then
    for i = 1, math.min(#votes, 256) do
      numbers[i], owners[i] = votes[i][1], votes[i][2]
    end
    layout = #owners > 0 and 'shares' or 'none'
    local changed = text(redis.pcall('GET', beside('capacity')))
    tell('capacity', changed ~= '' and changed or capacity)
  else
    local found, which, counts, fence = redisson_fields(KEYS[1])
    if found then
      owners, layout = found, which
      for i = 1, #owners do numbers[i] = counts[i] end
      tell('fence', fence)
    end
  end
elseif kind == 'zset' and call('ZSCORE', KEYS[1], '#') then
  -- Those that have not ended, the first to end in front; at most 256 of them.
  local shares = call('ZRANGEBYSCORE', KEYS[1], now, '+inf', 'WITHSCORES', 'LIMIT', '0', '256')
  for i = 1, #shares, 2 do
    owners[#owners + 1], numbers[#numbers + 1] = shares[i], shares[i + 1]
  end
  layout = #owners > 0 and 'shares' or 'none'
  local capacity = call('ZSCORE', KEYS[1], '/')
  if capacity then
    local changed = text(redis.pcall('GET', beside('capacity')))
    tell('capacity', changed ~= '' and changed or capacity)
  end
elseif kind == 'string' and call('STRLEN', KEYS[1]) <= 4096 then
  owners, layout = { call('GET', KEYS[1]) }, 'plain'
end
if want ~= 'all' and layout == 'other' then return false end

local remaining = call('PTTL', KEYS[1])
local waiting = number(redis.pcall('ZCARD', KEYS[2]))
local note = text(redis.pcall('GET', KEYS[3]))

if layout == 'plain' then
  local ours = string.find(owners[1], '^:%x+$', -33) and #owners[1] >= 36
  if want ~= 'all' then
    -- A note looks like an owner of ours, because it ends with one.
    if string.sub(KEYS[1], -5) == ':note' and string.match(owners[1], '^%d+ %d+ ') then return false end
    if not (ours or waiting > 0 or note ~= '' or (want == 'expiring' and remaining >= 0)) then return false end
  end
  if ours then
    tell('leader', text(redis.pcall('GET', beside('leader'))))
    if number(redis.pcall('EXISTS', beside('value'))) == 1 then tell('value', '1') end
  end
end

local waiters = {}
if waiting > 0 and ARGV[1] ~= '0' then
  waiters = call('ZRANGE', KEYS[2], '0', string.format('%.0f', ARGV[1] - 1), 'WITHSCORES')
end
return { kind, layout, now, remaining, owners, waiting, waiters, note, numbers, words }
