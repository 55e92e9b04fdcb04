#include "manual/setting_text.hpp"

#include <cctype>

namespace holdfast::cli {

std::string environment_name(std::string_view key) {
  std::string out = "HOLDFAST_";
  for (const char c : key) out += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return out;
}

}  // namespace holdfast::cli
