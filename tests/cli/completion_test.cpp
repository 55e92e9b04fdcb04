// Completion in the three shells, as they do it themselves: the printed script is loaded, and the shell is asked.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "support/places.hpp"
#include "support/redis_server.hpp"
#include "support/temp_dir.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

const std::string bin_dir = binary_dir() + "/bin";

std::set<std::string> lines_of(const std::string& text) {
  std::set<std::string> lines;
  std::istringstream in{text};
  for (std::string line; std::getline(in, line);) {
    if (!line.empty()) lines.insert(line);
  }
  return lines;
}

// Words that a shell offers for a line that ends at the cursor.
std::set<std::string> bash_offers(const std::string& line, environment variables = {}) {
  const temp_dir dir;
  std::ofstream{dir.file("ask")} << R"script(
source /usr/share/bash-completion/bash_completion
source <(holdfast completion bash)
COMP_LINE=$1 COMP_POINT=${#1} COMP_TYPE=9 COMP_KEY=9
# As readline splits: at blanks, and at : and = which are words of their own.
read -ra COMP_WORDS < <(sed -E 's/([:=]+)/ \1 /g' <<<"$1")
if [[ $1 == *[[:space:]:=] ]]; then COMP_WORDS+=(""); fi
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
compopt() { :; }
_holdfast
printf '%s\n' "${COMPREPLY[@]}"
)script";
  variables["PATH"] = bin_dir + ":/usr/local/bin:/usr/bin:/bin";
  process shell{{"bash", "--norc", dir.file("ask"), line}, {.environment = variables}};
  const auto text = shell.read_rest(20s);
  static_cast<void>(shell.wait(5s));
  return lines_of(text);
}

std::set<std::string> fish_offers(const std::string& line, environment variables = {}) {
  const temp_dir home;
  variables["PATH"] = bin_dir + ":/usr/local/bin:/usr/bin:/bin";
  variables["HOME"] = home.file("");
  variables["XDG_CONFIG_HOME"] = home.file("");
  process shell{
      {"fish", "--no-config", "-c", "holdfast completion fish | source; complete --do-complete \"$argv[1]\"", line},
      {.environment = variables}};
  const auto text = shell.read_rest(20s);
  static_cast<void>(shell.wait(5s));
  std::set<std::string> words;
  for (const auto& each : lines_of(text)) words.insert(each.substr(0, each.find('\t')));
  return words;
}

// zsh completes only in its line editor: a zsh in a pseudo-terminal, and what it has written there after TAB, as soon as
// that contains what is wanted, or after ten seconds.
std::string zsh_writes(const std::string& line, const std::string& wanted, environment variables = {}) {
  const temp_dir home;
  std::ofstream{home.file("ask")} << R"script(
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell 'PS1=READY; autoload -Uz compinit; compinit -u -D; LISTMAX=9999; stty cols 200 rows 200'
zpty -w shell 'source <(holdfast completion zsh); print SOURC''ED'
seen=
zpty -r shell seen '*SOURCED*READY*'
seen=
zpty -w -n shell "$1"$'\t\t'
for ((tries = 0; tries < 100; ++tries)); do
  while zpty -r -t shell part; do seen+=$part; done
  [[ $seen == *"$2"* ]] && break
  sleep 0.1
done
zpty -d shell
print -r -- "$seen"
)script";
  variables["PATH"] = bin_dir + ":/usr/local/bin:/usr/bin:/bin";
  variables["HOME"] = home.file("");
  variables["TERM"] = "dumb";
  process shell{{"zsh", "-f", home.file("ask"), line, wanted}, {.environment = variables}};
  std::string text = shell.read_rest(40s);
  static_cast<void>(shell.wait(5s));
  return text;
}

void expect_zsh(const std::string& line, const std::string& wanted, const environment& variables = {}) {
  const std::string seen = zsh_writes(line, wanted, variables);
  EXPECT_NE(seen.find(wanted), std::string::npos) << line << "\n" << seen;
}

