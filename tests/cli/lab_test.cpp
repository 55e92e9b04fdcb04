// holdfast lab: every experiment by its name, from the list in the code; the page; and that it can fail.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>

#include <algorithm>
#include <boost/property_tree/ptree.hpp>
#include <boost/property_tree/xml_parser.hpp>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <lab/laboratory.hpp>

#include "cli/command.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::string read(const std::string& path) {
  std::ifstream in{path, std::ios::binary};
  std::ostringstream all;
  all << in.rdbuf();
  return all.str();
}

// Well-formed (a parser of XML reads it), and nothing in it makes a browser ask for anything else.
void expect_a_page_of_its_own(const std::string& text) {
  ASSERT_TRUE(text.starts_with("<!DOCTYPE html>")) << text.substr(0, 100);
  std::istringstream in{text};
  boost::property_tree::ptree tree;
  EXPECT_NO_THROW(boost::property_tree::read_xml(in, tree));
  EXPECT_EQ(tree.get<std::string>("html.head.title", ""), "Holdfast: the laboratory");
  for (const char* const foreign : {"http:", "https:", "src=", "<script", "<link", "<iframe", "url(", "@import"}) {
    EXPECT_FALSE(has(text, foreign)) << foreign;
  }
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const lab::entry& each : lab::catalogue()) all.push_back(each.name);
  return all;
}

// "yes" or "no" in the summary's line of that experiment.
std::string held_at_once(const std::string& text, const std::string& name) {
  std::smatch found;
  return std::regex_search(text, found, std::regex{"\n  " + name + " +(yes|no) +as expected\n"}) ? found[1].str() : "";
}

class LabExperiment : public testing::TestWithParam<std::string> {};

TEST_P(LabExperiment, ComesOutAsExpectedAndIsDrawn) {
  const temp_dir place;
  const temp_dir out;
  const outcome seen = holdfast_run({"lab", GetParam(), "--html", out.file("page.html")}, {{"TMPDIR", place.file("")}},
                                    std::chrono::seconds{60});
  EXPECT_EQ(seen.code(), 0) << seen.out << seen.err;
  EXPECT_EQ(seen.err, "");
  EXPECT_TRUE(has(seen.out, GetParam() + ": ")) << seen.out;
  EXPECT_TRUE(has(seen.out, "expected")) << seen.out;
  EXPECT_TRUE(has(seen.out, "1 of 1 came out as expected")) << seen.out;
  EXPECT_TRUE(std::filesystem::is_empty(place.file(""))) << "it left something behind";

  const std::string page = read(out.file("page.html"));
  expect_a_page_of_its_own(page);
  EXPECT_TRUE(has(page, "<section id=\"" + GetParam() + "\">"));
  EXPECT_TRUE(has(page, "<svg ")) << "no drawing";
  EXPECT_TRUE(has(page, "<rect class=\"")) << "nothing drawn";
  // The red is there just when the summary says that two held the lock.
  EXPECT_EQ(held_at_once(seen.out, GetParam()), has(page, "<rect class=\"overlap\"") ? "yes" : "no") << seen.out;
}

INSTANTIATE_TEST_SUITE_P(all, LabExperiment, testing::ValuesIn(names()), [](const auto& each) {
  std::string name = each.param;
  std::ranges::replace(name, '-', '_');
  return name;
});

TEST(Lab, HasAllExperimentsThatWereAskedFor) {
  std::set<std::string> known;
  for (const lab::entry& each : lab::catalogue()) EXPECT_TRUE(known.insert(each.name).second) << each.name << " twice";
  for (const char* const wanted : {"no-expiry",
                                   "no-owner",
                                   "check-then-delete",
                                   "compare-and-delete",
                                   "polling-or-handoff",
                                   "paused-unfenced",
                                   "paused-fenced",
                                   "failover-unguarded",
                                   "failover-wait",
                                   "failover-fenced",
                                   "restart-forgets",
                                   "restart-remembers",
                                   "clock-step",
                                   "clock-step-redlock",
                                   "redlock-one-lost",
                                   "redlock-two-lost",
                                   "redlock-three-lost",
                                   "redlock-unguarded",
                                   "eviction-noeviction",
                                   "eviction-volatile-ttl",
                                   "eviction-volatile-lru",
                                   "eviction-volatile-lfu",
                                   "eviction-volatile-random",
                                   "eviction-allkeys-lru",
                                   "eviction-allkeys-lfu",
                                   "eviction-allkeys-random"}) {
    EXPECT_TRUE(known.contains(wanted)) << wanted;
  }
}

