#include "support/redisson.hpp"

#include <algorithm>

namespace holdfast::test {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

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

}  // namespace

redisson_lock::redisson_lock(const redis_server& server, std::string name, int thread)
    : server_{server},
      redis_{server.connect()},
      name_{std::move(name)},
      channel_{"redisson_lock__channel:{" + name_ + "}"},
      owner_{"6f1e8a52-3c0d-4b7e-9a41-0d5c2b8e7f13:" + std::to_string(thread)} {}

std::optional<milliseconds> redisson_lock::acquire(milliseconds lease) {
  const auto got = redis_.command({"EVAL", acquire_step, "1", name_, std::to_string(lease.count()), owner_});
  if (got.is_error()) throw redis_error{got.text};
  if (got.is_nil()) return {};
  return milliseconds{got.number};
}

bool redisson_lock::lock(milliseconds lease, milliseconds limit) {
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
      if (inbox.receive().items.at(2).text != "0") throw std::runtime_error{"not a payload that Java understands"};
      ++woken_;
    } catch (const redis_error&) {
      inbox = server_.connect();  // hiredis gives a connection up after a time-out
      static_cast<void>(inbox.command({"SUBSCRIBE", channel_}));
    }
  }
}

std::optional<bool> redisson_lock::unlock() {
  const auto got = redis_.command({"EVAL", release_step, "2", name_, channel_, "30000", owner_});
  if (got.is_error()) throw redis_error{got.text};
  if (got.is_nil()) return {};
  return got.number == 1;
}

bool redisson_lock::renew(milliseconds lease) {
  return redis_.number({"EVAL", renew_step, "1", name_, std::to_string(lease.count()), owner_}) == 1;
}

long long redisson_lock::hold_count() {
  const auto count = redis_.text({"HGET", name_, owner_});
  return count.empty() ? 0 : std::stoll(count);
}

bool redisson_lock::is_locked() { return redis_.number({"EXISTS", name_}) == 1; }

}  // namespace holdfast::test
