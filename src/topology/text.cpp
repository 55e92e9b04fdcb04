// See text.hpp. Locale-independent on purpose: a URL means the same under every LC_CTYPE.
#include "topology/text.hpp"

namespace holdfast::topology {
namespace {

constexpr std::string_view hex_digits = "0123456789ABCDEF";
constexpr std::size_t longest_quote = 64;

int hex_value(char c) noexcept {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool is_unreserved(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
         c == '_' || c == '~';
}

void append_hex(std::string& out, char c) {
  const auto byte = static_cast<unsigned char>(c);
  out += hex_digits[byte >> 4U];
  out += hex_digits[byte & 15U];
}

}  // namespace

std::string quoted(std::string_view word) {
  std::string out = "'";
  for (const char c : word.substr(0, longest_quote)) {
    if (c >= ' ' && c <= '~') {
      out += c;
    } else {
      out += "\\x";
      append_hex(out, c);
    }
  }
  out += word.size() > longest_quote ? "...'" : "'";
  return out;
}

std::string_view trimmed(std::string_view text) noexcept {
  constexpr std::string_view blanks = " \t\r";
  const auto first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::optional<std::string> percent_decoded(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    if (text.size() - i < 3) return std::nullopt;
    const int high = hex_value(text[i + 1]);
    const int low = hex_value(text[i + 2]);
    if (high < 0 || low < 0 || (high == 0 && low == 0)) return std::nullopt;
    out += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return out;
}

std::string percent_encoded(std::string_view text, std::string_view keep) {
  std::string out;
  for (const char c : text) {
    if (is_unreserved(c) || keep.find(c) != std::string_view::npos) {
      out += c;
    } else {
      out += '%';
      append_hex(out, c);
    }
  }
  return out;
}

std::string display(const endpoint& where) {
  const bool is_ipv6 = where.host.find(':') != std::string::npos;
  return (is_ipv6 ? "[" + percent_encoded(where.host, ":") + "]" : where.host) + ":" + std::to_string(where.port);
}

}  // namespace holdfast::topology
