// run on a quorum, by the URL alone: readers together, so many permits, what a status says of them; and what is refused.
#include <gtest/gtest.h>

#include "cli/command.hpp"
#include "support/eventually.hpp"
#include "support/quorum_group.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

class QuorumRun : public testing::Test {
 protected:
  quorum_group nodes{{.nodes = 3, .max_ttl = 10s}};
  environment variables{{"HOLDFAST_URL", nodes.url()}, {"HOLDFAST_MAX_TTL", "10s"}, {"HOLDFAST_NODE_TIMEOUT", "500ms"}};

  // Says that it is inside; ends with its input.
  [[nodiscard]] std::unique_ptr<command> begin(std::vector<std::string> words) const {
    words.insert(words.begin(), {"run", "--ttl", "5s"});
    words.insert(words.end(), {"--", "sh", "-c", "echo inside; exec cat"});
    return std::make_unique<command>(std::move(words), variables);
  }
  static bool is_inside(command& who) { return who.running().read_line(20s).value_or("") == "inside"; }
  static bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }
  [[nodiscard]] outcome try_it(std::vector<std::string> words) const {
    words.insert(words.begin(), {"run", "--ttl", "5s", "-n"});
    words.insert(words.end(), {"--", "true"});
    return holdfast_run(words, variables);
  }
};

TEST_F(QuorumRun, ReadersTogetherAndNoWriterBesideThem) {
  auto first = begin({"-s", "data"});
  auto second = begin({"-s", "data"});
  ASSERT_TRUE(is_inside(*first));
  ASSERT_TRUE(is_inside(*second));
  EXPECT_EQ(try_it({"-x", "data"}).code(), 1);
  const outcome seen = holdfast_run({"status", "data"}, variables);
  EXPECT_TRUE(has(seen.out, "2 ")) << seen.out;
}

TEST_F(QuorumRun, SoManyPermitsAndNotOneMore) {
  auto most = begin({"--permits", "2/3", "pool"});
  ASSERT_TRUE(is_inside(*most));
  EXPECT_EQ(try_it({"--permits", "2/3", "pool"}).code(), 1);
  EXPECT_EQ(try_it({"--permits", "1/3", "pool"}).code(), 0);
}

TEST_F(QuorumRun, OncePerTickIsRefusedWithAReason) {
  const outcome seen = holdfast_run({"run", "--ttl", "5s", "--once-per", "1h", "job", "--", "true"}, variables);
  EXPECT_EQ(seen.code(), 64);
  EXPECT_TRUE(has(seen.err, "max_ttl")) << seen.err;
}

}  // namespace
}  // namespace holdfast::test
