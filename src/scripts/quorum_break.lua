-- Take a vote from its holder, on one node of a quorum; invite the first waiter, and tell the holder.
--
-- KEYS[1] lock   KEYS[2] waiters (see quorum_acquire.lua)
-- ARGV[1] the holder that is meant
--
-- returns as break_plain.lua does; the next owner is not known

local call = redis.call
--@include _inbox.lua
--@include _invite.lua
--@include _broken.lua

local kind = call('TYPE', KEYS[1])['ok']
if kind ~= 'string' then return { kind } end
local holder = call('GET', KEYS[1])
if holder ~= ARGV[1] then return { 'changed', holder } end
call('DEL', KEYS[1])
invite()
return { 'broken', holder, '', tell_broken(holder), 1 }
