// Latch and barrier against a model, on one Redis and on a quorum.
#include "redis/meeting_model.hpp"

#include <gtest/gtest.h>

#include "redis/common.hpp"
#include "support/quorum_group.hpp"
#include "support/seed.hpp"

namespace holdfast::test {
namespace {

constexpr int steps = 12'000;
constexpr int quorum_steps = 3'000;

struct MeetingModel : testing::Test {
  redis_server server;
  meeting_model model{[this] { return at(server); }, make_seed(), patience};
};

TEST_F(MeetingModel, Latch) {
  model.run_latch(steps);
  EXPECT_TRUE(server.keys_without_expiry().empty());
}

TEST_F(MeetingModel, Barrier) {
  model.run_barrier(steps, 500);
  EXPECT_TRUE(server.keys_without_expiry().empty());
}

struct QuorumMeetingModel : testing::Test {
  quorum_group nodes{{.nodes = 3}};
  meeting_model model{[this] { return nodes.where(); }, make_seed(), patience};
};

TEST_F(QuorumMeetingModel, Latch) {
  model.run_latch(quorum_steps);
  EXPECT_TRUE(nodes.without_expiry().empty());
}

TEST_F(QuorumMeetingModel, Barrier) {
  model.run_barrier(quorum_steps, 125);
  EXPECT_TRUE(nodes.without_expiry().empty());
}

}  // namespace
}  // namespace holdfast::test
