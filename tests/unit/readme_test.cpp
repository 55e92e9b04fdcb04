// The pages quote what is compiled and run, and their links lead somewhere.
//
//   <!-- from examples/x.cpp -->      the code block that follows is the whole file
//   <!-- part of examples/x.cpp -->   … is a run of whole lines of it
//
// As in layers_test, the judges know nothing of the file system where they can, and are shown refusing what they must.
#include "support/places.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace {

namespace fs = std::filesystem;

const fs::path root{holdfast::test::source_dir()};

std::string read(const fs::path& file) {
  std::ifstream in{file, std::ios::binary};
  std::ostringstream all;
  all << in.rdbuf();
  return all.str();
}

std::vector<fs::path> pages() {
  std::vector<fs::path> found;
  for (const auto& folder : {root, root / "docs"}) {
    for (const auto& entry : fs::directory_iterator{folder}) {
      if (entry.path().extension() == ".md") found.push_back(entry.path());
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

struct quotation {
  std::string file;
  bool whole = false;
  std::string code;
};

// Every marked code block of a page; one without a block after its mark has empty code.
std::vector<quotation> quotations(const std::string& page) {
  static const std::regex mark{R"(^<!-- (from|part of) (\S+) -->$)"};
  std::vector<quotation> found;
  std::istringstream in{page};
  for (std::string line; std::getline(in, line);) {
    std::smatch parts;
    if (!std::regex_match(line, parts, mark)) continue;
    quotation made{parts[2], parts[1] == "from", {}};
    if (std::getline(in, line) && line == "```cpp") {
      while (std::getline(in, line) && line != "```") made.code += line + "\n";
    }
    found.push_back(made);
  }
  return found;
}

std::string complaint(const quotation& quoted, const std::string& file) {
  if (file.empty()) return "there is no such file";
  if (quoted.code.empty()) return "no code block follows the mark";
  if (quoted.whole) return quoted.code == file ? "" : "the block is not the file";
  const auto at = ("\n" + file).find("\n" + quoted.code);
  return at == std::string::npos ? "the block is no part of the file" : "";
}

// Without code blocks and inline code, in which brackets mean nothing.
std::string prose(const std::string& page) {
  std::string out;
  std::istringstream in{page};
  bool in_block = false;
  static const std::regex inline_code{"`[^`]*`"};
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("```")) {
      in_block = !in_block;
    } else if (!in_block) {
      out += std::regex_replace(line, inline_code, "") + "\n";
    }
  }
  return out;
}

std::vector<std::string> links(const std::string& page) {
  static const std::regex link{R"(\]\(([^)\s]+)\))"};
  const std::string text = prose(page);
  std::vector<std::string> found;
  for (std::sregex_iterator at{text.begin(), text.end(), link}, end; at != end; ++at) found.push_back((*at)[1]);
  return found;
}

// What a heading is called in a link, as the usual viewers make it: lower case, blanks as '-', no punctuation.
std::set<std::string> anchors(const std::string& page) {
  std::set<std::string> found;
  std::istringstream in{page};
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with("#")) continue;
    std::string made;
    for (const char c : line.substr(std::min(line.size(), line.find_first_not_of("# ")))) {
      const auto byte = static_cast<unsigned char>(c);
      if (std::isalnum(byte) != 0 || c == '-' || c == '_') made += static_cast<char>(std::tolower(byte));
      if (c == ' ') made += '-';
    }
    found.insert(made);
  }
  return found;
}

TEST(Readme, OpensWithTheTwoCommands) {
  for (const char* const name : {"README.md", "README.zh-CN.md"}) {
    const std::string page = read(root / name);
    const auto demo = page.find("./dev demo");
    const auto test = page.find("./dev test");
    const auto first_chapter = page.find("\n## ");
    ASSERT_NE(demo, std::string::npos) << name;
    ASSERT_NE(test, std::string::npos) << name;
    EXPECT_LT(demo, test) << name;
    EXPECT_LT(test, first_chapter) << name;
  }
}

