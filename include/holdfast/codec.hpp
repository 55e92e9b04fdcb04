// How a value becomes the text that is kept in Redis, and back: what `cache` stores.
//
//   type                                 text
//   std::string                          as it is, any bytes
//   bool                                 true, false
//   whole numbers, floating point        shortest decimal form that reads back as the same number
//   std::chrono::sys_time<D>             ISO 8601 in UTC with microseconds: 2026-03-01T12:30:00.250000Z
//   std::chrono::duration<R, P>          the count as a number (of D's own unit: keep the type)
//
// For a type of your own specialise codec<T>, or give `cache` another class with the same two functions; structured
// values through JSON are in holdfast/cache_json.hpp. decode() throws for a text that it did not write; the cache then
// loads the value again.
//
// Thread safety: static functions without state. Times finer than a microsecond are cut to the microsecond.
#pragma once

#include <charconv>
#include <chrono>
#include <concepts>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>

namespace holdfast {

using timestamp_value = std::chrono::sys_time<std::chrono::microseconds>;

// 2026-03-01T12:30:00.250000Z; years 0000 to 9999, beyond them throws std::out_of_range.
[[nodiscard]] std::string to_iso8601(timestamp_value when);
// The same form; the fraction may have 0 to 6 digits. Throws std::invalid_argument for anything else.
[[nodiscard]] timestamp_value from_iso8601(std::string_view text);

template <class T>
struct codec;  // specialise it for your type

template <class Codec, class T>
concept codec_for = requires(const T& value, std::string_view text) {
  { Codec::encode(value) } -> std::convertible_to<std::string>;
  { Codec::decode(text) } -> std::convertible_to<T>;
};

template <>
struct codec<std::string> {
  static std::string encode(const std::string& value) { return value; }
  static std::string decode(std::string_view text) { return std::string{text}; }
};

template <>
struct codec<bool> {
  static std::string encode(bool value) { return value ? "true" : "false"; }
  static bool decode(std::string_view text) {
    if (text != "true" && text != "false") throw std::invalid_argument{"not a bool"};
    return text == "true";
  }
};

template <class T>
requires std::is_arithmetic_v<T>
struct codec<T> {
  static std::string encode(T value) {
    char text[64];
    const auto end = std::to_chars(text, text + sizeof text, value).ptr;
    return {text, end};
  }
  static T decode(std::string_view text) {
    T value{};
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
    if (read.ec != std::errc{} || read.ptr != text.data() + text.size()) throw std::invalid_argument{"not a number"};
    return value;
  }
};

template <class Duration>
struct codec<std::chrono::sys_time<Duration>> {
  static std::string encode(const std::chrono::sys_time<Duration>& value) {
    return to_iso8601(std::chrono::floor<std::chrono::microseconds>(value));
  }
  static std::chrono::sys_time<Duration> decode(std::string_view text) {
    return std::chrono::time_point_cast<Duration>(from_iso8601(text));
  }
};

template <class Rep, class Period>
struct codec<std::chrono::duration<Rep, Period>> {
  static std::string encode(const std::chrono::duration<Rep, Period>& value) {
    return codec<Rep>::encode(value.count());
  }
  static std::chrono::duration<Rep, Period> decode(std::string_view text) {
    return std::chrono::duration<Rep, Period>{codec<Rep>::decode(text)};
  }
};

}  // namespace holdfast
