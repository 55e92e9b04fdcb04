// How bad something is that was found about a deployment: by `examine` (doctor.hpp) and by settings::on_warning.
#pragma once

#include <string_view>

namespace holdfast {

// From the mildest to the worst; they compare in this order.
enum class severity : unsigned char {
  fine,     // as it should be
  notice,   // worth knowing: locks are safe until Redis itself crashes, or nobody let us look
  warning,  // locks can come late, or will be in danger soon
  danger,   // two holders, or locks that cannot be had: mend it before relying on locks
};

// The enum's name as text: "danger".
[[nodiscard]] constexpr std::string_view to_string(severity how_bad) noexcept {
  constexpr std::string_view names[] = {"fine", "notice", "warning", "danger"};
  return names[static_cast<unsigned char>(how_bad) & 3U];
}

}  // namespace holdfast
