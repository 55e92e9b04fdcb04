// The documents against the code: what is listed must exist, and what exists must be listed.
#include "doctor/judge.hpp"
#include "doctor/rights.hpp"
#include "support/places.hpp"
#include "support/rights.hpp"
#include "topology/keys.hpp"

#include <holdfast/error.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace holdfast {
namespace {

namespace fs = std::filesystem;

const fs::path root{test::source_dir()};

std::string read(const fs::path& file) {
  std::ifstream in{file, std::ios::binary};
  std::ostringstream all;
  all << in.rdbuf();
  return all.str();
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in{text};
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// A table row whose first cell is exactly the word in backticks.
bool has_row(const std::string& text, std::string_view word) {
  const std::string start = "| `" + std::string{word} + "` |";
  return std::ranges::any_of(lines_of(text), [&](const std::string& line) { return line.starts_with(start); });
}

bool has_word(const std::string& text, std::string_view word) {
  const auto is_part = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !is_part(text[at - 1])) && (end == text.size() || !is_part(text[end]))) return true;
  }
  return false;
}

bool is_ours(const fs::path& relative) {
  const std::string top = relative.begin()->string();
  static const std::set<std::string> generated = {".git", "build", "bin", ".cache"};
  return !generated.contains(top) && !top.starts_with("build");
}

std::vector<fs::path> project_files() {
  std::vector<fs::path> files;
  for (auto it = fs::recursive_directory_iterator{root}; it != fs::recursive_directory_iterator{}; ++it) {
    const fs::path relative = it->path().lexically_relative(root);
    if (!is_ours(relative)) {
      it.disable_recursion_pending();
    } else if (it->is_regular_file()) {
      files.push_back(relative);
    }
  }
  return files;
}

// "Suite.Name" of every TEST, TEST_F and TEST_P below tests/.
std::set<std::string> all_tests() {
  static const std::regex declaration{R"(\bTEST(?:_[FP])?\(\s*(\w+)\s*,\s*(\w+)\s*\))"};
  std::set<std::string> found;
  for (const fs::path& file : project_files()) {
    if (*file.begin() != "tests" || file.extension() != ".cpp") continue;
    const std::string text = read(root / file);
    for (std::sregex_iterator at{text.begin(), text.end(), declaration}, end; at != end; ++at) {
      found.insert((*at)[1].str() + "." + (*at)[2].str());
    }
  }
  return found;
}

TEST(Docs, TheGuideHasARowForEveryError) {
  const std::string guide = read(root / "docs/guide.md");
  ASSERT_FALSE(guide.empty()) << "docs/guide.md is missing";
  for (unsigned code = 1; code <= static_cast<unsigned>(errc::not_replicated); ++code) {
    const auto name = to_string(static_cast<errc>(code));
    EXPECT_TRUE(has_row(guide, name)) << "docs/guide.md has no row that begins with | `" << name << "` |";
  }
}

TEST(Docs, EverySettingIsInTheHeaderAndInTheOperatorsPage) {
  const std::string header = read(root / "include/holdfast/settings.hpp");
  const std::string operate = read(root / "docs/operate.md");
  ASSERT_FALSE(operate.empty()) << "docs/operate.md is missing";
  ASSERT_FALSE(topology::setting_keys().empty());
  for (const auto& key : topology::setting_keys()) {
    EXPECT_TRUE(has_word(header, key.name)) << key.name << " is not in include/holdfast/settings.hpp";
    EXPECT_TRUE(has_word(operate, key.name)) << key.name << " is not in docs/operate.md";
  }
}

TEST(Docs, EveryFindingOfDoctorIsExplained) {
  const std::string operate = read(root / "docs/operate.md");
  for (const auto id : doctor::finding_ids()) {
    EXPECT_TRUE(has_row(operate, id)) << "docs/operate.md has no row that begins with | `" << id << "` |";
  }
}

