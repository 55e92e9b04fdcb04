-- Has a phase of a latch or a barrier passed, as one node of a quorum knows it? Otherwise be told by it when it has.
--
-- KEYS[1] lock   KEYS[2] waiters (see quorum_meet_read.lua)   KEYS[3] seat
-- ARGV[1] run id of this process   ARGV[2] max_ttl in ms   ARGV[3] entry to be told by, or ''   ARGV[4] ttl in ms
-- ARGV[5] latch or barrier   ARGV[6] expected   ARGV[7] made   ARGV[8] the phase
--
-- returns 'passed <version>'
--         'waiting <version> <left> of <members>'
--         'absent'    nothing is there, or what was there before this meeting
--         'other'     a later meeting of the same name
--         'young <ms left> <seat>'   'refused max_ttl <ms>'   as quorum_acquire.lua

--@include _clock.lua
--@include _seat.lua

local answer = not_seated(KEYS[3], ARGV[1], ARGV[2], '0')
if answer then return answer end
local function field(name) return call('HGET', KEYS[1], name) end

local entry, kind = ARGV[3], ARGV[5]
local version = field('version')
if not version then
  if call('EXISTS', KEYS[1]) == 1 then return redis.error_reply('WRONGTYPE not a ' .. kind) end
  return 'absent'
end
local made, is, agreed = field('made'), field('kind'), field('expected')
if made ~= ARGV[7] then return made + 0 > ARGV[7] + 0 and 'other' or 'absent' end
if is ~= kind then return redis.error_reply('WRONGTYPE a ' .. tostring(is) .. ', not a ' .. kind) end
if agreed ~= ARGV[6] then
  return redis.error_reply('HFCOUNT the ' .. kind .. ' was made for ' .. agreed .. ', and this call says ' .. ARGV[6])
end
if kind == 'latch' or field('members') ~= '0' then call('PEXPIRE', KEYS[1], ARGV[4]) end

if tonumber(field('phase')) > tonumber(ARGV[8]) then
  if entry ~= '' then call('ZREM', KEYS[2], entry) end
  return 'passed ' .. version
end
if entry ~= '' then
  call('ZADD', KEYS[2], 'NX', now(), entry)
  call('PEXPIRE', KEYS[2], '15000')
end
return 'waiting ' .. version .. ' ' .. field('left') .. ' of ' .. field('members')
