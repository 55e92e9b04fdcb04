// What one experiment leaves behind: its steps, its findings, its timeline. Pure data; tables and pages are made of it.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "timeline.hpp"

namespace lab {

struct step {
  nanoseconds at = 0;
  std::string who;
  std::string what;
  std::string answer{};
};

// One thing that was expected before the experiment ran, and what was seen.
struct finding {
  std::string what;
  std::string expected;
  std::string saw;
  bool agrees = false;
};

struct record {
  std::string name;
  std::string title;     // one line
  std::string lesson;    // a sentence or two: why it comes out as it does
  std::string skipped;   // why it did not run; empty: it ran
  std::string server{};  // its version
  std::vector<step> steps{};
  std::vector<finding> findings{};
  timeline drawn{};

  // It ran, expected something, and saw just that.
  [[nodiscard]] bool agrees() const {
    return skipped.empty() && !findings.empty() && std::ranges::all_of(findings, &finding::agrees);
  }
};

}  // namespace lab
