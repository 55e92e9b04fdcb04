#include "run/once_mark.hpp"

#include "run/tick.hpp"

#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <system_error>

namespace holdfast::cli {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr milliseconds shortest_mark{100};  // the library's shortest ttl

// Of its own, whatever --owner says: an owner that two hosts share would let both run.
std::string unique_owner() {
  std::array<char, 65> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0 || host[0] == '\0') host = {'h', 'o', 's', 't'};
  std::array<unsigned char, 16> random{};
  if (::getrandom(random.data(), random.size(), 0) != static_cast<ssize_t>(random.size())) {
    throw std::system_error{errno, std::generic_category(), "getrandom"};
  }
  std::string made = std::string{host.data()} + ":" + std::to_string(::getpid()) + ":";
  for (const unsigned char each : random) {
    made += "0123456789abcdef"[each >> 4];
    made += "0123456789abcdef"[each & 15];
  }
  return made;
}

}  // namespace

once_mark::once_mark(client& redis, std::string_view lock_key)
    : redis_{redis}, key_{mark_key(lock_key)}, owner_{unique_owner()} {}

std::optional<std::string> once_mark::take(milliseconds period) {
  // Our own clock is good enough to begin with; the answer tells the server's, in its fence.
  const auto here = std::chrono::duration_cast<microseconds>(std::chrono::system_clock::now().time_since_epoch());
  const auto got = redis_.try_acquire(key_, owner_, std::max(until_next_tick(here, period), shortest_mark));
  if (!got && got.code() == errc::held) return got.failure().detail;
  const microseconds server{static_cast<microseconds::rep>(got.value().fence)};
  taken_ = true;
  redis_.extend(key_, owner_, std::max(until_next_tick(server, period), shortest_mark)).value();
  return std::nullopt;
}

void once_mark::give_back() noexcept {
  if (taken_) static_cast<void>(redis_.release(key_, owner_));
  taken_ = false;
}

}  // namespace holdfast::cli
