// What a leader writes down, and what elector_look answers; without I/O.
#pragma once

#include <holdfast/elector.hpp>

#include "resp/value.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace holdfast::lock {

inline constexpr std::size_t longest_leader_id = 1024;

// '<term> <owner size> <owner><id>'
std::string write_leader(const leader& who);
// Without the remaining time, which is the lock's. Nothing: it is not a record.
std::optional<leader> read_leader(std::string_view record);

struct leader_look {
  std::optional<leader> who;
  bool settled = true;  // false: somebody holds the lock and has not announced itself; look again soon
};
result<leader_look> read_leader_look(const resp::value& reply);

}  // namespace holdfast::lock
