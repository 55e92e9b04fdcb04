// Values in, bytes out: appends commands in RESP's only request form, an array of bulks.
//
//   append_command(out, "SET", key, owner, "NX", "PX", 30000);
//
// Everything is appended to the caller's string, so that several commands share one write. Lengths are counted, not
// searched for, so texts may hold any bytes.
//
// Thread safety: free functions on the caller's string.
#pragma once

#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

namespace holdfast::resp {
namespace detail {

// Appends `mark`, the number and CRLF.
inline void append_header(std::string& out, char mark, std::size_t n) {
  char text[24];
  text[0] = mark;
  char* end = std::to_chars(text + 1, text + 22, n).ptr;
  *end++ = '\r';
  *end++ = '\n';
  out.append(text, static_cast<std::size_t>(end - text));
}

}  // namespace detail

inline void append_array(std::string& out, std::size_t n) { detail::append_header(out, '*', n); }

inline void append_bulk(std::string& out, std::string_view text) {
  detail::append_header(out, '$', text.size());
  out.append(text);
  out.append("\r\n", 2);
}

inline void append_bulk(std::string& out, std::int64_t number) {
  char text[24];
  const char* end = std::to_chars(text, text + sizeof text, number).ptr;
  append_bulk(out, std::string_view(text, static_cast<std::size_t>(end - text)));
}

// What append_command() takes: texts and whole numbers. Not bool and not char, whose meaning on the wire a reader of
// the call could not tell.
template <class T>
concept argument = std::convertible_to<const T&, std::string_view> ||
    (std::integral<T> && !std::same_as<T, bool> && !std::same_as<T, char> && !std::same_as<T, wchar_t> &&
     !std::same_as<T, char8_t> && !std::same_as<T, char16_t> && !std::same_as<T, char32_t>);

namespace detail {

template <argument T>
void append_argument(std::string& out, const T& arg) {
  if constexpr (std::convertible_to<const T&, std::string_view>) {
    append_bulk(out, static_cast<std::string_view>(arg));
  } else if constexpr (std::is_unsigned_v<T>) {  // not through int64: the upper half would turn negative
    char text[24];
    const char* end = std::to_chars(text, text + sizeof text, arg).ptr;
    append_bulk(out, std::string_view(text, static_cast<std::size_t>(end - text)));
  } else {
    append_bulk(out, static_cast<std::int64_t>(arg));
  }
}

}  // namespace detail

// One whole command: its name and its arguments.
template <argument... Args>
requires(sizeof...(Args) > 0) void append_command(std::string& out, const Args&... args) {
  append_array(out, sizeof...(Args));
  (detail::append_argument(out, args), ...);
}

}  // namespace holdfast::resp
