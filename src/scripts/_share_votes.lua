-- Readers and writers on one node of a quorum: whose share is where, who waits, and who is to ask. After _clock.lua and
-- _share_set.lua.
--
-- KEYS[1] lock     zset   <weight>:<owner> -> when this share ends; '#' -> the sum: as in _shares.lua
-- KEYS[2] waiters  zset   entry -> when it joined in µs; entries as in _shares.lua
-- seen             hash   entry -> when it asked last in µs; beside KEYS[2], and not among KEYS
--
-- Unlike the plain lock's (_invite.lua), an entry stays when it is told to ask. It is the mark that holds back readers who came
-- later, and its time says who came later.

-- As in _silence.lua: three heartbeats, and then it is stopped, cut off or dead.
local SILENT = 3000000
local seen = string.sub(KEYS[2], 1, -8) .. 'seen'

local function drop(entry)
  call('ZREM', KEYS[2], entry)
  call('HDEL', seen, entry)
end

local function is_gone(entry, joined) return now() - (call('HGET', seen, entry) or joined) > SILENT end

-- The weight of the owner's share, and when it ends. It has one at most.
local function share_of(owner)
  for _, weight in ipairs({ '1', text(capacity) }) do
    local ends = call('ZSCORE', KEYS[1], weight .. ':' .. owner)
    if ends then return weight, ends end
  end
end

-- More than these are let in by those who come first, or hold nobody back that these do not.
local function first_waiters() return call('ZRANGE', KEYS[2], '0', '199', 'WITHSCORES') end

-- Tells those who may fit to ask: a writer if nobody holds, else the readers up to the first writer, else the reader that is
-- alone and wants to be the writer. Ticket 0 is nobody's and means: ask. Nothing is promised, so whoever does not hear costs nothing.
local function invite(sum)
  if sum >= capacity then return end
  local told, kept = false, false
  local list = first_waiters()
  for i = 1, #list, 2 do
    local entry = list[i]
    local weight, kind, inbox, waiter = string.match(entry, '^(%d+)([*^])%d+:([^:]+):(%d+):')
    local reads, fits = weight == '1', false
    if reads then
      fits = not kept
    elseif weight then
      fits = not told and sum <= (kind == '^' and 1 or 0)
    end
    if not weight or ((fits or not reads) and is_gone(entry, list[i + 1])) then
      drop(entry)
    elseif fits then
      local heard = post(inbox, waiter .. ' 0')
      if type(heard) == 'number' and heard == 0 then
        drop(entry)
      elseif reads then
        told = true
      else
        return
      end
    elseif not reads then
      if told then return end
      kept = true
    end
  end
end
