// All that is printed: coloured and drawn on a terminal, plain text otherwise (a pipe, a file, NO_COLOR, TERM=dumb).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ledger.hpp"
#include "report.hpp"

namespace demo {

class screen {
 public:
  screen();

  void begin_clock(std::int64_t start) { start_ = start; }
  void title(std::string_view text, std::string_view subtitle) const;
  void section(std::string_view text) const;
  void table_head() const;
  void line(const report& heard) const;  // got, released and lost; others are silent
  void event(int process, std::int64_t time, std::string_view text) const;
  void remark(std::string_view text) const;
  void verdict(bool good, std::string_view label, std::string_view text) const;

  // One row per process, time from left to right.
  void chart(const std::vector<hold>& holds, std::size_t from, std::size_t to) const;

 private:
  [[nodiscard]] std::string paint(std::string_view code, std::string_view text) const;
  [[nodiscard]] std::string name(int process) const;
  void row(int process, std::int64_t time, std::string_view middle) const;

  bool rich_;
  bool utf8_;
  std::int64_t start_ = 0;
};

// "1.234 ms", "87 µs": three digits that matter.
std::string duration_text(std::int64_t nanoseconds, bool utf8 = true);

}  // namespace demo
