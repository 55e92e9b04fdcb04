#include "manual/roff.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>

namespace holdfast::cli {
namespace {

// Takes one character of UTF-8 from the front; a byte that is none counts as U+FFFD.
char32_t take(std::string_view& text) {
  const auto first = static_cast<unsigned char>(text.front());
  const std::size_t length = first < 0x80 ? 1 : first < 0xC0 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  if (length == 0 || length > text.size()) {
    text.remove_prefix(1);
    return 0xFFFD;
  }
  static constexpr std::array<unsigned, 5> masks{0, 0x7F, 0x1F, 0x0F, 0x07};
  char32_t value = first & masks.at(length);
  for (std::size_t i = 1; i < length; ++i) value = value << 6U | (static_cast<unsigned char>(text[i]) & 0x3FU);
  text.remove_prefix(length);
  return value;
}

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '+'; }

// NAME, TIME, KEY=VALUE: stands for something. A single letter is one too.
bool stands_for_something(std::string_view word) {
  return std::ranges::all_of(
             word, [](char c) { return std::isupper(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-'; }) &&
         !word.starts_with('-');
}

}  // namespace

std::string roff(std::string_view text) {
  std::string out;
  bool line_begins = true;
  while (!text.empty()) {
    const char32_t each = take(text);
    if (line_begins && (each == '.' || each == '\'')) out += "\\&";
    line_begins = each == '\n';
    if (each == '\\') {
      out += "\\(rs";
    } else if (each == '-') {
      out += "\\-";
    } else if (each == '\'') {
      out += "\\(aq";
    } else if (each == '`') {
      out += "\\(ga";
    } else if (each == '^') {
      out += "\\(ha";
    } else if (each == '~') {
      out += "\\(ti";
    } else if (each < 0x80) {
      out += static_cast<char>(each);
    } else {
      std::array<char, 16> escaped{};
      std::snprintf(escaped.data(), escaped.size(), "\\[u%04X]", static_cast<unsigned>(each));
      out += escaped.data();
    }
  }
  return out;
}

std::string roff_bold(std::string_view text) { return "\\fB" + roff(text) + "\\fR"; }

std::string roff_usage(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    std::size_t length = 0;
    while (length < text.size() && is_word(text[length])) ++length;
    if (length == 0) {
      out += roff(text.substr(0, 1));
      text.remove_prefix(1);
      continue;
    }
    const std::string_view word = text.substr(0, length);
    out += (stands_for_something(word) ? "\\fI" : "\\fB") + roff(word) + "\\fR";
    text.remove_prefix(length);
  }
  return out;
}

std::string roff_prose(std::string_view text) {
  std::string out;
  bool code = false;
  while (!text.empty()) {
    const auto end = std::min(text.find('`'), text.size());
    // Only the front of the whole can begin a line.
    const std::string part = roff(text.substr(0, end));
    out += code ? "\\fB" + part + "\\fR" : part;
    text.remove_prefix(std::min(end + 1, text.size()));
    code = !code;
  }
  return out;
}

}  // namespace holdfast::cli