// The rights in a part of the operators' page: "+get", "~app:*".
std::set<std::string> rights_in(const std::string& text) {
  static const std::regex word{R"((?:^|[\s`])([~&+][^\s`]+))"};
  std::set<std::string> found;
  for (std::sregex_iterator at{text.begin(), text.end(), word}, end; at != end; ++at) {
    std::string right = (*at)[1].str();
    if (const auto bar = right.find("\\|"); bar != std::string::npos) right.erase(bar, 1);  // escaped in a table
    found.insert(right);
  }
  return found;
}

// Doctor tries all that operators are told to give at least, and nothing that they are not told of.
TEST(Docs, TheRightsThatDoctorTriesAreInTheOperatorsPage) {
  std::string page = read(root / "docs/operate.md");
  const auto from = page.find("## The least rights");
  ASSERT_NE(from, std::string::npos);
  page = page.substr(from, page.find("\n## ", from + 1) - from);
  const std::set<std::string> documented = rights_in(page);
  const auto fence = page.find("```");
  const std::set<std::string> least = rights_in(page.substr(fence, page.find("```", fence + 3) - fence));
  ASSERT_GT(least.size(), 20U);
  std::set<std::string> tried;
  for (const auto& each : doctor::all_rights(doctor::make_trial_ground("app:", ""), 0, "")) {
    tried.insert(each.word);
    EXPECT_TRUE(documented.contains(each.word)) << each.word;
    EXPECT_EQ(each.how_much == doctor::need::needed, least.contains(each.word)) << each.word;
  }
  for (const std::string& each : least) EXPECT_TRUE(tried.contains(each)) << each;
}

TEST(Docs, TheRightsOfAClusterAreInTheOperatorsPage) {
  std::string page = read(root / "docs/operate.md");
  const auto from = page.find("On every node of a [Redis Cluster]");
  ASSERT_NE(from, std::string::npos);
  page = page.substr(from, page.find("`&holdfast:inbox:*`", from) - from);
  std::set<std::string> needed;
  std::set<std::string> better;
  for (const auto& each : doctor::cluster_rights(doctor::make_trial_ground("app:", ""))) {
    (each.how_much == doctor::need::needed ? needed : better).insert(each.word);
  }
  EXPECT_EQ(needed, (std::set<std::string>{test::cluster_rights.begin(), test::cluster_rights.end()}));
  EXPECT_EQ(better, (std::set<std::string>{test::cluster_message_rights.begin(), test::cluster_message_rights.end()}));
  needed.merge(better);
  EXPECT_EQ(rights_in(page), needed);
}

TEST(Docs, TheRightsOfAQuorumAreInTheOperatorsPage) {
  const std::string page = read(root / "docs/operate.md");
  const auto from = page.find("On every node of a [quorum]");
  ASSERT_NE(from, std::string::npos);
  std::set<std::string> tried;
  for (const auto& each : doctor::quorum_rights(doctor::make_trial_ground("app:", ""))) tried.insert(each.word);
  EXPECT_EQ(tried, (std::set<std::string>{test::quorum_rights.begin(), test::quorum_rights.end()}));
  EXPECT_EQ(rights_in(page.substr(from, page.find('\n', from) - from)), tried);
}

TEST(Docs, TheRightsWithoutScriptsAreInTheOperatorsPage) {
  std::string page = read(root / "docs/operate.md");
  const auto from = page.find("### Without scripts");
  ASSERT_NE(from, std::string::npos);
  page = page.substr(from, page.find("\n## ", from + 1) - from);
  const auto fence = page.find("```");
  const std::set<std::string> least = rights_in(page.substr(fence, page.find("```", fence + 3) - fence));
  std::set<std::string> needed;
  for (const auto& each : doctor::all_rights(doctor::make_trial_ground("app:", ""), 0, "", false)) {
    if (each.how_much == doctor::need::needed) needed.insert(each.word);
  }
  EXPECT_EQ(least, needed);
  EXPECT_EQ(least, (std::set<std::string>{test::rights_without_scripts.begin(), test::rights_without_scripts.end()}));
}