TEST(Completion, TheHelperOffersVerbsOptionsAndValues) {
  EXPECT_TRUE(lines_of(holdfast_run({"__complete", ""}).out).contains("version\tprint the version"));
  EXPECT_EQ(holdfast_run({"__complete", "vers"}).out, ":nothing\nversion\tprint the version\n");
  EXPECT_EQ(holdfast_run({"__complete", "version", "--j"}).out, ":nothing\n--json\tprint a JSON object\n");
  EXPECT_EQ(holdfast_run({"__complete", "completion", ""}).out, ":nothing\nbash\nzsh\nfish\n");
  EXPECT_EQ(holdfast_run({"__complete", "help", "vers"}).out, ":nothing\nversion\tprint the version\n");
}

TEST(Completion, TheHelperIsSilentAboutWhatItDoesNotKnow) {
  EXPECT_EQ(holdfast_run({"__complete"}).out, ":nothing\n");
  EXPECT_EQ(holdfast_run({"__complete", "nonsense", ""}).out, ":nothing\n");
  EXPECT_EQ(holdfast_run({"__complete", "version", "--nonsense", ""}).out, ":nothing\n");
  EXPECT_EQ(holdfast_run({"__complete", "bench", "--seconds", ""}).out, ":nothing\n") << "a value, not an option";
}

TEST(Completion, HiddenWordsStayHidden) {
  EXPECT_EQ(holdfast_run({"help"}).out.find("__complete"), std::string::npos);
  EXPECT_EQ(holdfast_run({"__complete", "__"}).out, ":nothing\n");
  EXPECT_EQ(holdfast_run({"__complete", "help", "--verb"}).out, ":nothing\n");
}

TEST(Completion, AShellThatIsNotKnownIsNamed) {
  const outcome seen = holdfast_run({"completion", "csh"});
  EXPECT_EQ(seen.code(), 64);
  EXPECT_NE(seen.err.find("there is no completion for 'csh'; there is for bash, zsh and fish"), std::string::npos);
}

TEST(Completion, Bash) {
  EXPECT_EQ(bash_offers("holdfast vers"), std::set<std::string>{"version"});
  EXPECT_TRUE(bash_offers("holdfast ").contains("help"));
  EXPECT_EQ(bash_offers("holdfast version --j"), std::set<std::string>{"--json"});
  EXPECT_EQ(bash_offers("holdfast completion z"), std::set<std::string>{"zsh"});
  EXPECT_TRUE(bash_offers("holdfast nonsense ").empty());
}

TEST(Completion, Fish) {
  EXPECT_EQ(fish_offers("holdfast vers"), std::set<std::string>{"version"});
  EXPECT_TRUE(fish_offers("holdfast ").contains("help"));
  EXPECT_EQ(fish_offers("holdfast version --j"), std::set<std::string>{"--json"});
  EXPECT_EQ(fish_offers("holdfast completion z"), std::set<std::string>{"zsh"});
}

TEST(Completion, Zsh) {
  expect_zsh("holdfast vers", "holdfast version");
  expect_zsh("holdfast version --j", "holdfast version --json");
  expect_zsh("holdfast ", "print the version");
}

TEST(Completion, AfterTheNameOfRunCommandsAreOffered) {
  EXPECT_EQ(holdfast_run({"__complete", "run", "-w", "5", "x", "--", "ls", "-"}).out, ":command 5\n");
  EXPECT_EQ(holdfast_run({"__complete", "run", "-w", "5", "x", "l"}).out, ":command 4\n");
  EXPECT_TRUE(bash_offers("holdfast run x -- redis-s").contains("redis-server"));
  EXPECT_TRUE(bash_offers("holdfast run x redis-s").contains("redis-server"));
  EXPECT_TRUE(fish_offers("holdfast run x -- redis-s").contains("redis-server"));
  expect_zsh("holdfast run x -- redis-serv", "holdfast run x -- redis-server");
}

