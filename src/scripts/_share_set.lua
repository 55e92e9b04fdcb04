-- The set of shares at a lock's key: taking off those that have ended, adding one. The layout is in _shares.lua.
-- After `call` and now(), `capacity` and `of_permits` are there.

local function text(number) return string.format('%.0f', number) end

-- The key lives as long as its longest share.
local function trim_expiry()
  local last = call('ZRANGE', KEYS[1], '-1', '-1', 'WITHSCORES')[2]
  call('PEXPIRE', KEYS[1], text(math.floor((last - now()) / 1000) + 2))
end

local function set_sum(sum)
  if sum <= 0 then
    call('DEL', KEYS[1])
  else
    call('ZADD', KEYS[1], text(sum), '#')
    trim_expiry()
  end
  return sum
end

-- The share that ends first, and when; nil where it has to be asked for (again).
local first
local function find_first()
  first = first or call('ZRANGEBYSCORE', KEYS[1], '1000000000', '+inf', 'WITHSCORES', 'LIMIT', '0', '1')
  return first[1], first[2]
end

-- Takes off the shares that have ended; returns the sum of the others. `sum` is the score of '#'.
local function purge(sum)
  if not sum then return 0 end
  sum = sum + 0
  local _, soonest = find_first()
  if not soonest then return set_sum(0) end
  if soonest - now() > 0 then return sum end
  for _ = 1, 1000 do
    local ended = call('ZRANGEBYSCORE', KEYS[1], '1000000000', now(), 'LIMIT', '0', '500')
    if #ended == 0 then break end
    for _, member in ipairs(ended) do sum = sum - string.match(member, '^%d+') end
    call('ZREM', KEYS[1], unpack(ended))
  end
  first = nil
  return set_sum(sum)
end

-- Adds a share of `ms` to the `others`, the sum of their weights. Not to end before `least`, its end so far, if there is one:
-- whoever holds it relies on that.
local function put(member, weight, ms, others, least)
  local left, ends = -2, now() + ms * 1000
  if least or others > 0 then left = call('PTTL', KEYS[1]) end
  if least and least + 0 > ends then ends = least + 0 end
  if of_permits then
    call('ZADD', KEYS[1], text(others + weight), '#', text(ends), member, text(capacity), '/')
  else
    call('ZADD', KEYS[1], text(others + weight), '#', text(ends), member)
  end
  if left <= ms + 0 then call('PEXPIRE', KEYS[1], text(ms + 1)) end
  first = nil
end
