-- Keeping a cache's value on a node of a quorum, unless something newer is kept. Also raises the node's counter to its number, so
-- that all who draw later are above it. After _note.lua.
--
-- KEYS  lock, waiters, value, fence, seat
-- value: `<run id> <number> …`; what another process has written is forgotten (docs/quorum_family.md, "cache")
--
-- returns 'stored'   'newer <its number>'
local function keep(run, number, ttl, tail)
  note(KEYS[4], number)
  local whose, last = string.match(call('GET', KEYS[3]) or '', '^(%x+) (%d+) ')
  if whose == run and last + 0 > number + 0 then return 'newer ' .. last end
  call('SET', KEYS[3], run .. ' ' .. number .. tail, 'PX', ttl)
  return 'stored'
end
