-- release.lua for Redisson's read-write lock: a reader or the writer leaves, or a waiter gives up.
--
-- KEYS  lock, waiters, seen, fence (see _read_write.lua)
-- ARGV[1] owner   ARGV[2] entry to take off the queue, or ''
-- ARGV[3] 'read' or 'write', not used here: a writer may be a reader by now
-- ARGV[4] Redisson's channel of this lock   ARGV[5] what the names of its timeouts begin with
--
-- returns 0 not mine   1 released   2 handed over

--@include _silence.lua

local owner, channel, stem = ARGV[1], ARGV[4], ARGV[5]

--@include _turns.lua
--@include _read_write.lua

if ARGV[2] ~= '' then drop(ARGV[2]) end

-- A key of another type is not mine either. Other errors are told: whoever may not ask does not know.
local mode = redis.pcall('HGET', KEYS[1], 'mode')
if type(mode) == 'table' then
  if not string.find(mode.err, 'WRONGTYPE', 1, true) then return mode end
  return 0
end

if mode and call('HDEL', KEYS[1], owner .. ':write') == 1 then
  call('DEL', KEYS[1])
  return (pass_on_to('1'))
end
local mine = false
if mode and call('HDEL', KEYS[1], owner) == 1 then
  mine = call('DEL', timeout_of(owner)) == 1
  if not find_readers() then
    local answer = pass_on_to('0')
    return mine and answer or 0
  end
end

-- Whoever stood behind the entry that left may fit.
if ARGV[2] ~= '' and (mode or call('EXISTS', KEYS[1]) == 0) and (mode or not turn_left()) then serve('', mode or nil) end
return mine and 1 or 0
