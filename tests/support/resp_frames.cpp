// Implements resp_frames: find where the first message ends, counting the elements that are still owed.
#include "support/resp_frames.hpp"

#include <charconv>
#include <cstddef>
#include <utility>

namespace holdfast::test {
namespace {

enum class verdict { whole, partial, not_resp };

struct scan_result {
  verdict what;
  std::size_t size;
};

scan_result scan(std::string_view bytes) {
  std::size_t at = 0;
  for (long long owed = 1; owed > 0;) {
    if (at >= bytes.size()) return {verdict::partial, 0};
    const char type = bytes[at];
    if (std::string_view{"+-:_#,($=!*~>%|"}.find(type) == std::string_view::npos) return {verdict::not_resp, 0};
    const std::size_t line_end = bytes.find("\r\n", at);
    if (line_end == std::string_view::npos) return {verdict::partial, 0};
    long long length = 0;
    const bool counted = std::string_view{"$=!*~>%|"}.find(type) != std::string_view::npos;
    if (counted) {
      const char* end = bytes.data() + line_end;
      const auto parsed = std::from_chars(bytes.data() + at + 1, end, length);
      if (parsed.ec != std::errc{} || parsed.ptr != end || length > 1'000'000'000) return {verdict::not_resp, 0};
    }
    if (length < 0) {  // a RESP2 nil: no body follows, not even an empty one
      at = line_end + 2;
      owed -= 1;
      continue;
    }
    at = line_end + 2;
    owed -= 1;
    if (type == '$' || type == '=' || type == '!') at += static_cast<std::size_t>(length) + 2;
    if (type == '*' || type == '~' || type == '>') owed += length;
    if (type == '%') owed += 2 * length;
    if (type == '|') owed += 2 * length + 1;  // attributes come before the value they describe
  }
  if (at > bytes.size()) return {verdict::partial, 0};
  return {verdict::whole, at};
}

}  // namespace

std::optional<std::string> resp_frames::next() {
  if (held_.empty()) return std::nullopt;
  if (!raw_) {
    const scan_result found = scan(held_);
    if (found.what == verdict::partial) return std::nullopt;
    if (found.what == verdict::whole) {
      std::string message = held_.substr(0, found.size);
      held_.erase(0, found.size);
      return message;
    }
    raw_ = true;
  }
  return std::exchange(held_, {});
}

}  // namespace holdfast::test