TEST(Readme, QuotedCodeIsTheCodeThatRuns) {
  int checked = 0;
  for (const auto& page : pages()) {
    for (const auto& quoted : quotations(read(page))) {
      EXPECT_EQ(complaint(quoted, read(root / quoted.file)), "") << page.filename() << " quotes " << quoted.file;
      ++checked;
    }
  }
  EXPECT_GE(checked, 5);
  for (const char* const name : {"README.md", "README.zh-CN.md"}) {
    const auto found = quotations(read(root / name));
    EXPECT_TRUE(std::ranges::any_of(found, [](const auto& each) { return each.whole; })) << name << " shows no program";
  }
}

TEST(Readme, LinksLeadToFilesAndHeadings) {
  int checked = 0;
  for (const auto& page : pages()) {
    for (const auto& link : links(read(page))) {
      if (link.starts_with("https://")) continue;
      const auto hash = link.find('#');
      const fs::path target = hash == 0 ? page : page.parent_path() / link.substr(0, hash);
      EXPECT_TRUE(fs::exists(target)) << page.filename() << " links to " << link;
      if (hash != std::string::npos && fs::is_regular_file(target)) {
        EXPECT_TRUE(anchors(read(target)).contains(link.substr(hash + 1))) << page.filename() << " links to " << link;
      }
      ++checked;
    }
  }
  EXPECT_GE(checked, 30);
}

TEST(Readme, ExamplesAreShortAndAllAreShown) {
  const std::string page = read(root / "README.md");
  for (const auto& entry : fs::directory_iterator{root / "examples"}) {
    if (entry.path().extension() != ".cpp") continue;
    const std::string name = "examples/" + entry.path().filename().string();
    EXPECT_NE(page.find(name), std::string::npos) << name << " is not in README.md";
    EXPECT_LT(std::ranges::count(read(entry.path()), '\n'), 40) << name;
  }
}

TEST(Readme, NamesTestsThatExist) {
  std::set<std::string> tests;
  static const std::regex declaration{R"(\bTEST(?:_[FP])?\(\s*(\w+)\s*,\s*(\w+)\s*\))"};
  for (const auto& entry : fs::recursive_directory_iterator{root / "tests"}) {
    if (entry.path().extension() != ".cpp") continue;
    const std::string text = read(entry.path());
    for (std::sregex_iterator at{text.begin(), text.end(), declaration}, end; at != end; ++at) {
      tests.insert((*at)[1].str() + "." + (*at)[2].str());
    }
  }
  static const std::regex named{R"(`(\w+\.\w+)`)"};  // in these pages nothing else in backticks has this form
  for (const char* const name : {"README.md", "README.zh-CN.md", "docs/requirements.md"}) {
    const std::string page = read(root / name);
    int found = 0;
    for (std::sregex_iterator at{page.begin(), page.end(), named}, end; at != end; ++at, ++found) {
      EXPECT_TRUE(tests.contains((*at)[1])) << name << " names " << (*at)[1] << ", which is no test";
    }
    EXPECT_GE(found, 8) << name << " proves too few of its promises";
  }
}

TEST(Readme, JudgesRefuse) {
  const auto found = quotations(
      "x\n<!-- from a.cpp -->\n```cpp\none\n```\n<!-- part of a.cpp -->\n```cpp\nwo\n```\n<!-- from b -->\n");
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(complaint(found[0], "one\n"), "");
  EXPECT_NE(complaint(found[0], "one\ntwo\n"), "");
  EXPECT_NE(complaint(found[0], ""), "");
  EXPECT_NE(complaint(found[1], "one\ntwo\n"), "") << "a part begins with a whole line";
  EXPECT_EQ(complaint(found[1], "one\nwo\n"), "");
  EXPECT_NE(complaint(found[2], "text\n"), "") << "no block follows";
  EXPECT_EQ(links("a [b](c.md#d) `[e](f)`\n```\n[g](h)\n```\n[i](j)\n"), (std::vector<std::string>{"c.md#d", "j"}));
  EXPECT_EQ(anchors("## The least rights (ACL)\n"), (std::set<std::string>{"the-least-rights-acl"}));
}

}  // namespace
