-- May this node vote? A node that may have forgotten votes must not, before all that it may have forgotten have ended:
-- docs/quorum.md, "Restart guard". After _clock.lua.
--
-- The seat is a string, `<run id> <from µs> <max_ttl ms> <none|run>`: the process that wrote it, when it may vote, the longest
-- ttl of the deployment, and why it was written: there was none, or it was another process's. It expires 30 days after it
-- was written, and is written again once a day.

-- Returns nil if the node may vote, else the answer.
local function not_seated(seat, run, max_ttl, ttl)
  if ttl + 0 > max_ttl + 0 then return 'refused max_ttl ' .. max_ttl end
  local text = call('GET', seat)
  local whose, from, limit = string.match(text or '', '^(%x+) (%d+) (%d+) %l+$')
  if whose and limit ~= max_ttl then return 'refused max_ttl ' .. limit end
  if whose ~= run then
    from = string.format('%.0f', now() + max_ttl * 1000)
    text = run .. ' ' .. from .. ' ' .. max_ttl .. (whose and ' run' or ' none')
    call('SET', seat, text, 'EX', '2592000')
  end
  local left = from - now()
  if left > 0 then return 'young ' .. math.ceil(left / 1000) .. ' ' .. text end
  -- At maxmemory this is refused, and must not hinder a renewal.
  if left < -86400000000 then
    redis.pcall('SET', seat, run .. ' ' .. now() .. ' ' .. max_ttl .. ' run', 'EX', '2592000')
  end
  return nil
end
