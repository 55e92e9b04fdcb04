// Figures as people read them, for findings. Pure.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace holdfast::doctor {

[[nodiscard]] std::string bytes_text(std::int64_t bytes);              // "1.5 GiB"
[[nodiscard]] std::string time_text(std::chrono::nanoseconds length);  // "0.12 ms", "1.5 s", "2.0 h"
[[nodiscard]] std::string percent_text(double share);                  // 0.876 -> "88 %"

}  // namespace holdfast::doctor
