-- Take a plain lock from its holder, whoever that is: to the first waiter that is alive, or to nobody; and tell the holder.
--
-- KEYS  lock, waiters, seen, fence (see _queue.lua), note
-- ARGV[1] the holder that is meant, or '' for any
--
-- returns { 'broken', owner, next owner or '', how many holders heard of it, how many there were }
--         { 'changed', the holder }   { 'none' }   { type of the key }

--@include _queue.lua
--@include _broken.lua

local kind = call('TYPE', KEYS[1])['ok']
if kind ~= 'string' or call('STRLEN', KEYS[1]) > 4096 then return { kind } end
local holder = call('GET', KEYS[1])
if ARGV[1] ~= '' and ARGV[1] ~= holder then return { 'changed', holder } end

call('DEL', KEYS[5])
local next_owner = ''
if serve_queue('') == 'granted' then
  next_owner = call('GET', KEYS[1])
else
  call('DEL', KEYS[1])
end

return { 'broken', holder, next_owner, tell_broken(holder), 1 }
