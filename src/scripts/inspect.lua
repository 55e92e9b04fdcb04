-- What is known of one lock, in one moment. Writes nothing, so a replica answers too.
--
-- KEYS[1] lock   KEYS[2] waiters   KEYS[3] note
-- ARGV[1] how many waiters to tell, at most
-- ARGV[2] what is worth an answer: 'all'; 'locks', what is recognisably one; 'expiring', and strings with an expiry
--
-- returns nil, or { type, layout, now in µs, remaining ms, { owner, … }, waiting, { entry, ticket, … }, note or '' }
--         layout: none plain redisson redisson_read redisson_write shares other; the owners of shares have their weight in front

--@include _redisson.lua

local call, want = redis.call, ARGV[2]
local kind = call('TYPE', KEYS[1])['ok']
if want ~= 'all' and kind ~= 'string' and kind ~= 'hash' and kind ~= 'zset' then return false end

local layout, owners = kind == 'none' and 'none' or 'other', {}
if kind == 'hash' then
  local found, which = redisson_fields(KEYS[1])
  if found then owners, layout = found, which end
elseif kind == 'zset' and call('ZSCORE', KEYS[1], '#') then
  -- Those that have not ended, the first to end in front; at most 256 of them.
  local t = call('TIME')
  owners = call('ZRANGEBYSCORE', KEYS[1], t[1] .. string.sub('00000' .. t[2], -6), '+inf', 'LIMIT', '0', '256')
  layout = #owners > 0 and 'shares' or 'none'
elseif kind == 'string' and call('STRLEN', KEYS[1]) <= 4096 then
  owners, layout = { call('GET', KEYS[1]) }, 'plain'
end
if want ~= 'all' and layout == 'other' then return false end

local function number(answer) return type(answer) == 'number' and answer or 0 end
local function text(answer) return type(answer) == 'string' and answer or '' end

local remaining = call('PTTL', KEYS[1])
local waiting = number(redis.pcall('ZCARD', KEYS[2]))
local note = text(redis.pcall('GET', KEYS[3]))

if want ~= 'all' and layout == 'plain' then
  -- A note looks like an owner of ours, because it ends with one.
  if string.sub(KEYS[1], -5) == ':note' and string.match(owners[1], '^%d+ %d+ ') then return false end
  local ours = string.find(owners[1], '^:%x+$', -33) and #owners[1] >= 36
  if not (ours or waiting > 0 or note ~= '' or (want == 'expiring' and remaining >= 0)) then return false end
end

local t = call('TIME')
local waiters = {}
if waiting > 0 and ARGV[1] ~= '0' then
  waiters = call('ZRANGE', KEYS[2], '0', string.format('%.0f', ARGV[1] - 1), 'WITHSCORES')
end
return { kind, layout, t[1] .. string.sub('00000' .. t[2], -6), remaining, owners, waiting, waiters, note }
