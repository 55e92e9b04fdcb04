// The walk of list() over the keys of one node after the other: SCAN, and a look at what it finds; both in one round trip.
//
// On the caller's stack. Guarded by the client's mutex.
#pragma once

#include "client/batch.hpp"
#include "client/core.hpp"

#include <holdfast/inspect.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace holdfast::detail {

// Asks for a snapshot of the lock at `key` (inspect.lua); returns the place of its answer. `want`: see there.
std::size_t add_look(batch& to, std::string_view key, std::size_t most_waiters, std::string_view want, bool as_text);

class lock_walk {
 public:
  // `only`: this node alone, instead of all that have keys of their own.
  lock_walk(core& owner, std::string_view pattern, const list_options& how, net::connection* only = nullptr);

  // Nothing, or why it could not be walked to its end.
  std::optional<failure> run(guard_type& guard);
  lock_list& found() noexcept { return found_; }

 private:
  std::optional<failure> step(guard_type& guard);
  std::optional<failure> take_keys(const resp::value& reply);

  core& owner_;
  const list_options& how_;
  net::connection* const only_;
  const std::string match_;
  const std::string_view want_;
  std::vector<net::connection*> nodes_;  // still to be walked over; the first is being
  std::string cursor_ = "0";
  bool ended_ = false;
  bool knows_script_ = false;
  std::vector<std::string> keys_;  // found by SCAN, to be looked at
  std::unordered_set<std::string> known_;
  lock_list found_;
};

}  // namespace holdfast::detail
