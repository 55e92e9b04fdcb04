-- Take all shares of a lock (shared_mutex, semaphore) from their holders, and tell each. Nobody is let in here: how many fit is
-- for a waiter to say, whose client knows the capacity. The first one that is there is told to look, and lets in the others.
--
-- KEYS  lock, waiters, seen, fence (see _shares.lua)
-- ARGV[1] a holder that is meant, or '' for any
--
-- returns as break_plain.lua does

--@include _silence.lua
--@include _broken.lua

local kind = call('TYPE', KEYS[1])['ok']
if kind ~= 'zset' or not call('ZSCORE', KEYS[1], '#') then return { kind } end
-- Not those that have ended: the scores of shares are times.
local shares = call('ZRANGEBYSCORE', KEYS[1], now(), '+inf')
local owners, meant = {}, ARGV[1] == ''
for i, share in ipairs(shares) do
  owners[i] = string.match(share, '^%d+:(.*)$')
  if not owners[i] then return { kind } end
  meant = meant or owners[i] == ARGV[1]
end
if #owners == 0 then return { 'none' } end
if not meant then return { 'changed', owners[1] } end

call('DEL', KEYS[1])
local heard = 0
for _, owner in ipairs(owners) do heard = heard + tell_broken(owner) end

-- Ticket 0 is nobody's: whoever gets it does not believe it, and asks.
for _, entry in ipairs(call('ZRANGE', KEYS[2], '0', '99')) do
  local inbox, waiter = string.match(entry, '^%d+[*^]%d+:(%x+):(%d+):')
  local came = inbox and redis.pcall('PUBLISH', 'holdfast:inbox:' .. inbox, waiter .. ' 0')
  if type(came) == 'number' and came > 0 then break end
end
return { 'broken', owners[1], '', heard, #owners }
