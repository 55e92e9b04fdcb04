-- Keep what was loaded, give back the loader's lock, and wake all who wait for the value: one step.
--
-- KEYS  lock, waiters, seen, fence (see _queue.lua), value
-- ARGV[1] owner   ARGV[2] ttl in ms, or '' when the value is there already   ARGV[3] the newest number that the loader knew
--         of when it began: its own fence, or the one of what was kept then   ARGV[4] what to keep; it begins with ARGV[3]
--
-- returns 'stored'   'newer' somebody has put or erased the key since: nothing was done   'lost' the lock is not mine

--@include _queue.lua
--@include _dismiss.lua

if redis.pcall('GET', KEYS[1]) ~= ARGV[1] then return 'lost' end
if ARGV[2] ~= '' then
  local kept = call('GET', KEYS[5])
  local number = kept and string.match(kept, '^%d+')
  if number and tonumber(number) > tonumber(ARGV[3]) then return 'newer' end
  call('SET', KEYS[5], ARGV[4], 'PX', ARGV[2])
end
dismiss_queue()
if serve_queue('') ~= 'granted' then call('DEL', KEYS[1]) end
return 'stored'
