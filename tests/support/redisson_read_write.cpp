#include "support/redisson_read_write.hpp"

#include <algorithm>
#include <stdexcept>

namespace holdfast::test {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

namespace {

// Its steps, in our words. They know nothing of Holdfast. KEYS: lock, channel. ARGV: lease, owner, stem of the timeouts.
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

std::string owner_of(int thread) { return "6f1e8a52-3c0d-4b7e-9a41-0d5c2b8e7f13:" + std::to_string(thread); }

}  // namespace

redisson_half::redisson_half(const redis_server& server, std::string name, std::string owner, bool writes)
    : server_{server},
      redis_{server.connect()},
      name_{std::move(name)},
      stem_{"{" + name_ + "}"},
      channel_{"redisson_rwlock:{" + name_ + "}"},
      owner_{std::move(owner)},
      writes_{writes} {}

std::optional<milliseconds> redisson_half::acquire(milliseconds lease) {
  const auto got = redis_.command({"EVAL", writes_ ? write_acquire : read_acquire, "2", name_, channel_,
                                   std::to_string(lease.count()), owner_, stem_});
  if (got.is_error()) throw redis_error{got.text};
  if (got.is_nil()) return {};
  return milliseconds{got.number};
}

bool redisson_half::lock(milliseconds lease, milliseconds limit) {
  const auto end = steady_clock::now() + limit;
  if (!acquire(lease)) return true;
  redis_connection inbox = server_.connect();
  static_cast<void>(inbox.command({"SUBSCRIBE", channel_}));
  for (;;) {
    const auto held = acquire(lease);
    if (!held) return true;
    const auto left = std::chrono::duration_cast<milliseconds>(end - steady_clock::now());
    if (left <= milliseconds{0}) return false;
    const auto pause = held->count() < 0 ? left : std::min(left, *held);
    inbox.set_limit(std::max(pause, milliseconds{1}));
    try {
      // Java's decoder takes a number and nothing else.
      const std::string payload = inbox.receive().items.at(2).text;
      if (payload != "0" && payload != "1") throw std::runtime_error{"not a payload that Java understands"};
      ++woken_;
    } catch (const redis_error&) {
      inbox = server_.connect();  // hiredis gives a connection up after a time-out
      static_cast<void>(inbox.command({"SUBSCRIBE", channel_}));
    }
  }
}

std::optional<bool> redisson_half::unlock() {
  const auto got =
      redis_.command({"EVAL", writes_ ? write_release : read_release, "2", name_, channel_, "30000", owner_, stem_});
  if (got.is_error()) throw redis_error{got.text};
  if (got.is_nil()) return {};
  return got.number == 1;
}

bool redisson_half::renew(milliseconds lease) {
  return redis_.number({"EVAL", writes_ ? write_renew : read_renew, "2", name_, channel_, std::to_string(lease.count()),
                        owner_, stem_}) == 1;
}

redisson_read_write_lock::redisson_read_write_lock(const redis_server& server, const std::string& name, int thread)
    : read{server, name, owner_of(thread), false}, write{server, name, owner_of(thread), true} {}

}  // namespace holdfast::test
