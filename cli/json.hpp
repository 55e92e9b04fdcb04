// Writes JSON: objects and arrays of what the verbs print with --json. Text that is not UTF-8 (names may be any bytes)
// has its odd bytes replaced by U+FFFD, so that the output can always be parsed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

namespace holdfast::cli {

[[nodiscard]] std::string json_text(std::string_view text);  // with its quotes

class json_object {
 public:
  json_object& add(std::string_view key, std::string_view value) { return raw(key, json_text(value)); }
  json_object& add(std::string_view key, const char* value) { return add(key, std::string_view{value}); }
  json_object& add(std::string_view key, const std::string& value) { return add(key, std::string_view{value}); }
  json_object& add(std::string_view key, bool value) { return raw(key, value ? "true" : "false"); }
  json_object& add(std::string_view key, double value);
  template <class Number>
  requires(std::is_integral_v<Number> && !std::is_same_v<Number, bool>) json_object& add(std::string_view key,
                                                                                         Number value) {
    return raw(key, std::to_string(value));
  }
  // null where there is nothing.
  template <class Value>
  json_object& add(std::string_view key, const std::optional<Value>& value) {
    return value ? add(key, *value) : raw(key, "null");
  }
  // `value` is JSON already: an object, an array.
  json_object& raw(std::string_view key, std::string_view value);
  [[nodiscard]] std::string text() const { return "{" + members_ + "}"; }

 private:
  std::string members_;
};

class json_array {
 public:
  json_array& raw(std::string_view value);
  json_array& add(std::string_view value) { return raw(json_text(value)); }
  [[nodiscard]] std::string text() const { return "[" + items_ + "]"; }

 private:
  std::string items_;
};

}  // namespace holdfast::cli
