// The locks of a multi_lock: put in the one order in which everybody takes them, and what multi_acquire answers.
#pragma once

#include <holdfast/result.hpp>

#include "resp/value.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace holdfast::lock {

inline constexpr std::size_t most_members = 64;

// Each once, by the bytes of their names; bad_option for none or too many.
result<std::vector<std::string>> order_members(std::vector<std::string> names);

struct multi_reply {
  std::vector<std::uint64_t> fences;  // of all members, if all were granted; else empty
  std::size_t which = 0;              // the first that was not free
  bool held = false;                  // by somebody; otherwise somebody is first in its queue
  std::chrono::milliseconds holds{-1};
  std::string holder;
};

result<multi_reply> read_multi(const resp::value& reply, std::size_t members);

}  // namespace holdfast::lock
