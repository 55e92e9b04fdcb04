-- Shared by acquire and release: the clock, and passing the lock to the head of the queue.
--
-- KEYS[1] lock     string   the owner; expiry = what is left of the lease
-- KEYS[2] waiters  zset     entry -> ticket: the queue
-- KEYS[3] seen     hash     entry -> µs of the last heartbeat, for waiters that have waited longer than a second
-- KEYS[4] fence    string   the last number drawn in this hash slot
--
-- entry = <claim ms>:<inbox, hex>:<number of the waiter in its client>:<owner>. All four keys have an expiry whenever
-- they exist.
--
-- Fencing numbers and tickets are one sequence: a waiter draws its number when it joins, and holds the lock under it later.
-- Numbers must increase from holder to holder, and tickets do, in the order of the queue; what is granted past the queue
-- while somebody waits is put below the first ticket. So the hand-over, for which the next owner waits, draws nothing.
--
-- Numbers are µs as text of 16 digits, which compare like numbers until the year 2286. Text, because Redis turns every
-- Lua number that is an argument of redis.call into text by printf("%.17g"), which costs as much as the command itself;
-- for the same reason constants below are quoted.

--@include _silence.lua

-- Writes the lock for its next owner. A flavour with another layout puts its own in this one's place.
local give = function(owner, claim) call('SET', KEYS[1], owner, 'PX', claim) end

-- Gives the lock to the first waiter that is alive. Returns 'granted'; or 'mine' and the ticket when it came to the entry
-- `me`, which is off the queue then and has not been granted anything; or 'empty' when nobody is left.
-- PUBLISH counts receivers: 0 means that the waiter's connection is closed, and the next one is asked. Without `seen`
-- nobody who is alive has waited for long, and a silent one costs a claim at most, so the clock need not be asked.
local function serve_queue(me)
  local look
  for _ = 1, 1000 do
    local head = call('ZPOPMIN', KEYS[2])
    local entry, ticket = head[1], head[2]
    if not entry then return 'empty' end
    if look == nil then look = call('EXISTS', KEYS[3]) == 1 end
    if entry == me then
      call('HDEL', KEYS[3], entry)
      return 'mine', ticket
    end
    if not (look and is_silent(entry, ticket)) then
      local claim, inbox, waiter, owner = string.match(entry, '^(%d+):(%x+):(%d+):(.*)$')
      give(owner, claim, ticket)
      local heard = redis.pcall('PUBLISH', 'holdfast:inbox:' .. inbox, waiter .. ' ' .. ticket)
      if type(heard) == 'number' and heard > 0 then return 'granted' end
    end
  end
  return 'empty'
end
