// ./dev against what it starts: its list of packages has its reasons, its usage text all that can be asked for.
#include "support/places.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>

namespace {

namespace fs = std::filesystem;

std::string read(const std::string& file) {
  std::ifstream in{fs::path{holdfast::test::source_dir()} / file, std::ios::binary};
  std::ostringstream all;
  all << in.rdbuf();
  return all.str();
}

// What stands between the two lines.
std::string part(const std::string& text, const std::string& from, const std::string& to) {
  const auto begin = text.find(from);
  const auto end = text.find(to, begin);
  return begin == std::string::npos || end == std::string::npos ? "" : text.substr(begin, end - begin);
}

std::set<std::string> all_matches(const std::string& text, const std::regex& what) {
  std::set<std::string> found;
  for (std::sregex_iterator at{text.begin(), text.end(), what}, end; at != end; ++at) found.insert((*at)[1]);
  return found;
}

bool has_word(const std::string& text, const std::string& word) {
  return std::regex_search(text, std::regex{"(^|[^A-Za-z0-9_-])" + word + "($|[^A-Za-z0-9_-])"});
}

TEST(Dev, EveryPackageIsExplained) {
  const std::string page = read("docs/dependencies.md");
  const std::string table = part(read("dev"), "package_table() {", "\nEND\n");
  static const std::regex line{R"(\n[a-z]+ ([a-z0-9][a-z0-9.+-]+) +\S)"};
  const std::set<std::string> packages = all_matches(table, line);
  EXPECT_GE(packages.size(), 30U);
  for (const std::string& each : packages) {
    EXPECT_NE(page.find(each), std::string::npos) << each << " is not in docs/dependencies.md";
  }
}

TEST(Dev, TheUsageNamesEveryVerbAndSuite) {
  const std::string dev = read("dev");
  const std::string usage = part(dev, "usage() {", "\nEND\n");
  const std::set<std::string> verbs = all_matches(dev, std::regex{R"(\nverb_(\w+)\(\))"});
  EXPECT_GE(verbs.size(), 8U);
  for (const std::string& each : verbs) EXPECT_TRUE(has_word(usage, each)) << each;
  const std::set<std::string> suites = all_matches(read("bench/main.cpp"), std::regex{R"(entry\{"(\w+)\")"});
  EXPECT_GE(suites.size(), 15U);
  const std::string refusal = part(dev, "bench needs a suite", "\n");
  for (const std::string& each : suites) {
    EXPECT_TRUE(has_word(usage, each)) << each << " is not in the usage text";
    EXPECT_TRUE(has_word(refusal, each)) << each << " is not in what bench says without a suite";
  }
}

}  // namespace
