// What doctor concludes, each finding at its boundaries: as a whole, memory, durability, topology, version.
#include "unit/judge_facts.hpp"

#include <algorithm>
#include <set>

namespace holdfast::doctor {
namespace {

TEST(Judge, AHealthyDeploymentIsFine) {
  for (const finding& each : judge(healthy())) {
    EXPECT_EQ(to_string(each.how_bad), "fine") << each.id << ": " << each.seen;
    EXPECT_FALSE(each.seen.empty()) << each.id;
  }
}

TEST(Judge, EveryIdIsFoundOnceAndInOrder) {
  const auto ids = finding_ids();
  const auto all = judge(healthy());
  ASSERT_EQ(all.size(), ids.size());
  for (std::size_t i = 0; i < ids.size(); ++i) EXPECT_EQ(all[i].id, ids[i]);
  EXPECT_EQ(std::set<std::string_view>(ids.begin(), ids.end()).size(), ids.size());
}

TEST(Judge, WhatCouldNotBeAskedIsANoticeAndTheRestGoesOn) {
  facts seen;
  seen.info.why_not = seen.config.why_not = seen.why_no_clock = seen.why_no_ping = seen.slow_log.why_not = "NOPERM no";
  seen.rights.value = rights_seen{.user = "app"};
  seen.protocol = 3;
  std::set<std::string> known;
  for (const finding& each : judge(seen)) {
    if (each.known) {
      known.insert(each.id);
      continue;
    }
    EXPECT_EQ(to_string(each.how_bad), "notice") << each.id;
    EXPECT_NE(each.seen.find("NOPERM no"), std::string::npos) << each.seen;
    EXPECT_NE(each.fix.find("ACL SETUSER app +"), std::string::npos) << each.fix;
  }
  EXPECT_EQ(known, (std::set<std::string>{"acl", "protocol"}));
}

TEST(Judge, ACommandThatIsSwitchedOffIsNotMendedByARight) {
  facts seen = healthy();
  seen.config = {std::nullopt, "ERR unknown command 'CONFIG'"};
  const finding got = found(seen, "idle_timeout");
  EXPECT_FALSE(got.known);
  EXPECT_NE(got.seen.find("unknown command"), std::string::npos) << got.seen;
  EXPECT_EQ(got.fix.find("ACL"), std::string::npos) << got.fix;
}

TEST(Judge, AFieldThatTheServerDoesNotTellIsNotGuessed) {
  facts seen = healthy();
  seen.info.value = info{"redis_version:7.2.4\r\n"};
  for (const char* id : {"eviction", "maxmemory", "persistence", "save_errors", "role", "replicas", "cluster"}) {
    const finding got = found(seen, id);
    EXPECT_FALSE(got.known) << id;
    EXPECT_EQ(to_string(got.how_bad), "notice") << id;
  }
}

TEST(Judge, WorstAndCounts) {
  diagnosis all;
  EXPECT_EQ(all.worst(), severity::fine);
  all.findings = {{severity::notice, "a", "x"}, {severity::danger, "b", "x"}, {severity::notice, "c", "x"}};
  EXPECT_EQ(all.worst(), severity::danger);
  EXPECT_EQ(all.count(severity::notice), 2U);
  EXPECT_EQ(all.count(severity::warning), 0U);
}

TEST(JudgeMemory, EvictionIsADangerUnderEveryPolicyButOne) {
  expect(healthy(), "eviction", severity::fine);
  for (const char* policy : {"volatile-ttl", "volatile-lru", "volatile-lfu", "volatile-random", "allkeys-lru",
                             "allkeys-lfu", "allkeys-random", "volatile-something-new"}) {
    expect(with_info({{"maxmemory_policy", policy}}), "eviction", severity::danger, policy);
    expect(with_info({{"maxmemory_policy", policy}}), "eviction", severity::danger,
           "CONFIG SET maxmemory-policy noeviction");
  }
  expect(with_info({{"maxmemory_policy", "allkeys-lru"}, {"maxmemory", "0"}}), "eviction", severity::danger,
         "as soon as a maxmemory is set");
}

TEST(JudgeMemory, MaxmemoryByItsShare) {
  const auto at = [](const char* used) { return with_info({{"maxmemory", "1000"}, {"used_memory", used}}); };
  expect(at("799"), "maxmemory", severity::fine);
  expect(at("800"), "maxmemory", severity::warning, "80 %");
  expect(at("949"), "maxmemory", severity::warning);
  expect(at("950"), "maxmemory", severity::danger, "95 %");
  expect(at("1500"), "maxmemory", severity::danger, "refuses new locks");
  expect(with_info({{"maxmemory", "1000"}, {"used_memory", "990"}, {"maxmemory_policy", "allkeys-lru"}}), "maxmemory",
         severity::danger, "throws away");
}

TEST(JudgeMemory, NoMaxmemoryIsMeasuredByTheHost) {
  const auto at = [](const char* used) { return with_info({{"maxmemory", "0"}, {"used_memory", used}}); };
  expect(at("1000000"), "maxmemory", severity::notice, "CONFIG SET maxmemory 5722mb");
  expect(at("6399999999"), "maxmemory", severity::notice);
  expect(at("6400000000"), "maxmemory", severity::warning, "80 %");
  expect(with_info({{"maxmemory", "0"}, {"total_system_memory", ""}}), "maxmemory", severity::notice);
}

TEST(JudgeDurability, Persistence) {
  expect(healthy(), "persistence", severity::fine, "always");
  expect(with_config("appendfsync", "everysec"), "persistence", severity::notice, "last second");
  expect(with_config("appendfsync", "no"), "persistence", severity::warning, "half a minute");
  expect(with_info({{"aof_enabled", "0"}}), "persistence", severity::notice, "only snapshots (save 3600 1)");
  facts none = with_info({{"aof_enabled", "0"}, {"connected_slaves", "0"}});
  (*none.config.value)["save"] = "";
  expect(none, "persistence", severity::notice, "save is off");
  facts copied = with_info({{"aof_enabled", "0"}});
  expect(copied, "persistence", severity::notice, "its replicas copy that from it");
  (*copied.config.value)["save"] = "";
  expect(copied, "persistence", severity::warning, "its replicas copy that from it");
  facts untold = with_info({{"aof_enabled", "0"}});
  untold.config = {std::nullopt, "NOPERM"};
  expect(untold, "persistence", severity::notice, "appendonly is off");
}

TEST(JudgeDurability, SaveErrors) {
  expect(with_info({{"aof_last_write_status", "err"}}), "save_errors", severity::danger, "MISCONF");
  expect(with_info({{"rdb_last_bgsave_status", "err"}}), "save_errors", severity::danger, "MISCONF");
  expect(with_info({{"aof_last_bgrewrite_status", "err"}}), "save_errors", severity::warning, "BGREWRITEAOF");
  facts goes_on = with_info({{"rdb_last_bgsave_status", "err"}});
  (*goes_on.config.value)["stop-writes-on-bgsave-error"] = "no";
  expect(goes_on, "save_errors", severity::warning, "BGSAVE");
}

TEST(JudgeTopology, RoleNamesThePrimary) {
  expect(with_info({{"role", "slave"}, {"master_host", "10.0.0.1"}, {"master_port", "6380"}}), "role", severity::danger,
         "HOLDFAST_URL=redis://10.0.0.1:6380");
  expect(with_info({{"role", "slave"}}), "role", severity::danger, "connect to the primary");
  expect(with_info({{"role", "slave"}}), "replicas", severity::fine);
}

TEST(JudgeTopology, Replicas) {
  expect(healthy(), "replicas", severity::fine, "1 replica, 1 online, lag 1 s");
  expect(with_info({{"connected_slaves", "0"}, {"min_slaves_good_slaves", "1"}}), "replicas", severity::notice);
  expect(with_info({{"min_slaves_good_slaves", "0"}}), "replicas", severity::danger, "NOREPLICAS");
  expect(with_info({{"slave0", "state=online,lag=10"}}), "replicas", severity::fine);
  expect(with_info({{"slave0", "state=online,lag=11"}}), "replicas", severity::warning, "lag 11 s");
  expect(with_info({{"slave0", "state=wait_bgsave,lag=0"}}), "replicas", severity::warning, "0 online");
  expect(with_config("min-replicas-to-write", "0"), "replicas", severity::warning,
         "CONFIG SET min-replicas-to-write 1");
}

TEST(JudgeTopology, BehindSentinelsThereMustBeSomebodyToPromoteAndNobodyToGoOnGranting) {
  facts alone = with_info({{"connected_slaves", "0"}, {"min_slaves_good_slaves", "1"}});
  alone.as = deployment::sentinel;
  expect(alone, "replicas", severity::warning, "nobody that the Sentinels could promote");
  facts open = with_config("min-replicas-to-write", "0");
  open.as = deployment::sentinel;
  expect(open, "replicas", severity::warning, "when the Sentinels have promoted another");
  expect(open, "replicas", severity::warning, "on the replicas as well");
  facts good = healthy();
  good.as = deployment::sentinel;
  expect(good, "replicas", severity::fine);
}

TEST(JudgeTopology, FewerReplicasThanTheClientWaitsForMeanNoLocks) {
  facts seen = healthy();
  for (const replica_count enough : {replica_count{0}, replica_count{1}, majority}) {
    seen.replicas = enough;
    expect(seen, "replicas", severity::fine);
  }
  seen.replicas = 2;
  expect(seen, "replicas", severity::danger, "1 replicas online, and this client's setting replicas is 2");
  facts none = with_info({{"connected_slaves", "0"}, {"min_slaves_good_slaves", "1"}});
  none.replicas = majority;
  expect(none, "replicas", severity::danger, "setting replicas is majority");
  facts joining = with_info({{"slave0", "state=wait_bgsave,lag=0"}});
  joining.replicas = 1;
  expect(joining, "replicas", severity::danger, "not_replicated");
}

TEST(JudgeTopology, ReplicasWithoutConfigGoByInfo) {
  facts seen = healthy();
  seen.config = {std::nullopt, "NOPERM"};
  expect(seen, "replicas", severity::fine);
  auto fields = healthy_info();
  fields.erase("min_slaves_good_slaves");
  seen.info.value = info_of(fields);
  expect(seen, "replicas", severity::warning, "min-replicas-to-write");
}

TEST(JudgeTopology, AClusterWantsAClusterUrl) {
  expect(with_info({{"cluster_enabled", "1"}}), "cluster", severity::danger, "MOVED");
  facts cluster = with_info({{"cluster_enabled", "1"}});
  cluster.as = deployment::cluster;
  expect(cluster, "cluster", severity::fine, "");
}

TEST(JudgeTopology, ANodeOfAQuorumNeedsNoReplicaAndMustNotVoteTwice) {
  facts node = with_info({{"connected_slaves", "0"}});
  expect(node, "replicas", severity::notice);
  node.as = deployment::quorum;
  expect(node, "replicas", severity::fine);
  expect(node, "quorum", severity::fine);
  node.same_as = "redis://10.0.0.1:6379";
  expect(node, "quorum", severity::danger, "10.0.0.1");
}

TEST(JudgeVersion, AtItsBoundaries) {
  const auto at = [](const char* version) { return with_info({{"redis_version", version}}); };
  expect(at("4.0.14"), "version", severity::danger, "ZPOPMIN");
  expect(at("5.0.0"), "version", severity::warning);
  expect(at("5.0.14"), "version", severity::warning);
  expect(at("6.0.0"), "version", severity::fine);
  expect(at("6.9.240"), "version", severity::warning, "candidate");
  expect(at("7.0.0"), "version", severity::warning, "protocol");
  expect(at("7.0.2"), "version", severity::warning, "NOREPLICAS");
  expect(at("7.0.4"), "version", severity::warning, "append-only");
  expect(at("7.0.5"), "version", severity::fine);
  expect(at("7.0.15"), "version", severity::fine, "redis 7.0.15");
  expect(at("8.2.1"), "version", severity::fine);
  expect(at("255.255.255"), "version", severity::fine);
  expect(at("unstable"), "version", severity::notice);
  EXPECT_EQ(found(at("7.0.4"), "version").why.find("NOREPLICAS"), std::string::npos) << "mended in 7.0.3";
}

TEST(JudgeVersion, OtherServersAreNamed) {
  expect(with_info({{"valkey_version", "8.0.1"}}), "version", severity::fine, "valkey 8.0.1");
  expect(with_info({{"dragonfly_version", "df-v1.20"}}), "version", severity::notice, "dragonfly df-v1.20");
  expect(with_info({{"redis_version", "6.3.4"}, {"executable", "/usr/bin/keydb-server"}}), "version", severity::notice,
         "keydb 6.3.4");
}

TEST(Info, ReadsLinesAndNothingElse) {
  const info read{"# Server\r\nredis_version:7.0.15\r\n\r\nnot a field\r\n:empty\r\nx:\r\ncolon:a:b\nlast:1"};
  EXPECT_EQ(read.text("redis_version"), "7.0.15");
  EXPECT_EQ(read.text("colon"), "a:b");
  EXPECT_EQ(read.number("last"), 1);
  EXPECT_TRUE(read.has("x"));
  EXPECT_FALSE(read.number("x"));
  EXPECT_FALSE(read.number("redis_version"));
  EXPECT_FALSE(read.has("# Server"));
  EXPECT_EQ(read.text("absent"), "");
}

}  // namespace
}  // namespace holdfast::doctor
