-- Take Redisson's read-write lock from all who are inside: let in the first of our waiters, or wake those who wait in Java; and
-- tell the holders, if they are ours.
--
-- KEYS  lock, waiters, seen, fence (see _read_write.lua)
-- ARGV[1] a holder that is meant, or '' for any
-- ARGV[2] Redisson's channel of this lock   ARGV[3] what the names of its timeouts begin with
--
-- returns as break_plain.lua does

--@include _silence.lua

local channel, stem = ARGV[2], ARGV[3]

--@include _turns.lua
--@include _read_write.lua
--@include _redisson.lua
--@include _broken.lua

local kind = call('TYPE', KEYS[1])['ok']
if kind ~= 'hash' then return { kind } end
local owners, layout = redisson_fields(KEYS[1])
if not owners or layout == 'redisson' then return { kind } end
local meant = ARGV[1] == ''
for _, owner in ipairs(owners) do meant = meant or owner == ARGV[1] or owner .. ':write' == ARGV[1] end
if not meant then return { 'changed', owners[1] } end

for _, owner in ipairs(owners) do
  local count = string.match(call('HGET', KEYS[1], owner) or '', '^%d+$')
  for n = 1, math.min(count or 0, 1000) do call('DEL', timeout_of(owner, n)) end
end
call('DEL', KEYS[1])
local _, next_owner = pass_on_to(layout == 'redisson_write' and '1' or '0')

local heard = 0
for _, owner in ipairs(owners) do
  if is_ours(owner) then heard = heard + tell_broken(owner) end
end
return { 'broken', owners[1], next_owner or '', heard, #owners }
