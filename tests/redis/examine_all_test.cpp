// holdfast::examine_all: every server of a deployment has its own diagnosis.
#include <gtest/gtest.h>
#include <holdfast/doctor.hpp>

#include <algorithm>

#include "redis/common.hpp"
#include "support/cluster_group.hpp"
#include "support/quorum_group.hpp"
#include "support/rights.hpp"

namespace holdfast::test {
namespace {

const examine_options brief{.clock_watch = 50ms, .pings = 5};

severity severity_of(const diagnosis& all, const std::string& id) {
  const auto found =
      std::find_if(all.findings.begin(), all.findings.end(), [&](const finding& each) { return each.id == id; });
  if (found == all.findings.end()) throw std::runtime_error{"no finding " + id};
  return found->how_bad;
}

TEST(ExamineAll, OfOneServerIsWhatExamineSays) {
  redis_server server;
  client redis{at(server)};
  const auto got = examine_all(redis, brief);
  ASSERT_TRUE(got) << got.failure().detail;
  ASSERT_EQ(got->size(), 1U);
  EXPECT_EQ(got->front().where, server.url());
  EXPECT_EQ(severity_of(got->front(), "quorum"), severity::fine);
}

TEST(ExamineAll, EveryNodeOfAQuorumAlsoTheOneThatIsDown) {
  quorum_group nodes{{.nodes = 3}};
  static_cast<void>(nodes.node(1).text({"CONFIG", "SET", "maxmemory-policy", "allkeys-lru"}));
  nodes.node(2).kill();
  client redis{nodes.where()};
  EXPECT_EQ(examine(redis, brief).code(), errc::bad_option) << "which of them?";
  const auto got = examine_all(redis, brief);
  ASSERT_TRUE(got) << got.failure().detail;
  ASSERT_EQ(got->size(), 3U);
  EXPECT_EQ(got->at(0).where, nodes.node(0).url());
  EXPECT_EQ(severity_of(got->at(0), "eviction"), severity::fine);
  EXPECT_EQ(severity_of(got->at(0), "quorum"), severity::fine);
  EXPECT_EQ(severity_of(got->at(0), "replicas"), severity::fine) << "a quorum needs none";
  EXPECT_EQ(severity_of(got->at(1), "eviction"), severity::danger);
  ASSERT_EQ(got->at(2).findings.size(), 1U);
  EXPECT_EQ(severity_of(got->at(2), "reachable"), severity::danger);
}

TEST(ExamineAll, TwoNamesOfOneServerAreADanger) {
  redis_server one;
  redis_server other;
  const std::string port = std::to_string(one.port());
  client redis{settings::from_url("redis+quorum://127.0.0.1:" + port + ",127.0.0.1:" + std::to_string(other.port()) +
                                  ",localhost:" + port)
                   .value()};
  const auto got = examine_all(redis, brief);
  ASSERT_TRUE(got) << got.failure().detail;
  ASSERT_EQ(got->size(), 3U);
  EXPECT_EQ(severity_of(got->at(0), "quorum"), severity::fine);
  EXPECT_EQ(severity_of(got->at(1), "quorum"), severity::fine);
  EXPECT_EQ(severity_of(got->at(2), "quorum"), severity::danger);
}

TEST(ExamineAll, ANodeOfAQuorumNeedsRightsOfItsOwn) {
  quorum_group nodes{{.nodes = 3}};
  std::vector<std::string> user{"ACL", "SETUSER", "default", "reset", "on", "nopass", "+acl|whoami", "+acl|dryrun"};
  user.insert(user.end(), needed_rights.begin(), needed_rights.end());
  user.insert(user.end(), optional_rights.begin(), optional_rights.end());
  user.insert(user.end(), family_rights.begin(), family_rights.end());
  static_cast<void>(nodes.node(0).text(user));
  settings where = nodes.where();
  where.prefix = "app:";
  client redis{where};
  const auto got = examine_all(redis, brief);
  ASSERT_TRUE(got) << got.failure().detail;
  EXPECT_EQ(severity_of(got->at(1), "acl"), severity::fine);
  EXPECT_EQ(severity_of(got->at(0), "acl"), severity::danger);
  const auto& findings = got->at(0).findings;
  const auto acl = std::find_if(findings.begin(), findings.end(), [](const finding& each) { return each.id == "acl"; });
  EXPECT_TRUE(has(acl->fix, "~holdfast:quorum")) << acl->fix;
}

TEST(ExamineAll, EveryPrimaryOfACluster) {
  cluster_group nodes;
  client redis{nodes.url()};
  const auto got = examine_all(redis, brief);
  ASSERT_TRUE(got) << got.failure().detail;
  ASSERT_EQ(got->size(), 3U);
  for (const diagnosis& each : *got) {
    EXPECT_EQ(severity_of(each, "cluster"), severity::fine) << each.where;
    EXPECT_EQ(severity_of(each, "role"), severity::fine) << each.where;
  }
}

TEST(ExamineAll, APrimaryOfAClusterThatIsDownIsNotLeftOut) {
  cluster_group nodes;
  nodes.node(1).kill();
  client redis{nodes.url()};
  const auto got = examine_all(redis, brief);
  ASSERT_TRUE(got) << got.failure().detail;
  ASSERT_EQ(got->size(), 3U);
  for (const diagnosis& each : *got) {
    const bool down = each.where == nodes.node(1).url();
    EXPECT_EQ(each.findings.size() == 1, down) << each.where;
    if (down) {
      EXPECT_EQ(severity_of(each, "reachable"), severity::danger);
    }
  }
}

TEST(ExamineAll, FailsWhereNobodyAnswers) {
  quorum_group nodes{{.nodes = 3}};
  for (std::size_t i = 0; i < nodes.size(); ++i) nodes.node(i).kill();
  auto where = nodes.where();
  where.command_timeout = 500ms;
  client redis{where};
  EXPECT_EQ(examine_all(redis, brief).code(), errc::unreachable);
}

}  // namespace
}  // namespace holdfast::test
