-- Which of Redisson's locks a hash is, judged by all of its fields; nil if by none. Returns the owners, the layout, how
-- often each owner is inside, and the fence where it is our own. Strict, because what is taken for a lock may be deleted by
-- `break`.
--
--   re-entrant, fair   one field   <uuid>:<thread> -> count
--   our own            two fields  <owner> -> 1,  holdfast -> fence        (_recursive.lua; a caller chooses any owner)
--   read-write         mode -> read|write,  <uuid>:<thread> -> count,  <uuid>:<thread>:write -> count
--                      (_read_write.lua). Owners are told without :write; a writer of Java's may read as well, and is told once

local function redisson_fields(key)
  if redis.call('HLEN', key) > 256 then return nil end
  local fields, owners, counts, mode = redis.call('HGETALL', key), {}, {}, nil
  local ours = #fields == 4 and string.match(redis.call('HGET', key, 'holdfast') or '', '^%d+$')
  for i = 1, #fields, 2 do
    local field, value = fields[i], fields[i + 1]
    if field == 'mode' and (value == 'read' or value == 'write') then
      mode = value
    elseif ours and field ~= 'holdfast' and value == '1' then
      owners[#owners + 1], counts[field] = field, 1
    elseif not (ours and field == 'holdfast') then
      local owner = string.match(field, '^(%x+%-%x+%-%x+%-%x+%-%x+:%d+)$')
        or string.match(field, '^(%x+%-%x+%-%x+%-%x+%-%x+:%d+):write$')
      if not owner or not string.match(value, '^%d+$') then return nil end
      if not counts[owner] then owners[#owners + 1] = owner end
      counts[owner] = (counts[owner] or 0) + value
    end
  end
  if #owners == 0 or (not mode and #owners > 1) then return nil end
  table.sort(owners)
  for i, owner in ipairs(owners) do counts[i] = string.format('%d', counts[owner]) end
  return owners, mode and 'redisson_' .. mode or 'redisson', counts, ours
end