TEST(Docs, EveryRequirementNamesTestsThatExist) {
  const std::string page = read(root / "docs/requirements.md");
  ASSERT_FALSE(page.empty()) << "docs/requirements.md is missing";
  const std::set<std::string> tests = all_tests();
  ASSERT_TRUE(tests.contains("Docs.EveryRequirementNamesTestsThatExist")) << "the search itself is broken";
  static const std::regex row{R"(^\|\s*(S\d-\d+)\s*\|)"};
  static const std::regex name{R"(`([A-Za-z]\w*\.\w+)`)"};
  std::set<std::string> ids;
  for (const std::string& line : lines_of(page)) {
    std::smatch id;
    if (!std::regex_search(line, id, row)) continue;
    EXPECT_TRUE(ids.insert(id[1].str()).second) << id[1] << " stands there twice";
    int named = 0;
    for (std::sregex_iterator at{line.begin(), line.end(), name}, end; at != end; ++at, ++named) {
      EXPECT_TRUE(tests.contains((*at)[1].str())) << id[1] << " names " << (*at)[1] << ", which is no test";
    }
    EXPECT_GT(named, 0) << id[1] << " names no test";
  }
  // What the core and the deployments must prove.
  for (const char* id : {"S0-1", "S0-2", "S0-3", "S0-4", "S0-5", "S1-1", "S1-3", "S1-5", "S1-6", "S2-1", "S2-2", "S2-3",
                         "S3-1", "S3-2", "S3-3", "S3-4", "S4-3", "S4-4", "S4-5"}) {
    EXPECT_TRUE(ids.contains(id)) << id << " is not in docs/requirements.md";
  }
}

// The command prints its rows in the form of the page's table; none is to be forgotten there.
TEST(Docs, EveryKindOfLockThatIsMeasuredIsInTheTables) {
  const std::string list = read(root / "bench/families/list.cpp");
  const std::string page = read(root / "docs/choose.md");
  const auto figures = page.find("\n## Figures\n");
  const auto measured = page.find("\n## What was measured\n");
  ASSERT_NE(figures, std::string::npos);
  ASSERT_NE(measured, std::string::npos);
  const std::string table = page.substr(figures, measured - figures);
  static const std::regex made{R"(make_(\w+)\((\w*)\))"};
  int found = 0;
  for (std::sregex_iterator at{list.begin(), list.end(), made}, end; at != end; ++at, ++found) {
    std::string name = (*at)[1];
    const std::string how = (*at)[2];
    if (name == "postgresql") name += how == "true" ? "_advisory" : "_row";
    if (name == "redis" && how == "true") name += "_fsync";
    if (name == "zookeeper" || name == "etcd") name += "_" + how;
    EXPECT_NE(table.find("\n| " + name + " |"), std::string::npos) << name << " has no figures";
    EXPECT_TRUE(has_word(page.substr(measured), name)) << name << " is not explained";
  }
  EXPECT_EQ(found, 10);
}

TEST(Docs, NoFileKnowsWhereItWasWritten) {
  // Home directories, and wherever this very tree and its build are now (unless that is too general to search for).
  std::vector<std::regex> forbidden;
  forbidden.emplace_back(R"((^|[\s"'`=(:])/(home|Users|root)/\w)");
  for (const fs::path& place : {root, fs::path{test::binary_dir()}}) {
    const std::string text = fs::weakly_canonical(place).string();
    const std::regex special{R"([.^$|()\[\]{}*+?\\])"};
    if (std::ranges::count(text, '/') > 1) forbidden.emplace_back(std::regex_replace(text, special, R"(\$&)"));
  }
  const std::vector<fs::path> files = project_files();
  ASSERT_GT(files.size(), 50U) << "the search itself is broken";
  for (const fs::path& file : files) {
    if (file.string().starts_with("tests/fuzz/corpus")) continue;
    int number = 0;
    for (const std::string& line : lines_of(read(root / file))) {
      ++number;
      for (const std::regex& path : forbidden) {
        EXPECT_FALSE(std::regex_search(line, path)) << file.string() << ":" << number << ": " << line.substr(0, 200);
      }
    }
  }
}

}  // namespace
}  // namespace holdfast
