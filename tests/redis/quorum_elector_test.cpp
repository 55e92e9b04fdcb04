// Leader election on a quorum whose nodes forget, or are dead: a minority hinders nobody. What is the same on one server:
// elector_scenes_test.cpp.
#include <gtest/gtest.h>

#include <string>

#include "redis/quorum_elector.hpp"

namespace holdfast::test {
namespace {

class QuorumElector : public testing::TestWithParam<std::size_t> {
 protected:
  quorum_group nodes{{.nodes = GetParam(), .max_ttl = 60s}};
  std::size_t majority = GetParam() / 2 + 1;
  client first{nodes.where()};
  client second{nodes.where()};
};

TEST_P(QuorumElector, LeadingGoesOnBeyondTheTtlAndNodesThatForgotAreTakenUpAgainWithTheRecord) {
  elector seat{first, "seat", {.id = "me", .ttl = 900ms}};
  seat.start();
  ASSERT_TRUE(eventually(patience, [&] { return seat.leads() && nodes.holding(record) == nodes.size(); }));
  const auto term = seat.term();
  // One after the other all have forgotten it, as in a rolling restart.
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    nodes.node(i).text({"DEL", "seat", record});
    ASSERT_TRUE(eventually(patience, [&] { return nodes.holding(record) == nodes.size(); })) << i;
  }
  EXPECT_TRUE(seat.leads());
  EXPECT_EQ(seat.term(), term);
  const auto seen = leader_of(second, "seat").value();
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->id, "me");
  EXPECT_EQ(seen->term, term);
  nodes.node(0).text({"SET", record, "1 3 oldid", "PX", "30000"});
  EXPECT_TRUE(eventually(patience, [&] {
    return has(nodes.node(0).text({"GET", record}), std::to_string(term));
  })) << "an earlier leader's record is replaced";
  seat.stop();
  EXPECT_TRUE(nothing_left(nodes));
}

TEST_P(QuorumElector, AMinorityOfDeadNodesHindersNobodyAndTermsGrow) {
  elector one{first, "seat", {.id = "one", .ttl = 900ms}};
  elector two{second, "seat", {.id = "two", .ttl = 900ms}};
  std::uint64_t last = 0;
  for (std::size_t dead = 0; dead <= nodes.size() - majority; ++dead) {
    if (dead > 0) nodes.node(dead - 1).kill();
    for (elector* each : {&one, &two}) {
      const auto held = each->campaign(std::nothrow, {}, patience);
      ASSERT_TRUE(held) << dead << ": " << held.failure().detail;
      EXPECT_GT(held->fence(), last);
      last = held->fence();
      EXPECT_EQ(who_leads(first), each == &one ? "one" : "two") << dead;
      EXPECT_EQ(who_leads(second), each == &one ? "one" : "two") << dead;
    }
  }
  EXPECT_EQ(who_leads(first), "nobody");
  EXPECT_TRUE(nothing_left(nodes));
}

TEST_P(QuorumElector, WithoutAMajorityItIsUnreachable) {
  elector seat{first, "seat", {.id = "one"}};
  auto held = seat.campaign();
  for (std::size_t i = 0; i < nodes.size() - majority + 1; ++i) nodes.node(i).kill();
  EXPECT_TRUE(eventually(patience, [&] { return who_leads(second) == "unreachable"; }));
  const auto seen = leader_of(second, "seat");
  ASSERT_FALSE(seen);
  EXPECT_TRUE(has(seen.failure().detail, std::to_string(majority) + " are needed")) << seen.failure().detail;
  EXPECT_EQ(elector(first, "free").campaign(std::nothrow, {}, 0ms).code(), errc::unreachable);
  EXPECT_EQ(held.release(), release_outcome::unknown);
}

INSTANTIATE_TEST_SUITE_P(OfNodes, QuorumElector, testing::Values(3, 5));

}  // namespace
}  // namespace holdfast::test
