// The answer to INFO as fields. A plain value; lines that are not `name:value` are passed over.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace holdfast::doctor {

class info {
 public:
  info() = default;
  explicit info(std::string_view text);

  [[nodiscard]] std::string_view text(std::string_view name) const;  // empty where there is no such field
  [[nodiscard]] std::optional<std::int64_t> number(std::string_view name) const;
  [[nodiscard]] bool has(std::string_view name) const { return fields_.contains(name); }

 private:
  std::map<std::string, std::string, std::less<>> fields_;
};

// All of the text as a number, or nothing.
[[nodiscard]] std::optional<std::int64_t> as_number(std::string_view text);

}  // namespace holdfast::doctor
