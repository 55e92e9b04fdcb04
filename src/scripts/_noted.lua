-- How noting a number ends. KEYS[2] the counter   ARGV[2] the number

local last = redis.call('GET', KEYS[2])
if not last or last + 0 < ARGV[2] + 0 then redis.call('SET', KEYS[2], ARGV[2], 'EX', '604800') end
return 'noted'
