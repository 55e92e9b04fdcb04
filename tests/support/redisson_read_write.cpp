#include "support/redisson_read_write.hpp"

namespace holdfast::test {
namespace {

// Its steps, in our words. They know nothing of Holdfast.
constexpr auto read_acquire = R"(
local mode = redis.call('hget', KEYS[1], 'mode')
if mode and mode ~= 'read' and redis.call('hexists', KEYS[1], ARGV[2] .. ':write') == 0 then
  return redis.call('pttl', KEYS[1])
end
if not mode then redis.call('hset', KEYS[1], 'mode', 'read') end
local held = redis.call('hincrby', KEYS[1], ARGV[2], 1)
redis.call('set', ARGV[3] .. ':' .. ARGV[2] .. ':rwlock_timeout:' .. held, 1, 'px', ARGV[1])
redis.call('pexpire', KEYS[1], math.max(redis.call('pttl', KEYS[1]), ARGV[1]))
return nil)";

constexpr auto read_release = R"(
local mode = redis.call('hget', KEYS[1], 'mode')
if not mode then
  redis.call('publish', KEYS[2], '0')
  return 1
end
if redis.call('hexists', KEYS[1], ARGV[2]) == 0 then return nil end
local held = redis.call('hincrby', KEYS[1], ARGV[2], -1)
if held == 0 then redis.call('hdel', KEYS[1], ARGV[2]) end
redis.call('del', ARGV[3] .. ':' .. ARGV[2] .. ':rwlock_timeout:' .. (held + 1))
local longest = -3
for _, field in ipairs(redis.call('hkeys', KEYS[1])) do
  local count = tonumber(redis.call('hget', KEYS[1], field))
  for i = 1, count or 0 do
    longest = math.max(longest, redis.call('pttl', ARGV[3] .. ':' .. field .. ':rwlock_timeout:' .. i))
  end
end
if longest > 0 then
  redis.call('pexpire', KEYS[1], longest)
  return 0
end
if redis.call('hlen', KEYS[1]) > 1 and mode == 'write' then return 0 end
redis.call('del', KEYS[1])
redis.call('publish', KEYS[2], '0')
return 1)";

// For all readers, whoever asks.
constexpr auto read_renew = R"(
if redis.call('hexists', KEYS[1], ARGV[2]) == 0 then return 0 end
redis.call('pexpire', KEYS[1], ARGV[1])
for _, field in ipairs(redis.call('hkeys', KEYS[1])) do
  local count = tonumber(redis.call('hget', KEYS[1], field))
  for i = 1, count or 0 do
    redis.call('pexpire', ARGV[3] .. ':' .. field .. ':rwlock_timeout:' .. i, ARGV[1])
  end
end
return 1)";

constexpr auto write_acquire = R"(
local mode, field = redis.call('hget', KEYS[1], 'mode'), ARGV[2] .. ':write'
if not mode then
  redis.call('hset', KEYS[1], 'mode', 'write', field, 1)
  redis.call('pexpire', KEYS[1], ARGV[1])
  return nil
end
if mode == 'write' and redis.call('hexists', KEYS[1], field) == 1 then
  redis.call('hincrby', KEYS[1], field, 1)
  redis.call('pexpire', KEYS[1], redis.call('pttl', KEYS[1]) + ARGV[1])
  return nil
end
return redis.call('pttl', KEYS[1]))";

constexpr auto write_release = R"(
local mode, field = redis.call('hget', KEYS[1], 'mode'), ARGV[2] .. ':write'
if not mode then
  redis.call('publish', KEYS[2], '1')
  return 1
end
if mode ~= 'write' or redis.call('hexists', KEYS[1], field) == 0 then return nil end
if redis.call('hincrby', KEYS[1], field, -1) > 0 then
  redis.call('pexpire', KEYS[1], ARGV[1])
  return 0
end
redis.call('hdel', KEYS[1], field)
if redis.call('hlen', KEYS[1]) == 1 then
  redis.call('del', KEYS[1])
  redis.call('publish', KEYS[2], '1')
else
  redis.call('hset', KEYS[1], 'mode', 'read')
end
return 1)";

constexpr auto write_renew = R"(
if redis.call('hexists', KEYS[1], ARGV[2] .. ':write') == 0 then return 0 end
redis.call('pexpire', KEYS[1], ARGV[1])
return 1)";

constexpr auto channel = "redisson_rwlock:";
constexpr redisson_steps reading{read_acquire, read_release, read_renew, channel, "01"};
constexpr redisson_steps writing{write_acquire, write_release, write_renew, channel, "01"};

}  // namespace

redisson_read_write_lock::redisson_read_write_lock(const redis_server& server, const std::string& name, int thread)
    : read{server, name, thread, reading}, write{server, name, thread, writing} {}

}  // namespace holdfast::test
