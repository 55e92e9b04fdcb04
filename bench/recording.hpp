// What the library says to the server, overheard with MONITOR, so that the floor says exactly the same: the scripts' hashes,
// keys and arguments cannot drift apart from ours, whatever becomes of them.
//
// A client of the library locks and unlocks each name once, then goes. Throws std::runtime_error. Not thread-safe.
#pragma once

#include "floor.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::bench {

// The quoted words of a line of MONITOR.
std::vector<std::string> words_of(std::string_view line);

std::vector<std::unique_ptr<floor_lock>> record(const std::string& url, const std::vector<std::string>& names);
inline std::unique_ptr<floor_lock> record(const std::string& url, const std::string& name) {
  return std::move(record(url, std::vector{name}).front());
}

}  // namespace holdfast::bench
