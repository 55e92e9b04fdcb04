#include "support/redisson_steps.hpp"

#include <algorithm>
#include <stdexcept>
#include <string_view>

namespace holdfast::test {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

redisson_locking::redisson_locking(const redis_server& server, std::string name, int thread,
                                   const redisson_steps& steps)
    : server_{server},
      redis_{server.connect()},
      steps_{steps},
      name_{std::move(name)},
      stem_{"{" + name_ + "}"},
      channel_{steps.channel + stem_},
      owner_{"6f1e8a52-3c0d-4b7e-9a41-0d5c2b8e7f13:" + std::to_string(thread)} {}

reply redisson_locking::run(const char* step, milliseconds lease) {
  auto got = redis_.command({"EVAL", step, "2", name_, channel_, std::to_string(lease.count()), owner_, stem_});
  if (got.is_error()) throw redis_error{got.text};
  return got;
}

std::optional<milliseconds> redisson_locking::acquire(milliseconds lease) {
  const auto got = run(steps_.acquire, lease);
  if (got.is_nil()) return {};
  return milliseconds{got.number};
}

bool redisson_locking::lock(milliseconds lease, milliseconds limit) {
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
      const std::string payload = inbox.receive().items.at(2).text;
      if (payload.size() != 1 || std::string_view{steps_.payloads}.find(payload) == std::string_view::npos)
        throw std::runtime_error{"not a payload that Java understands"};
      ++woken_;
    } catch (const redis_error&) {
      inbox = server_.connect();  // hiredis gives a connection up after a time-out
      static_cast<void>(inbox.command({"SUBSCRIBE", channel_}));
    }
  }
}

std::optional<bool> redisson_locking::unlock() {
  const auto got = run(steps_.release, milliseconds{30'000});
  if (got.is_nil()) return {};
  return got.number == 1;
}

bool redisson_locking::renew(milliseconds lease) { return run(steps_.renew, lease).number == 1; }

}  // namespace holdfast::test
