// Cuts a byte stream into whole RESP messages (requests or replies, RESP2 or RESP3) without looking into them.
//
// The gate uses it to start a fault exactly at a request and to count replies. It shares no code with the library's own
// reader on purpose: a mistake there must not hide itself here. A stream that is not RESP (TLS, inline commands) turns
// raw for good: then each piece fed in comes out as it came.
// Thread safety: none.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace holdfast::test {

class resp_frames {
 public:
  void feed(std::string_view bytes) { held_.append(bytes); }
  [[nodiscard]] std::optional<std::string> next();

 private:
  std::string held_;
  bool raw_ = false;
};

}  // namespace holdfast::test
