// What differs from kind to kind in how a lock is shown: its state in a few words, its holders, and what lies in Redis.
#pragma once

#include <holdfast/inspect.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace holdfast::cli {

// "web-1, pid 812", or the owner's text where it does not tell.
[[nodiscard]] std::string place_text(const std::string& host, const std::optional<std::int64_t>& pid,
                                     const std::string& owner);

// "held", "held by 2 readers", "3 of 4 permits are taken", "led by web-1", "2 of 16 are missing", "free", …
[[nodiscard]] std::string state_text(const lock_info& lock);

// A row for each holder, where there can be several: place, share, what remains, owner. Empty for other kinds.
[[nodiscard]] std::vector<std::vector<std::string>> holder_rows(const lock_info& lock);

// "mutex", "multi_lock with b, c".
[[nodiscard]] std::string kind_text(const lock_info& lock);
[[nodiscard]] std::string_view layout_text(lock_layout layout);

// "2 permits", "to write"; nothing where all want the same.
[[nodiscard]] std::string share_text(const lock_info& lock, std::uint64_t weight);

// Whether whoever comes now has to wait: what the exit code of status tells.
[[nodiscard]] bool is_closed(const lock_info& lock);

}  // namespace holdfast::cli
