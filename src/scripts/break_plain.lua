-- Take a plain lock from its holder, whoever that is: to the first waiter that is alive, or to nobody; and tell the holder.
--
-- KEYS  lock, waiters, seen, fence (see _queue.lua), note
-- ARGV[1] the holder that is meant, or '' for any
--
-- returns { 'broken', owner, next owner or '', how many heard the message }
--         { 'changed', the holder }   { 'none' }   { type of the key }

--@include _queue.lua

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

-- To the holder's own inbox, if its text tells which that is.
local inbox = 'all'
if #holder >= 36 and string.find(holder, '^:%x+$', -33) then inbox = string.sub(holder, -32, -17) end
local heard = redis.pcall('PUBLISH', 'holdfast:inbox:' .. inbox, 'broken ' .. #KEYS[1] .. ' ' .. KEYS[1] .. holder)
return { 'broken', holder, next_owner, type(heard) == 'number' and inbox ~= 'all' and heard or 0 }
