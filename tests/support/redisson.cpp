#include "support/redisson.hpp"

namespace holdfast::test {
namespace {

// The three steps, in our words. They know nothing of Holdfast.
constexpr auto acquire_step = R"(
if redis.call('exists', KEYS[1]) == 1 and redis.call('hexists', KEYS[1], ARGV[2]) == 0 then
  return redis.call('pttl', KEYS[1])
end
redis.call('hincrby', KEYS[1], ARGV[2], 1)
redis.call('pexpire', KEYS[1], ARGV[1])
return nil)";

constexpr auto release_step = R"(
if redis.call('hexists', KEYS[1], ARGV[2]) == 0 then return nil end
if redis.call('hincrby', KEYS[1], ARGV[2], -1) > 0 then
  redis.call('pexpire', KEYS[1], ARGV[1])
  return 0
end
redis.call('del', KEYS[1])
redis.call('publish', KEYS[2], '0')
return 1)";

constexpr auto renew_step = R"(
if redis.call('hexists', KEYS[1], ARGV[2]) == 0 then return 0 end
redis.call('pexpire', KEYS[1], ARGV[1])
return 1)";

constexpr redisson_steps steps{acquire_step, release_step, renew_step, "redisson_lock__channel:", "0"};

}  // namespace

redisson_lock::redisson_lock(const redis_server& server, std::string name, int thread)
    : redisson_locking{server, std::move(name), thread, steps} {}

long long redisson_lock::hold_count() {
  const auto count = redis().text({"HGET", name(), owner()});
  return count.empty() ? 0 : std::stoll(count);
}

bool redisson_lock::is_locked() { return redis().number({"EXISTS", name()}) == 1; }

}  // namespace holdfast::test
