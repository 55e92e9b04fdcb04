// Small text helpers of the settings readers: words quoted for error texts, and percent-encoding.
//
// Pure functions, safe from any thread. `quoted` must never be given a secret; that is the caller's duty.
#pragma once

#include <holdfast/settings.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace holdfast::topology {

// The word in single quotes, unprintable bytes as \xNN, cut after 64 bytes: fit for a terminal and a log.
[[nodiscard]] std::string quoted(std::string_view word);

// Without blanks (space, tab, carriage return) at both ends.
[[nodiscard]] std::string_view trimmed(std::string_view text) noexcept;

// Nothing for a broken escape (%, %4, %zz) and for %00, which no setting can carry to where it is used.
[[nodiscard]] std::optional<std::string> percent_decoded(std::string_view text);

// Everything but letters, digits and -._~ and the bytes of `keep` is escaped.
[[nodiscard]] std::string percent_encoded(std::string_view text, std::string_view keep = {});

// "cache-1:6379", "[::1]:6379".
[[nodiscard]] std::string display(const endpoint& where);

}  // namespace holdfast::topology
