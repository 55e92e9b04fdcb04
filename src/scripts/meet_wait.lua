-- Wait until a phase of a latch or a barrier has passed. Takes and answers what acquire.lua does, so that waiting for a
-- meeting is waiting for a lock: the same heartbeats, the same message. Nothing is held afterwards.
--
-- KEYS  lock, waiters, seen (see _meeting.lua), and the slot's fence, which is not used
-- ARGV[1] owner   ARGV[2] ttl in ms   ARGV[3] entry to queue with, or '' to not queue   ARGV[4], ARGV[5] not used
-- ARGV[6] latch or barrier   ARGV[7] expected   ARGV[8] made   ARGV[9] the phase
--
-- returns 'granted 0'                              the phase has passed
--         'queued <ticket> 1 -1 <left> of <members>'
--         'held -1 <left> of <members>'            and not queued
-- Rank 1 and no remaining time: there is no holder whose end a waiter could look for.

--@include _meeting.lua

local entry = ARGV[3]
local wrong = attend(ARGV[6], ARGV[7], ARGV[2], ARGV[8])
if wrong then return wrong end

if tonumber(field('phase')) > tonumber(ARGV[9]) then
  if entry ~= '' then call('ZREM', KEYS[2], entry) end
  return 'granted 0'
end

local missing = field('left') .. ' of ' .. field('members')
if entry == '' then return 'held -1 ' .. missing end
local ticket = call('ZSCORE', KEYS[2], entry)
if not ticket then
  ticket = now()
  call('ZADD', KEYS[2], ticket, entry)
end
call('PEXPIRE', KEYS[2], '15000')
return 'queued ' .. ticket .. ' 1 -1 ' .. missing
