// One of the eight: a process with a client of its own that does what it is told, and reports.
//
// Runs in a forked child. Orders come through a pipe of its own; its end is the order to leave.
#pragma once

#include <cstdint>
#include <string>

namespace demo {

enum class task : std::int32_t { take_turns, hold };

struct order {
  task what{};
  std::int32_t turns = 1;
  std::int64_t hold_us = 0;  // take_turns: how long each
  std::int64_t ttl_ms = 2000;
};

// Returns the process's exit code.
int work(int number, const std::string& url, const std::string& lock, int orders, int reports);

}  // namespace demo
