// The man pages: one for the command and one per verb, without a fault that a formatter finds, and complete.
#include "topology/keys.hpp"

#include <gtest/gtest.h>

#include <cctype>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "support/places.hpp"
#include "support/temp_dir.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

std::vector<std::string> page_names() {
  std::vector<std::string> names{"holdfast"};
  std::istringstream in{holdfast_run({"help", "--verbs"}).out};
  for (std::string verb; std::getline(in, verb);) names.push_back("holdfast-" + verb);
  return names;
}

std::string source_of(const std::string& name) {
  if (name == "holdfast") return holdfast_run({"help", "--man"}).out;
  return holdfast_run({"help", "--man", name.substr(std::string{"holdfast-"}.size())}).out;
}

// What the program prints about the file, standard error included.
std::string tell(const std::vector<std::string>& argv, const environment& variables = {}) {
  process asked{argv, {.environment = variables, .merge_stderr = true}};
  std::string text = asked.read_rest(30s);
  const auto ended = asked.wait(10s);
  EXPECT_TRUE(ended && ended->code == 0) << argv[0] << ": " << text;
  return text;
}

std::string shown(const std::string& file) {
  std::string text = tell({"man", "-P", "cat", "--warnings", "-l", file},
                          {{"LC_ALL", "C.UTF-8"}, {"MANWIDTH", "200"}, {"MAN_KEEP_FORMATTING", "0"}});
  return std::regex_replace(text, std::regex{"\x1b\\[[0-9;]*m|.\b"}, "");
}

class Man : public testing::Test {
 protected:
  std::string written(const std::string& name, const std::string& text) {
    const std::string file = dir_.file(name + ".1");
    std::ofstream{file} << text;
    return file;
  }

 private:
  temp_dir dir_;
};

TEST_F(Man, FormattersFindNoFault) {
  for (const auto& name : page_names()) {
    const std::string file = written(name, source_of(name));
    EXPECT_EQ(tell({"groff", "-ww", "-man", "-Tutf8", "-z", "-rCHECKSTYLE=2", file}), "") << name;
    EXPECT_EQ(tell({"/bin/sh", "-c", "man --warnings -l \"$0\" >/dev/null", file}), "") << name;
  }
}

TEST_F(Man, TheFormatterWouldFindAFault) {
  const std::string file = written("broken", ".TH X 1\n.SH NAME\nx \\- y\n.nonsense\n\\fQ\n");
  EXPECT_NE(tell({"groff", "-ww", "-man", "-Tutf8", "-z", file}), "");
}

TEST_F(Man, EveryPageHasItsSections) {
  for (const auto& name : page_names()) {
    const std::string text = shown(written(name, source_of(name)));
    for (const char* section :
         {"\nNAME\n", "\nSYNOPSIS\n", "\nEXIT STATUS\n", "\nENVIRONMENT\n", "\nEXAMPLES\n", "\nSEE ALSO\n"}) {
      EXPECT_NE(text.find(section), std::string::npos) << name << " has no" << section;
    }
    EXPECT_NE(text.find(name + " - "), std::string::npos) << name;
  }
}

// All that --help says of options stands in the page, too: both come from the same words.
TEST_F(Man, TellsEveryOptionOfTheHelp) {
  static const std::regex flag{R"((--[a-z][a-z-]*))"};
  for (const auto& name : page_names()) {
    if (name == "holdfast") continue;
    const std::string help = holdfast_run({name.substr(9), "--help"}).out;
    const std::string text = shown(written(name, source_of(name)));
    int options = 0;
    const auto end = help.find("\nExamples:");
    const std::string head = help.substr(0, end);
    for (std::sregex_iterator at{head.begin(), head.end(), flag}, stop; at != stop; ++at, ++options) {
      EXPECT_NE(text.find((*at)[1]), std::string::npos) << name << " does not tell " << (*at)[1];
    }
    EXPECT_GT(options, 0) << name;
  }
}

TEST_F(Man, TheOverviewTellsEveryVerbSettingAndFile) {
  const std::string text = shown(written("holdfast", source_of("holdfast")));
  for (const auto& name : page_names()) {
    if (name == "holdfast") continue;
    EXPECT_NE(text.find(name + "(1)"), std::string::npos) << name;
  }
  for (const auto& key : topology::setting_keys()) {
    std::string variable = "HOLDFAST_";
    for (const char c : std::string{key.name}) variable += static_cast<char>(std::toupper(c));
    EXPECT_NE(text.find("\n       " + variable + "\n"), std::string::npos) << variable;
  }
  for (const char* word : {"/etc/holdfast.conf", "~/.config/holdfast.conf", "HOLDFAST_CONFIG", "NO_COLOR"}) {
    EXPECT_NE(text.find(word), std::string::npos) << word;
  }
}

TEST_F(Man, TheBuildWroteExactlyThesePages) {
  std::set<std::string> wanted;
  for (const auto& name : page_names()) wanted.insert(name + ".1");
  std::set<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator{binary_dir() + "/man"}) {
    found.insert(entry.path().filename().string());
  }
  EXPECT_EQ(found, wanted);
}

TEST_F(Man, TheDateIsThatOfTheSources) {
  const outcome seen = holdfast_run({"help", "--man"}, {{"SOURCE_DATE_EPOCH", "86400"}});
  EXPECT_NE(seen.out.find(" 1 \"1970-01-02\" "), std::string::npos) << seen.out.substr(0, 100);
}

}  // namespace
}  // namespace holdfast::test
