// elect and leader on a quorum: the same commands, by the URL; a killed leader is followed, with a node killed as well.
#include <gtest/gtest.h>

#include "cli/command.hpp"
#include "support/eventually.hpp"
#include "support/quorum_group.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

class QuorumElect : public testing::Test {
 protected:
  quorum_group nodes{{.nodes = 5, .max_ttl = 10s}};
  environment variables{{"HOLDFAST_URL", nodes.url()}, {"HOLDFAST_MAX_TTL", "10s"}, {"HOLDFAST_NODE_TIMEOUT", "500ms"}};

  // Prints its term when it leads; ends with its input.
  [[nodiscard]] std::unique_ptr<command> service(const std::string& id) const {
    return std::make_unique<command>(std::vector<std::string>{"elect", "--ttl", "2s", "--id", id, "seat", "--", "sh",
                                                              "-c", "echo $HOLDFAST_TERM; exec cat"},
                                     variables);
  }
  static std::uint64_t term_of(command& who) {
    const auto line = who.running().read_line(20s);
    return line && !line->empty() ? std::stoull(*line) : 0;
  }
  [[nodiscard]] bool waits_on(std::size_t node, int count) {
    return eventually(20s, [&] { return nodes.node(node).number({"ZCARD", "{seat}:waiters"}) == count; });
  }
  static bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }
};

TEST_F(QuorumElect, AKilledLeaderIsFollowedUnderAGreaterTermAndObserversSeeIt) {
  auto first = service("a");
  const auto term = term_of(*first);
  ASSERT_NE(term, 0U);
  command watching{{"leader", "-f", "seat"}, variables};
  EXPECT_TRUE(has(watching.running().read_line(20s).value_or(""), "a"));
  const outcome seen = holdfast_run({"leader", "seat"}, variables);
  EXPECT_EQ(seen.code(), 0) << seen.err;
  EXPECT_TRUE(has(seen.out, std::to_string(term))) << seen.out;
  auto second = service("b");
  ASSERT_TRUE(waits_on(4, 1));
  nodes.node(0).kill();
  first->running().kill();
  const auto next = term_of(*second);
  EXPECT_GT(next, term);
  std::string line;
  EXPECT_TRUE(eventually(20s, [&] {
    line = watching.running().read_line(100ms).value_or("");
    return has(line, std::to_string(next));
  }));
  second->running().close_input();
  EXPECT_EQ(second->finish().code(), 0);
  EXPECT_TRUE(eventually(20s, [&] { return nodes.left_behind().empty(); }));
  const outcome nobody = holdfast_run({"leader", "seat"}, variables);
  EXPECT_EQ(nobody.code(), 1) << nobody.out << nobody.err;
  watching.running().kill();
}

}  // namespace
}  // namespace holdfast::test
