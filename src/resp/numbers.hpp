// The number grammars of RESP, each as one strict function.
//
// Used by `reader` only. Strict means: the whole text is the number; no blanks, no leading zeros, no value that does
// not fit. A peer that bends these rules is not a Redis, and guessing what it meant could turn a fence or an expiry
// into another number.
//
// Thread safety: pure functions.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <system_error>

namespace holdfast::resp::numbers {

// Length of the run of digits that `text` begins with.
inline std::size_t digits(std::string_view text) noexcept {
  std::size_t n = 0;
  while (n < text.size() && text[n] >= '0' && text[n] <= '9') ++n;
  return n;
}

inline bool has_sign(std::string_view text) noexcept {
  return !text.empty() && (text.front() == '+' || text.front() == '-');
}

// [+-] and 0, or digits that do not begin with 0: the form of ':' and '('.
inline bool is_whole(std::string_view text) noexcept {
  if (has_sign(text)) text.remove_prefix(1);
  if (text.empty() || digits(text) != text.size()) return false;
  return text.size() == 1 || text.front() != '0';
}

inline std::optional<std::int64_t> to_integer(std::string_view text) noexcept {
  if (!is_whole(text)) return std::nullopt;
  if (text.front() == '+') text.remove_prefix(1);  // RESP allows it, from_chars does not
  std::int64_t number = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), number).ec != std::errc{}) return std::nullopt;
  return number;
}

// A declared length or count: -1, or a number without sign.
inline std::optional<std::int64_t> to_length(std::string_view text) noexcept {
  if (has_sign(text)) return text == "-1" ? std::optional<std::int64_t>(-1) : std::nullopt;
  return to_integer(text);
}

// [+-]digits[.digits][e[+-]digits], or inf, or nan (older servers print -nan as well).
inline std::optional<double> to_real(std::string_view text) noexcept {
  const bool negative = !text.empty() && text.front() == '-';
  if (has_sign(text)) text.remove_prefix(1);
  const auto with_sign = [negative](double magnitude) { return negative ? -magnitude : magnitude; };
  if (text == "inf") return with_sign(std::numeric_limits<double>::infinity());
  if (text == "nan") return std::numeric_limits<double>::quiet_NaN();

  std::string_view rest = text;
  const auto skip_digits = [&rest] {
    const std::size_t n = digits(rest);
    rest.remove_prefix(n);
    return n > 0;
  };
  if (!skip_digits()) return std::nullopt;
  if (!rest.empty() && rest.front() == '.') {
    rest.remove_prefix(1);
    if (!skip_digits()) return std::nullopt;
  }
  if (!rest.empty() && (rest.front() == 'e' || rest.front() == 'E')) {
    rest.remove_prefix(1);
    if (has_sign(rest)) rest.remove_prefix(1);
    if (!skip_digits()) return std::nullopt;
  }
  if (!rest.empty()) return std::nullopt;
  double number = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), number).ec != std::errc{}) return std::nullopt;
  return with_sign(number);
}

}  // namespace holdfast::resp::numbers
