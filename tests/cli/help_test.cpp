// --help of every verb that exists: it fits a screen, shows two examples, and says the same in every way of asking.
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/terminal_run.hpp"

namespace holdfast::test {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in{text};
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::vector<std::string> all_verbs() { return lines_of(holdfast_run({"help", "--verbs"}).out); }

std::size_t columns(const std::string& line) {
  return static_cast<std::size_t>(
      std::ranges::count_if(line, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

void expect_a_screen(const std::string& text, const std::string& whose) {
  const auto lines = lines_of(text);
  EXPECT_LE(lines.size(), 40U) << whose << "\n" << text;
  for (const auto& line : lines) EXPECT_LE(columns(line), 80U) << whose << ": " << line;
}

TEST(Help, TheVerbsAreKnown) {
  const auto verbs = all_verbs();
  for (const char* name : {"version", "help", "completion"}) {
    EXPECT_NE(std::ranges::find(verbs, name), verbs.end()) << name;
  }
}

TEST(Help, OfEveryVerbFitsAScreen) {
  for (const auto& verb : all_verbs()) {
    const outcome seen = holdfast_run({verb, "--help"});
    EXPECT_EQ(seen.code(), 0) << verb;
    EXPECT_EQ(seen.err, "") << verb;
    expect_a_screen(seen.out, verb);
  }
}

TEST(Help, OfEveryVerbHasUsageOptionsTwoExamplesAndExitCodes) {
  for (const auto& verb : all_verbs()) {
    const std::string text = holdfast_run({verb, "--help"}).out;
    EXPECT_TRUE(text.starts_with("Usage: holdfast " + verb + " [OPTION...]")) << text;
    EXPECT_NE(text.find("-h, --help"), std::string::npos) << verb;
    EXPECT_NE(text.find("\nExit codes:\n"), std::string::npos) << verb;
    const auto examples = text.find("\nExamples:\n");
    ASSERT_NE(examples, std::string::npos) << verb;
    int shown = 0;
    for (auto at = text.find("\n  ", examples); at != std::string::npos; at = text.find("\n  ", at + 1)) {
      if (text.find("# ", at) < text.find("\n\n", at)) ++shown;
      if (text.find("\nExit codes:", at) == std::string::npos) break;
    }
    EXPECT_GE(shown, 2) << text;
  }
}

TEST(Help, IsTheSameInEveryWayOfAsking) {
  for (const auto& verb : all_verbs()) {
    const std::string text = holdfast_run({verb, "--help"}).out;
    EXPECT_EQ(holdfast_run({"help", verb}).out, text) << verb;
    EXPECT_EQ(holdfast_run({verb, "-h"}).out, text) << verb;
  }
  EXPECT_EQ(holdfast_run({"--help"}).out, holdfast_run({"help"}).out);
  EXPECT_EQ(holdfast_run({"-h"}).out, holdfast_run({"help"}).out);
}

TEST(Help, TheOverviewFitsAScreenAndNamesEveryVerb) {
  const outcome seen = holdfast_run({"help"});
  EXPECT_EQ(seen.code(), 0);
  expect_a_screen(seen.out, "overview");
  for (const auto& verb : all_verbs()) EXPECT_NE(seen.out.find("\n  " + verb + " "), std::string::npos) << verb;
}

TEST(Help, OfAnUnknownVerbSuggestsOne) {
  const outcome seen = holdfast_run({"help", "verison"});
  EXPECT_EQ(seen.code(), 64);
  EXPECT_EQ(seen.err, "holdfast: there is no verb 'verison'; did you mean 'version'? (holdfast help lists them)\n");
}

TEST(Help, IsBoldOnATerminalOnly) {
  EXPECT_NE(on_a_terminal({"help"}).find("\x1b[1mVerbs:\x1b[0m"), std::string::npos);
  EXPECT_NE(on_a_terminal({"help", "version"}).find("\x1b[1mUsage:\x1b[0m"), std::string::npos);
  EXPECT_EQ(holdfast_run({"help"}).out.find('\x1b'), std::string::npos);
  EXPECT_EQ(holdfast_run({"help", "version"}).out.find('\x1b'), std::string::npos);
}

TEST(Help, RespectsNoColorAndDumbTerminals) {
  for (const environment& variables : {environment{{"NO_COLOR", "1"}}, environment{{"TERM", "dumb"}}}) {
    const std::string seen = on_a_terminal({"help"}, variables);
    EXPECT_NE(seen.find("Verbs:"), std::string::npos);
    EXPECT_EQ(seen.find('\x1b'), std::string::npos) << variables.begin()->first;
  }
  EXPECT_NE(on_a_terminal({"help"}, {{"NO_COLOR", ""}}).find('\x1b'), std::string::npos) << "empty counts as unset";
}

}  // namespace
}  // namespace holdfast::test
