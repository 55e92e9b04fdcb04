// The recipes of the documents: every `holdfast run … --` and `holdfast elect … --` in a code block works as it stands, with `true` for the command.
#include <regex>

#include "cli/run_fixture.hpp"
#include "support/places.hpp"

namespace holdfast::test {
namespace {

class RunDocs : public run_test {};

TEST_F(RunDocs, EveryRecipeRuns) {
  int tried = 0;
  for (const char* page : {"docs/operate.md", "docs/run.md"}) {
    const std::string text = contents(source_dir() + "/" + page);
    ASSERT_FALSE(text.empty()) << page;
    static const std::regex block{"```[a-z]*\n([^`]*)```"};
    static const std::regex recipe{"holdfast ((?:run|elect) [^\n]*?) -- [./]"};
    for (std::sregex_iterator each{text.begin(), text.end(), block}, end; each != end; ++each) {
      const std::string body = (*each)[1];
      for (std::sregex_iterator line{body.begin(), body.end(), recipe}; line != end; ++line) {
        std::string words = (*line)[1];
        words = std::regex_replace(words, std::regex{"--min-hold 10s"}, "--min-hold 10ms");  // or the test takes 10 s
        words = std::regex_replace(words, std::regex{"--again "}, "");                       // or for ever
        process shell{{"/bin/sh", "-c", "exec " + program + " " + words + " -- true"},
                      {.environment = {{"HOLDFAST_URL", redis_.url()}, {"SERVICE", "web"}}, .merge_stderr = true}};
        const auto status = shell.wait(std::chrono::seconds{20});
        ASSERT_TRUE(status) << words;
        EXPECT_EQ(status->code, 0) << words << ": " << shell.read_rest(std::chrono::seconds{1});
        ++tried;
      }
    }
  }
  EXPECT_GE(tried, 12) << "the recipes were not found";
}

}  // namespace
}  // namespace holdfast::test
