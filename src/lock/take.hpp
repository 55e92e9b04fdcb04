// Taking numbers and words off the front of a text that somebody sent: strict, and never past its end.
#pragma once

#include <charconv>
#include <cstddef>
#include <string_view>
#include <system_error>

namespace holdfast::lock {

// The whole text is the number.
template <class Number>
bool is_whole_number(std::string_view text, Number& out) {
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, out);
  return read.ec == std::errc{} && read.ptr == end;
}

// Takes a decimal number and the space behind it off the front of `text`.
template <class Number>
bool take_number(std::string_view& text, Number& out) {
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, out);
  if (read.ec != std::errc{} || read.ptr == end || *read.ptr != ' ') return false;
  text.remove_prefix(static_cast<std::size_t>(read.ptr + 1 - text.data()));
  return true;
}

inline bool take_word(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  return true;
}

inline bool take_bytes(std::string_view& text, std::size_t size, std::string_view& out) {
  if (size > text.size()) return false;
  out = text.substr(0, size);
  text.remove_prefix(size);
  return true;
}

}  // namespace holdfast::lock
