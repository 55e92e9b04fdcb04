// Wrong words on the command line: one line that names them, and exit code 64.
#include <gtest/gtest.h>

#include <algorithm>

#include "cli/command.hpp"

namespace holdfast::test {
namespace {

void expect_complaint(const std::vector<std::string>& words, const std::string& text) {
  const outcome seen = holdfast_run(words);
  EXPECT_EQ(seen.code(), 64) << text;
  EXPECT_EQ(seen.out, "") << text;
  EXPECT_EQ(seen.err, "holdfast: " + text + "\n");
}

TEST(Misuse, AnUnknownOptionSuggestsTheNearest) {
  expect_complaint({"version", "--jsno"},
                   "there is no option '--jsno'; did you mean '--json'? (see: holdfast help version)");
  expect_complaint({"version", "--jsno=yes"},
                   "there is no option '--jsno'; did you mean '--json'? (see: holdfast help version)");
  expect_complaint({"version", "-json"},
                   "there is no option '-json'; did you mean '--json'? (see: holdfast help version)");
}

TEST(Misuse, AnUnknownOptionFarFromAllSuggestsNothing) {
  expect_complaint({"version", "--nonsense"}, "there is no option '--nonsense' (see: holdfast help version)");
  expect_complaint({"version", "-Q"}, "there is no option '-Q' (see: holdfast help version)");
}

TEST(Misuse, AWordTooMany) {
  expect_complaint({"version", "now"}, "'now' is one word too many (see: holdfast help version)");
}

TEST(Misuse, AMissingArgumentIsNamedWithTheUsage) {
  expect_complaint({"completion"},
                   "SHELL is missing: holdfast completion bash|zsh|fish (see: holdfast help completion)");
}

TEST(Misuse, AnUnknownOptionCountsMoreThanAMissingArgument) {
  expect_complaint({"completion", "--hlep"},
                   "there is no option '--hlep'; did you mean '--help'? (see: holdfast help completion)");
}

TEST(Misuse, AMissingValueIsNamed) {
  expect_complaint({"bench", "--seconds"}, "--seconds needs a value: --seconds TIME (see: holdfast help bench)");
}

TEST(Misuse, AnOptionGivenTwice) {
  expect_complaint({"bench", "--url", "redis://a", "--url", "redis://b"},
                   "--url was given twice (see: holdfast help bench)");
}

TEST(Misuse, AValueThatCannotBeReadIsNamed) {
  expect_complaint({"bench", "--seconds", "soon"},
                   "--seconds: 'soon' is not a duration; write 0.5, 30s, 250ms, 5m, 2h (see: holdfast help bench)");
}

TEST(Misuse, StaysOneLineWhateverWasTyped) {
  for (const std::string& odd : {std::string{"--a\nb"}, std::string{"\x1b[31m"}, std::string(5000, 'x')}) {
    const outcome seen = holdfast_run({"version", odd});
    EXPECT_EQ(seen.code(), 64);
    EXPECT_EQ(std::ranges::count(seen.err, '\n'), 1) << seen.err;
    EXPECT_EQ(seen.err.find('\x1b'), std::string::npos);
  }
}

}  // namespace
}  // namespace holdfast::test
