// The mark that --once-per leaves on the server: a key beside the lock that lasts to the end of the tick (tick.hpp).
//
// Whoever sets it may run; all others find it and do not. It is never released after a run, not even by one that failed:
// at most once per tick. Where nothing was run (no lock in time, no such command), it is taken back, and another host may.
// Thread safety: none.
#pragma once

#include <holdfast/client.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace holdfast::cli {

class once_mark {
 public:
  once_mark(client& redis, std::string_view lock_key);

  // Nothing: it is ours. A text: who has run, and how long the tick still lasts. Throws holdfast::error.
  std::optional<std::string> take(std::chrono::milliseconds period);
  void give_back() noexcept;

 private:
  client& redis_;
  std::string key_;
  std::string owner_;
  bool taken_ = false;
};

}  // namespace holdfast::cli
