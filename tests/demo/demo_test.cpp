// The demonstration does what it shows: its own output is read again and judged, and it leaves nothing behind.
//
// Built where the command is.
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "support/places.hpp"
#include "support/process.hpp"
#include "support/temp_dir.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

// Its server's directory goes into ours, where a left-over would show.
process start(const temp_dir& place) {
  return process{{binary_dir() + "/bin/holdfast", "demo"},
                 {.environment = {{"TMPDIR", place.file("")}}, .merge_stderr = true}};
}

struct row {
  double ms = 0;
  std::string process;
  std::string what;
  std::uint64_t fence = 0;
};

std::vector<row> rows(const std::string& text) {
  static const std::regex form{R"( *(\d+\.\d{3})  (P[1-8]) +(got|released|lost) +(\d+)(?: +[\d.]+ (?:us|ms))?)"};
  std::vector<row> found;
  std::istringstream in{text};
  for (std::string line; std::getline(in, line);) {
    std::smatch parts;
    if (!std::regex_match(line, parts, form)) continue;
    found.push_back({std::stod(parts[1]), parts[2], parts[3], std::stoull(parts[4])});
  }
  return found;
}

TEST(Demo, EightProcessesTakeTurnsAndTheLossesAreTold) {
  const temp_dir place;
  auto demo = start(place);
  const std::string text = demo.read_rest(60s);
  const auto ended = demo.wait(10s);
  ASSERT_TRUE(ended) << text;
  EXPECT_EQ(ended->code, 0) << text;
  EXPECT_EQ(text.find('\x1b'), std::string::npos) << "plain when piped";

  int turns = 0;
  std::string holder;
  std::uint64_t largest = 0;
  for (const row& each : rows(text)) {
    if (each.what == "got") {
      EXPECT_TRUE(holder.empty()) << each.process << " got it at " << each.ms << " while " << holder << " held it";
      EXPECT_GT(each.fence, largest) << each.process << " at " << each.ms;
      largest = each.fence;
      holder = each.process;
      ++turns;
      // The two that cannot release: the next one may come.
      if (each.process == "P3" && turns > 24) holder.clear();
      if (each.process == "P4" && turns > 24) holder.clear();
    } else if (each.what == "released") {
      EXPECT_EQ(each.process, holder) << "at " << each.ms;
      holder.clear();
    }
  }
  EXPECT_EQ(turns, 24 + 3 + 2) << text;
  for (const char* const told : {"KILLED", "STOPPED", "CONTINUED", "told it: LOST", "overlaps               0",
                                 "strictly increasing", "saw the loss first"}) {
    EXPECT_NE(text.find(told), std::string::npos) << told << "\n" << text;
  }
  std::smatch handoff;
  static const std::regex p50{R"(hand-off +p50 ([\d.]+) (us|ms), p99)"};
  ASSERT_TRUE(std::regex_search(text, handoff, p50)) << text;
  EXPECT_LT(std::stod(handoff[1]) / (handoff[2] == "us" ? 1000 : 1), 8) << "ms; polling needs 8 to 13";
  EXPECT_TRUE(std::filesystem::is_empty(place.file("")));
}

TEST(Demo, AnInterruptLeavesNothingBehind) {
  const temp_dir place;
  auto demo = start(place);
  while (const auto line = demo.read_line(20s)) {
    if (line->find(" got ") != std::string::npos) break;
  }
  EXPECT_FALSE(std::filesystem::is_empty(place.file(""))) << "its server's directory";
  demo.signal(SIGINT);
  const std::string rest = demo.read_rest(20s);  // ends when the last process that shares its output has
  const auto ended = demo.wait(10s);
  ASSERT_TRUE(ended) << rest;
  EXPECT_EQ(ended->code, 130) << rest;
  EXPECT_TRUE(std::filesystem::is_empty(place.file("")));
}

}  // namespace
}  // namespace holdfast::test
