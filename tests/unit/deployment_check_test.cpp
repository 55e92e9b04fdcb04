// What INFO tells about dangers to locks.
#include "client/deployment_check.hpp"

#include <gtest/gtest.h>

#include <string>

namespace holdfast::detail {
namespace {

const std::string safe =
    "# Memory\r\nused_memory:1000\r\nmaxmemory_policy:noeviction\r\n\r\n# Persistence\r\nloading:0\r\naof_enabled:1\r\n"
    "\r\n# Replication\r\nrole:master\r\n";

std::string with(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

TEST(DeploymentCheck, ASafeServerGivesNoWarning) { EXPECT_TRUE(find_dangers(safe).empty()); }

TEST(DeploymentCheck, EveryEvictionPolicyIsADanger) {
  for (const std::string policy : {"volatile-ttl", "volatile-lru", "volatile-lfu", "volatile-random", "allkeys-lru",
                                   "allkeys-lfu", "allkeys-random"}) {
    const auto found = find_dangers(with(safe, "noeviction", policy));
    ASSERT_EQ(found.size(), 1U) << policy;
    EXPECT_NE(found[0].what.find(policy), std::string::npos);
    EXPECT_EQ(found[0].fix, "CONFIG SET maxmemory-policy noeviction");
  }
}

TEST(DeploymentCheck, AReplicaIsADanger) {
  const auto found = find_dangers(with(safe, "role:master", "role:slave"));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_NE(found[0].what.find("replica"), std::string::npos);
  EXPECT_NE(found[0].fix.find("primary"), std::string::npos);
}

TEST(DeploymentCheck, NoAppendOnlyFileIsADanger) {
  const auto found = find_dangers(with(safe, "aof_enabled:1", "aof_enabled:0"));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_NE(found[0].what.find("appendonly"), std::string::npos);
  EXPECT_NE(found[0].fix.find("appendonly yes"), std::string::npos);
}

TEST(DeploymentCheck, AllAtOnceAreAllTold) {
  auto text = with(safe, "noeviction", "allkeys-lru");
  text = with(text, "role:master", "role:slave");
  EXPECT_EQ(find_dangers(with(text, "aof_enabled:1", "aof_enabled:0")).size(), 3U);
}

TEST(DeploymentCheck, FieldsAreWholeLinesOnly) {
  EXPECT_TRUE(find_dangers("xrole:slave\r\nnot_aof_enabled:0\r\n").empty());
  EXPECT_EQ(find_dangers("role:slave").size(), 1U) << "the first and last line has no line end";
  EXPECT_EQ(find_dangers("a:1\nrole:slave\nb:2").size(), 1U) << "plain line feeds will do";
}

TEST(DeploymentCheck, TextsThatAreNotInfoGiveNothing) {
  for (const char* text : {"", "\r\n", "hello", "maxmemory_policy:", "role"}) EXPECT_TRUE(find_dangers(text).empty());
}

}  // namespace
}  // namespace holdfast::detail
