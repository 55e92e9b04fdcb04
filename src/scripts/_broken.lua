-- Telling a holder that its lock was taken from it. After `call` is there.

-- To the holder's own inbox, if its text tells which that is: at its end, or, in Redisson's layout, spread over the uuid around
-- the two digits that tell it from Java's (owner_text.hpp). Else to all. Returns 1 if the holder's client heard it, else 0.
local function tell_broken(holder)
  local inbox = 'all'
  local a, b, c, d = string.match(holder, '^(%x+)%-(%x+)%-8(%x+)%-b(%x)%x+%-%x+:%d+$')
  if #holder >= 36 and string.find(holder, '^:%x+$', -33) then
    inbox = string.sub(holder, -32, -17)
  elseif a and #a == 8 and #b == 4 and #c == 3 then
    inbox = a .. b .. c .. d
  end
  local heard = redis.pcall('PUBLISH', 'holdfast:inbox:' .. inbox, 'broken ' .. #KEYS[1] .. ' ' .. KEYS[1] .. holder)
  return type(heard) == 'number' and inbox ~= 'all' and heard > 0 and 1 or 0
end
