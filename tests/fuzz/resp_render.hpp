// Shared by the RESP tests and the fuzz target: feed a reader in slices and write down, as text, all that came out.
// Two transcripts are equal exactly if the reader behaved the same.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>

#include "resp/reader.hpp"

namespace resp_test {

namespace resp = holdfast::resp;

inline void feed(resp::reader& in, std::string_view bytes) {
  const auto room = in.prepare(bytes.size());
  if (!bytes.empty()) std::memcpy(room.data(), bytes.data(), bytes.size());
  in.commit(bytes.size());
}

// Texts are written with their length in front, so that no text can look like structure. All fields are shown, so that
// a leftover of an earlier value in a reused one is seen.
inline void render(std::string& out, const resp::value& v) {
  static constexpr const char* names[] = {"null",  "int",   "real", "bool", "simple", "bulk",
                                          "error", "array", "map",  "set",  "push"};
  out += names[static_cast<std::size_t>(v.type)];
  if (v.type == resp::kind::integer || v.type == resp::kind::boolean || v.integer != 0) {
    out += ' ' + std::to_string(v.integer);
  }
  if (v.type == resp::kind::real || v.real != 0) {
    char text[40];
    std::snprintf(text, sizeof text, " %.17g", v.real);
    out += text;
  }
  if (v.is_text() || v.is_error() || !v.text.empty()) out += ' ' + std::to_string(v.text.size()) + ':' + v.text;
  if (v.is_list() || v.type == resp::kind::map || !v.items.empty()) {
    out += '[';
    for (const auto& item : v.items) {
      if (&item != v.items.data()) out += ", ";
      render(out, item);
    }
    out += ']';
  }
}

inline std::string render(const resp::value& v) {
  std::string out;
  render(out, v);
  return out;
}

// Feeds slices whose sizes `slice()` gives and returns every value, one per line, then "more" or the problem.
template <class Slice>
std::string transcript(std::string_view bytes, resp::limits bounds, Slice slice) {
  resp::reader in(bounds);
  resp::value v;
  std::string out;
  auto status = resp::reader::status::more;
  do {
    const std::size_t n = std::min<std::size_t>(slice(), bytes.size());
    feed(in, bytes.substr(0, n));
    bytes.remove_prefix(n);
    while ((status = in.next(v)) == resp::reader::status::ready) {
      render(out, v);
      out += '\n';
    }
  } while (!bytes.empty());
  return out + (status == resp::reader::status::broken ? "broken: " + in.problem() : "more");
}

inline std::string whole(std::string_view bytes, resp::limits bounds = {}) {
  return transcript(bytes, bounds, [&] { return bytes.size(); });
}

inline std::string byte_by_byte(std::string_view bytes, resp::limits bounds = {}) {
  return transcript(bytes, bounds, [] { return std::size_t{1}; });
}

// The transcript, if both ways of feeding agree on it; else both, which equals nothing that a test expects.
inline std::string outcome(std::string_view bytes, resp::limits bounds = {}) {
  const std::string at_once = whole(bytes, bounds);
  const std::string in_bytes = byte_by_byte(bytes, bounds);
  return at_once == in_bytes ? at_once : "whole: " + at_once + "\nbyte by byte: " + in_bytes;
}

inline std::string repeat(std::string_view unit, std::size_t times) {
  std::string out;
  for (std::size_t i = 0; i < times; ++i) out += unit;
  return out;
}

struct example {
  std::string bytes;
  std::string outcome;
};

}  // namespace resp_test
