#include "json.hpp"

#include <array>
#include <cmath>
#include <cstdio>

namespace holdfast::cli {
namespace {

// The length of the well-formed UTF-8 sequence at the front, or 0.
std::size_t sequence_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  std::size_t length = 0;
  unsigned char least = 0x80;
  unsigned char most = 0xBF;
  if (first >= 0xC2 && first <= 0xDF) {
    length = 2;
  } else if (first >= 0xE0 && first <= 0xEF) {
    length = 3;
    if (first == 0xE0) least = 0xA0;  // overlong
    if (first == 0xED) most = 0x9F;   // surrogates
  } else if (first >= 0xF0 && first <= 0xF4) {
    length = 4;
    if (first == 0xF0) least = 0x90;
    if (first == 0xF4) most = 0x8F;  // beyond U+10FFFF
  }
  if (length == 0 || text.size() < length || byte(1) < least || byte(1) > most) return 0;
  for (std::size_t i = 2; i < length; ++i) {
    if (byte(i) < 0x80 || byte(i) > 0xBF) return 0;
  }
  return length;
}

}  // namespace

std::string json_text(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const char first = text.front();
    std::size_t taken = 1;
    if (first == '"' || first == '\\') {
      out.append(1, '\\').append(1, first);
    } else if (first == '\n') {
      out += "\\n";
    } else if (static_cast<unsigned char>(first) < 0x20 || first == 0x7F) {
      std::array<char, 8> escaped{};
      std::snprintf(escaped.data(), escaped.size(), "\\u%04x", static_cast<unsigned>(first));
      out += escaped.data();
    } else if (static_cast<unsigned char>(first) < 0x80) {
      out += first;
    } else if (const std::size_t length = sequence_length(text); length != 0) {
      taken = length;
      out.append(text.substr(0, length));
    } else {
      out += "\xEF\xBF\xBD";
    }
    text.remove_prefix(taken);
  }
  return out + "\"";
}

json_object& json_object::add(std::string_view key, double value) {
  if (!std::isfinite(value)) return raw(key, "null");
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.6g", value);
  return raw(key, text.data());
}

json_object& json_object::raw(std::string_view key, std::string_view value) {
  if (!members_.empty()) members_ += ", ";
  members_ += json_text(key) + ": ";
  members_ += value;
  return *this;
}

json_array& json_array::raw(std::string_view value) {
  if (!items_.empty()) items_ += ", ";
  items_ += value;
  return *this;
}

}  // namespace holdfast::cli
