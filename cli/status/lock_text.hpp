// A lock as people and programs read it: shared by the verbs that look at locks. Everything that comes from the server
// is made printable.
#pragma once

#include "json.hpp"

#include <holdfast/inspect.hpp>

#include <string>
#include <vector>

namespace holdfast::cli {

// For one line of a list: "worker-3, pid 812", "worker-3, pid 812 and 2 more: 3 of 4", "closed, 2 of 16 are missing".
[[nodiscard]] std::string holder_text(const lock_info& lock);

// All of it, several lines: the holder, what it answers, the waiters in order.
[[nodiscard]] std::string lock_text(const lock_info& lock, bool coloured);

[[nodiscard]] json_object lock_json(const lock_info& lock);

// Rows under a head, in columns as wide as their widest text.
[[nodiscard]] std::string table_text(const std::vector<std::vector<std::string>>& rows, bool coloured);

}  // namespace holdfast::cli
