// Why a lease ended before its holder released it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace holdfast {

enum class loss_cause : unsigned char {
  expired,   // the deadline passed without a renewal: no answer came in time, or this process did not run
  gone,      // the server no longer has the key: it was deleted, flushed, evicted, or forgotten in a restart
  taken,     // the server has the key under another owner
  broken,    // an operator forced the release
  max_hold,  // options::max_hold passed
  closed,    // the client was destroyed
  failover,  // another server took over, and does not have the lock under this owner
};

[[nodiscard]] std::string_view to_string(loss_cause cause) noexcept;

struct loss {
  loss_cause cause{};
  std::string name;
  std::uint64_t fence = 0;
};

}  // namespace holdfast
