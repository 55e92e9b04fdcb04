-- How every acquire ends that has to wait: it joins the queue, or beats in it. KEYS as in _queue.lua.
--
-- ARGV[5] is '1' if the entry was never sent before. `ticket_of` draws a ticket; `in_the_way` is '<remaining ms> <holder>'.
-- Included where it is needed and not at the head, so that those who do not wait do not pay for it.
--
-- The queue lives for 15 s after the last heartbeat of anybody in it. Whoever joins adds nothing to that, unless first.
-- Nobody has a higher ticket than the one just drawn, so the rank is known without asking for it.
local function join(entry, ticket_of, in_the_way)
  local ticket, rank = ARGV[5] ~= '1' and call('ZSCORE', KEYS[2], entry), nil
  if not ticket then
    ticket = ticket_of()
    call('ZADD', KEYS[2], ticket, entry)
    rank = call('ZCARD', KEYS[2]) - 1
    if rank == 0 then call('PEXPIRE', KEYS[2], '15000') end
  else
    -- Before HSET: at maxmemory a script may add only once it has written something else, and a waiter keeps its place.
    call('PEXPIRE', KEYS[2], '15000')
    if now() - ticket > YOUNG then
      call('HSET', KEYS[3], entry, now())
      call('PEXPIRE', KEYS[3], '15000')
    end
    rank = call('ZRANK', KEYS[2], entry)
  end
  return 'queued ' .. ticket .. ' ' .. rank .. ' ' .. in_the_way
end
