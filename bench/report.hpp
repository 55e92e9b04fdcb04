// What a suite found: ratios that are judged by a bar, and the raw figures they come from. Shown as a table for people,
// and as one line of JSON for programs:
//
//   {"suite": "pair", "ratio": 1.04, "bar": 1.15, "sense": "at most", "ok": true, "figures": {...}}
//   {"suite": "handoff", "ratios": {"a": 1.2, ...}, "bar": {"a": 1.5, ...}, "sense": "at most", "ok": false, ...}
//
// A suite may add text of its own to the table, and notes, which JSON has under "notes" and only where there are some.
// Not thread-safe; a suite fills it at its end.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace holdfast::bench {

enum class sense : unsigned char { at_most, at_least };

class report {
 public:
  report(std::string suite, std::string what, sense direction);

  // A judged value. A suite with only one calls it "ratio".
  void judge(std::string name, double value, double bar);
  void figure(std::string name, double value, std::string unit);

  void text(std::string lines);                      // shown below the heading
  void note(std::string name, std::string content);  // of something that has no figure: why

  [[nodiscard]] bool ok() const noexcept;
  [[nodiscard]] std::string table() const;
  [[nodiscard]] std::string json() const;

 private:
  struct judged {
    std::string name;
    double value;
    double bar;
  };
  struct raw {
    std::string name;
    double value;
    std::string unit;
  };
  [[nodiscard]] bool holds(const judged& each) const noexcept;

  std::string suite_;
  std::string what_;
  sense direction_;
  std::vector<judged> judged_;
  std::vector<raw> raw_;
  std::string text_;
  std::vector<std::pair<std::string, std::string>> notes_;
};

}  // namespace holdfast::bench
