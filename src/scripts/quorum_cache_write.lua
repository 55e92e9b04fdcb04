-- Put a cache's value, or the mark of its erasure, on one node of a quorum, whoever is loading.
--
-- KEYS  lock, waiters, value, fence, seat (see _keep.lua)
-- ARGV[1] run id of this process   ARGV[2] max_ttl in ms   ARGV[3] number   ARGV[4] ttl in ms   ARGV[5] what to keep, without its number
--
-- returns 'stored'   'newer <number>'   'young …'   'refused …'   as quorum_acquire.lua

--@include _clock.lua
--@include _seat.lua
--@include _note.lua
--@include _keep.lua

return not_seated(KEYS[5], ARGV[1], ARGV[2], '0') or keep(ARGV[1], ARGV[3], ARGV[4], ARGV[5])