TEST(Lab, ListsThemAndRunsNothing) {
  const temp_dir place;
  const outcome seen = holdfast_run({"lab", "--list"}, {{"TMPDIR", place.file("")}, {"PATH", "/nowhere"}});
  EXPECT_EQ(seen.code(), 0) << seen.err;
  EXPECT_EQ(seen.out, lab::list_text(lab::catalogue()));
}

TEST(Lab, EveryExperimentHasItsParagraph) {
  const std::string page = read(source_dir() + "/docs/lab.md");
  for (const lab::entry& each : lab::catalogue()) {
    EXPECT_TRUE(has(page, "`" + each.name + "`")) << each.name << " is not in docs/lab.md";
  }
}

TEST(Lab, SeveralByNameAndOnePage) {
  const temp_dir out;
  const outcome seen = holdfast_run({"lab", "restart-forgets", "no-owner", "--html", out.file("page.html")});
  EXPECT_EQ(seen.code(), 0) << seen.out << seen.err;
  EXPECT_TRUE(has(seen.out, "2 of 2 came out as expected")) << seen.out;
  EXPECT_LT(seen.out.find("restart-forgets: "), seen.out.find("no-owner: ")) << "in the order that was asked for";
  const std::string page = read(out.file("page.html"));
  expect_a_page_of_its_own(page);
  EXPECT_TRUE(has(page, "id=\"restart-forgets\"") && has(page, "id=\"no-owner\""));
}

TEST(Lab, ANameThatDoesNotExistIsAUsageError) {
  const outcome seen = holdfast_run({"lab", "paused-fence"});
  EXPECT_EQ(seen.code(), 64);
  EXPECT_EQ(seen.out, "");
  EXPECT_EQ(seen.err,
            "holdfast: there is no experiment 'paused-fence'; did you mean 'paused-fenced'? (holdfast lab --list tells "
            "them)\n");
  const outcome later = holdfast_run({"lab", "no-owner", "nonsense"});
  EXPECT_EQ(later.code(), 64) << "before any runs";
  EXPECT_EQ(later.out, "");
}

TEST(Lab, APageThatCannotBeWrittenIsToldFirst) {
  const outcome seen = holdfast_run({"lab", "no-owner", "--html", "/nowhere/page.html"});
  EXPECT_EQ(seen.code(), 64);
  EXPECT_EQ(seen.out, "");
  EXPECT_EQ(seen.err, "holdfast: cannot write /nowhere/page.html\n");
}

// A Redis that does not behave as the experiment expects: this one keeps its data where it should forget them.
TEST(Lab, ADisagreementIsShownAndIsExitCode1) {
  const temp_dir dir;
  const temp_dir out;
  std::ofstream{dir.file("redis-server")} << "#!/bin/sh\nexec /usr/bin/redis-server \"$@\" --appendonly yes\n";
  ASSERT_EQ(::chmod(dir.file("redis-server").c_str(), 0755), 0);
  const outcome seen = holdfast_run({"lab", "restart-forgets", "--html", out.file("page.html")},
                                    {{"PATH", dir.file("") + ":/usr/bin:/bin"}});
  EXPECT_EQ(seen.code(), 1) << seen.out << seen.err;
  EXPECT_TRUE(has(seen.out, "!!  B takes it after the restart")) << seen.out;
  EXPECT_TRUE(has(seen.out, "NOT AS EXPECTED")) << seen.out;
  EXPECT_TRUE(has(seen.out, "0 of 1 came out as expected")) << seen.out;
  EXPECT_TRUE(has(read(out.file("page.html")), "not as expected"));
}

TEST(Lab, WithoutRedisServerItSaysSo) {
  const outcome seen = holdfast_run({"lab", "no-owner"}, {{"PATH", "/nowhere"}});
  EXPECT_EQ(seen.code(), 69);
  EXPECT_TRUE(has(seen.err, "redis-server is not installed")) << seen.err;
}

TEST(Lab, AnInterruptLeavesNothingBehind) {
  const temp_dir place;
  command running{{"lab"}, {{"TMPDIR", place.file("")}}};
  ASSERT_TRUE(running.running().read_line(60s)) << "the first experiment's findings";
  running.running().signal(SIGINT);
  const outcome seen = running.finish(60s);
  EXPECT_EQ(seen.code(), 130) << seen.err;
  EXPECT_TRUE(std::filesystem::is_empty(place.file("")));
}

TEST(Lab, TheNamesAreCompleted) {
  EXPECT_EQ(
      holdfast_run({"__complete", "lab", "paused-f"}).out,
      ":nothing\npaused-fenced\tthe same pause, and a storage that refuses a fence smaller than one it has seen\n");
}

}  // namespace
}  // namespace holdfast::test
