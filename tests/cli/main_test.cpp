// The command as a whole: verbs that exist, verbs that do not, and what it says then.
#include <gtest/gtest.h>

#include "cli/command.hpp"

namespace holdfast::test {
namespace {

TEST(Command, WithoutAVerbExplainsItselfAndIsAUsageError) {
  const outcome seen = holdfast_run({});
  EXPECT_EQ(seen.code(), 64);
  EXPECT_EQ(seen.out, "");
  EXPECT_NE(seen.err.find("holdfast VERB"), std::string::npos) << seen.err;
}

TEST(Command, SuggestsTheVerbThatWasProbablyMeant) {
  const outcome seen = holdfast_run({"verison"});
  EXPECT_EQ(seen.code(), 64);
  EXPECT_EQ(seen.err, "holdfast: there is no verb 'verison'; did you mean 'version'? (holdfast help lists them)\n");
}

TEST(Command, DoesNotSuggestWhatIsFar) {
  const outcome seen = holdfast_run({"xyzzy"});
  EXPECT_EQ(seen.code(), 64);
  EXPECT_EQ(seen.err.find("did you mean"), std::string::npos) << seen.err;
}

TEST(Command, TellsItsVersionInThreeWays) {
  for (const char* word : {"version", "--version", "-V"}) {
    const outcome seen = holdfast_run({word});
    EXPECT_EQ(seen.code(), 0) << word;
    EXPECT_EQ(seen.out.rfind("holdfast 0.", 0), 0U) << seen.out;
  }
}

TEST(Command, NamesAnOptionThatDoesNotExist) {
  const outcome seen = holdfast_run({"version", "--nonsense"});
  EXPECT_EQ(seen.code(), 64);
  EXPECT_NE(seen.err.find("--nonsense"), std::string::npos) << seen.err;
}

TEST(Command, AFullDiskIsNotASuccess) {
  process full{{"/bin/sh", "-c", "exec \"$0\" version >/dev/full 2>/dev/null", program}};
  const auto ended = full.wait(std::chrono::seconds{10});
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->code, 70);
}

}  // namespace
}  // namespace holdfast::test
