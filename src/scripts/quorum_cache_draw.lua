-- Draw a number on one node of a quorum, for whoever is going to put or erase a cache's value: above that of every loader
-- whose vote or note was here.
--
-- KEYS  lock, waiters, value, fence, seat (see _keep.lua)
-- ARGV[1] run id of this process   ARGV[2] max_ttl in ms   ARGV[3] hint, 0 for none
--
-- returns 'drawn <number>'   'young …'   'refused …'   as quorum_acquire.lua

--@include _clock.lua
--@include _seat.lua
--@include _vote_number.lua

return not_seated(KEYS[5], ARGV[1], ARGV[2], '0') or 'drawn ' .. vote_number(KEYS[4], ARGV[3])