// Lock names come from `holdfast list --names`.
class CompletionOfNames : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"invoice:41", "invoice:42", "nightly", "two words", "a*b"}) {
      server_.command({"SET", name, "host:1:00000000000000000000000000000000", "PX", "60000"});
    }
  }
  [[nodiscard]] environment here() { return {{"HOLDFAST_URL", server_.url()}}; }
  redis_server& server() { return server_; }

 private:
  redis_server server_;
};

// A press of TAB waits only for a moment, so that it never hangs the shell: where that was too short, one presses again.
template <class Press>
std::set<std::string> offered_at_last(Press&& press) {
  std::set<std::string> offered;
  for (int presses = 0; presses < 20 && offered.empty(); ++presses) offered = press();
  return offered;
}

TEST_F(CompletionOfNames, ByTheHelper) {
  EXPECT_EQ(holdfast_run({"__complete", "status", "night"}, here()).out, ":nothing\nnightly\n");
  EXPECT_EQ(lines_of(holdfast_run({"__complete", "status", "invoice:"}, here()).out),
            (std::set<std::string>{":nothing", "invoice:41", "invoice:42"}));
  EXPECT_EQ(holdfast_run({"__complete", "status", "a*"}, here()).out, ":nothing\na*b\n") << "no pattern of ours";
  EXPECT_EQ(holdfast_run({"__complete", "status", "--url", server().url(), "night"}).out, ":nothing\nnightly\n");
}

TEST_F(CompletionOfNames, InBash) {
  const auto offers = [&](const std::string& typed) {
    return offered_at_last([&] { return bash_offers(typed, here()); });
  };
  EXPECT_EQ(offers("holdfast status night"), std::set<std::string>{"nightly"});
  EXPECT_EQ(offers("holdfast status invoice:"), (std::set<std::string>{"41", "42"})) << "after the colon";
}

TEST_F(CompletionOfNames, InFish) {
  const auto offers = [&](const std::string& typed) {
    return offered_at_last([&] { return fish_offers(typed, here()); });
  };
  EXPECT_EQ(offers("holdfast status night"), std::set<std::string>{"nightly"});
  EXPECT_EQ(offers("holdfast status invoice:"), (std::set<std::string>{"invoice:41", "invoice:42"}));
}

TEST_F(CompletionOfNames, InZsh) {
  expect_zsh("holdfast status night", "holdfast status nightly", here());
  expect_zsh("holdfast status invoice:", "invoice:42", here());
}

TEST_F(CompletionOfNames, WithoutAnAnswerThereAreNoneAndNoComplaint) {
  server().pause();
  const outcome slow = holdfast_run({"__complete", "status", ""}, here());
  server().resume();
  EXPECT_EQ(slow.out, ":nothing\n");
  EXPECT_EQ(slow.err, "");
  EXPECT_LT(slow.took, 5s) << "0.4 s and the load of the machine";
  const outcome gone = holdfast_run({"__complete", "status", ""}, {{"HOLDFAST_URL", "redis://127.0.0.1:1"}});
  EXPECT_EQ(gone.out, ":nothing\n");
  EXPECT_EQ(gone.err, "");
  EXPECT_EQ(gone.code(), 0);
}

TEST_F(CompletionOfNames, StartNoPrivateRedis) {
  const temp_dir runtime;
  const outcome seen = holdfast_run({"__complete", "status", ""}, {{"XDG_RUNTIME_DIR", runtime.file("")},
                                                                   {"HOME", runtime.file("")},
                                                                   {"XDG_CONFIG_HOME", runtime.file("")},
                                                                   {"HOLDFAST_TEST_PRIVATE_ALONE", "1"},
                                                                   {"HOLDFAST_TEST_PRIVATE_IDLE_MS", "500"}});
  EXPECT_EQ(seen.out, ":nothing\n");
  EXPECT_FALSE(std::filesystem::exists(runtime.file("holdfast/redis.sock")));
}

}  // namespace
}  // namespace holdfast::test
