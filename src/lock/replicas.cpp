#include "lock/replicas.hpp"

#include "lock/server_error.hpp"

#include <algorithm>
#include <string>

namespace holdfast::lock {

int replicas_needed(replica_count asked, int seen) noexcept {
  return asked == majority ? std::max(1, (seen + 1) / 2) : asked.value;
}

result<int> read_wait(const resp::value& reply) {
  if (reply.is_error()) return server_error(reply.text);
  if (reply.type != resp::kind::integer || reply.integer < 0 || reply.integer > most_replicas * 1000) {
    return failure{errc::protocol, "the answer to WAIT is not a count"};
  }
  return static_cast<int>(reply.integer);
}

result<int> read_replicas(const resp::value& reply) {
  if (reply.is_error()) return server_error(reply.text);
  if (!reply.is_list() || reply.items.size() < 3 || reply.items[0].text != "master" || !reply.items[2].is_list()) {
    return failure{errc::read_only, "the server that was asked for its replicas is not a primary"};
  }
  return static_cast<int>(reply.items[2].items.size());
}

failure not_replicated(int needed, int had, std::chrono::milliseconds limit) {
  return {errc::not_replicated, std::to_string(had) + " of " + std::to_string(needed) +
                                    " replicas had the lock within " + std::to_string(limit.count()) +
                                    " ms; it was given back. Look at INFO replication, or ask for fewer (replicas)"};
}

}  // namespace holdfast::lock
