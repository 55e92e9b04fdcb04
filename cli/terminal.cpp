#include "terminal.hpp"

#include "exit_code.hpp"
#include "stop.hpp"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace holdfast::cli {

bool has_colours(int descriptor) {
  const char* const no = std::getenv("NO_COLOR");
  const char* const term = std::getenv("TERM");
  if (no != nullptr && *no != '\0') return false;
  if (term == nullptr || std::string_view{term} == "dumb") return false;
  return ::isatty(descriptor) == 1;
}

std::string paint(bool coloured, colour how, std::string_view text) {
  if (!coloured) return std::string{text};
  static constexpr std::array<std::string_view, 6> codes{"31", "32", "33", "36", "1", "2"};
  return "\x1b[" + std::string{codes[static_cast<std::size_t>(how)]} + "m" + std::string{text} + "\x1b[0m";
}

std::string printable(std::string_view text) {
  std::string out;
  for (const char each : text) {
    const auto byte = static_cast<unsigned char>(each);
    if (byte >= 0x20 && byte != 0x7F) {
      out += each;  // UTF-8 passes
      continue;
    }
    std::array<char, 8> escaped{};
    std::snprintf(escaped.data(), escaped.size(), "\\x%02x", byte);
    out += escaped.data();
  }
  return out;
}

void print(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(STDOUT_FILENO, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw stop{exit_internal, std::string{"cannot write the output: "} + std::strerror(errno)};
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace holdfast::cli
