// holdfast doctor, against real servers that are configured badly: every finding that can be provoked, and the exit codes.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "cli/diagnosis.hpp"
#include "support/eventually.hpp"
#include "support/quorum_group.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

TEST(Doctor, AWellKeptServerIsCleanAndExitsWithZero) {
  redis_server server{{.config = {"maxmemory 100mb"}, .appendonly = true}};
  const auto got = examine(server);
  EXPECT_EQ(got.run.code(), 0) << got.run.out;
  EXPECT_EQ(got.run.err, "");
  EXPECT_EQ(text_at(got.json, "worst"), "notice") << "it has no replicas";
  for (const char* id :
       {"eviction", "maxmemory", "persistence", "save_errors", "role", "cluster", "version", "acl", "clock_difference",
        "clock_steps", "slow_log", "busy_scripts", "idle_timeout", "tcp_keepalive", "client_limit", "protocol"}) {
    EXPECT_EQ(got.severity(id), "fine") << id;
  }
  expect_finding(got, "replicas", "notice");
}

TEST(Doctor, TheJsonHasStableKeys) {
  redis_server server;
  const auto got = examine(server);
  std::set<std::string> keys;
  for (const auto& each : got.json.as_object()) keys.insert(std::string{each.key()});
  EXPECT_EQ(keys,
            (std::set<std::string>{"where", "server", "worst", "dangers", "warnings", "notices", "fine", "findings"}));
  EXPECT_EQ(text_at(got.json, "where"), server.url());
  EXPECT_TRUE(text_at(got.json, "server").starts_with("redis ")) << got.run.out;
  EXPECT_EQ(got.findings.size(), 19U);
}

TEST(Doctor, EvictionIsADangerAndExitsWithTwo) {
  redis_server server{{.config = {"maxmemory 100mb", "maxmemory-policy allkeys-lru"}}};
  const auto got = examine(server);
  EXPECT_EQ(got.run.code(), 2);
  expect_finding(got, "eviction", "danger", "CONFIG SET maxmemory-policy noeviction");
  server.text({"CONFIG", "SET", "maxmemory-policy", "noeviction"});  // the fix as it is given
  EXPECT_EQ(examine(server).severity("eviction"), "fine");
}

TEST(Doctor, IdleTimeoutIsAWarningAndExitsWithOne) {
  redis_server server{{.config = {"timeout 2"}}};
  const auto got = examine(server);
  EXPECT_EQ(got.run.code(), 1);
  expect_finding(got, "idle_timeout", "warning", "CONFIG SET timeout 0");
  EXPECT_EQ(examine(server, {{"HOLDFAST_KEEP_ALIVE", "1s"}}).severity("idle_timeout"), "fine");
}

TEST(Doctor, PersistenceAsItIsSet) {
  redis_server none;
  expect_finding(examine(none), "persistence", "notice", "save is off");
  none.text({"CONFIG", "SET", "save", "3600 1"});
  expect_finding(examine(none), "persistence", "notice", "only snapshots (save 3600 1)");
  redis_server appends{{.config = {"appendonly yes", "appendfsync everysec"}}};
  expect_finding(examine(appends), "persistence", "notice", "everysec");
  appends.text({"CONFIG", "SET", "appendfsync", "no"});
  expect_finding(examine(appends), "persistence", "warning");
}

TEST(Doctor, AFailedSaveIsADanger) {
  redis_server server{{.config = {"save 3600 1", "dbfilename cannot.rdb"}}};
  server.text({"SET", "x", "1"});
  // A directory in the place of the file: the child's rename fails.
  const std::string dir = server.list({"CONFIG", "GET", "dir"}).at(1);
  std::filesystem::create_directories(dir + "/cannot.rdb/full");
  server.text({"BGSAVE"});
  ASSERT_TRUE(eventually(10s, [&] {
    return server.text({"INFO", "persistence"}).find("bgsave_status:err") != std::string::npos;
  }));
  expect_finding(examine(server), "save_errors", "danger", "BGSAVE");
}

TEST(Doctor, AReplicaIsADangerAndNamesItsPrimary) {
  redis_server primary;
  redis_server replica{{.replica_of = primary.port()}};
  ASSERT_TRUE(eventually(20s, [&] {
    return primary.text({"INFO", "replication"}).find("state=online") != std::string::npos;
  }));
  const auto got = examine(replica);
  EXPECT_EQ(got.run.code(), 2);
  expect_finding(got, "role", "danger", "redis://127.0.0.1:" + std::to_string(primary.port()));

  const auto first = examine(primary);
  EXPECT_EQ(first.run.code(), 1);
  expect_finding(first, "replicas", "warning", "CONFIG SET min-replicas-to-write 1");
  primary.text({"CONFIG", "SET", "min-replicas-to-write", "1"});
  EXPECT_TRUE(eventually(20s, [&] { return examine(primary).severity("replicas") == "fine"; }));
  primary.text({"CONFIG", "SET", "min-replicas-to-write", "2"});
  expect_finding(examine(primary), "replicas", "danger", "NOREPLICAS");
}

TEST(Doctor, AClusterNodeIsADanger) {
  redis_server server{{.config = {"cluster-enabled yes"}}};
  expect_finding(examine(server), "cluster", "danger");
}

TEST(Doctor, MemoryNearItsLimit) {
  redis_server server{{.config = {"maxmemory 20mb"}}};
  EXPECT_EQ(examine(server).severity("maxmemory"), "fine");
  // Until it refuses.
  for (int i = 0; i < 30; ++i) server.command({"SETRANGE", "k" + std::to_string(i), "1000000", "x"});
  const auto got = examine(server);
  EXPECT_EQ(got.run.code(), 2);
  expect_finding(got, "maxmemory", "danger", "refuses new locks");
  EXPECT_EQ(got.severity("acl"), "fine") << "a full server is no missing right";
}

TEST(Doctor, SlowCommandsAreNamedWithoutTheirArguments) {
  redis_server server;
  server.text({"EVAL", "local t = redis.call('TIME')[1] + 1 while redis.call('TIME')[1] + 0 <= t do end return ARGV[1]",
               "0", "hunter2"});
  const auto got = examine(server);
  EXPECT_EQ(got.run.code(), 1);
  expect_finding(got, "slow_log", "warning", "EVAL 1x");
  EXPECT_EQ(got.run.out.find("hunter2"), std::string::npos);
  server.text({"CONFIG", "SET", "slowlog-log-slower-than", "-1"});
  expect_finding(examine(server), "slow_log", "notice", "slowlog-log-slower-than 10000");
}

TEST(Doctor, ClientsNearTheirLimit) {
  redis_server server{{.config = {"maxclients 10"}}};
  EXPECT_EQ(examine(server).severity("client_limit"), "fine");
  std::vector<redis_connection> held;
  for (int i = 0; i < 8; ++i) {
    held.push_back(server.connect());
    EXPECT_FALSE(held.back().command({"PING"}).is_error());
  }
  const auto got = examine(server);  // with the test's own connection 10
  EXPECT_EQ(got.run.code(), 2);
  expect_finding(got, "client_limit", "danger", "of maxclients 10");
}

TEST(Doctor, LesserSettings) {
  redis_server server{{.config = {"tcp-keepalive 0", "lua-time-limit 0"}}};
  const auto got = examine(server, {{"HOLDFAST_PROTOCOL", "2"}});
  expect_finding(got, "tcp_keepalive", "notice", "CONFIG SET tcp-keepalive 300");
  expect_finding(got, "busy_scripts", "notice", "5000");
  expect_finding(got, "protocol", "notice", "RESP2");
}

TEST(Doctor, TheTableShowsWhyAndFixAndNoColoursInAPipe) {
  redis_server server{{.config = {"maxmemory-policy allkeys-lru"}}};
  const outcome seen = holdfast_run({"doctor", "--quick", "--url", server.url()});
  EXPECT_EQ(seen.code(), 2);
  EXPECT_NE(seen.out.find("danger   eviction          maxmemory-policy is allkeys-lru\n"), std::string::npos)
      << seen.out;
  EXPECT_NE(seen.out.find("           fix: CONFIG SET maxmemory-policy noeviction\n"), std::string::npos) << seen.out;
  EXPECT_NE(seen.out.find("\n1 danger, 0 warnings, "), std::string::npos) << seen.out;
  EXPECT_LT(seen.out.find("danger "), seen.out.find("fine ")) << "the worst come first";
  EXPECT_EQ(seen.out.find('\x1b'), std::string::npos);
}

TEST(Doctor, OfAQuorumEveryNodeAndTheWorstDecides) {
  quorum_group nodes{{.nodes = 3}};
  static_cast<void>(nodes.node(2).text({"CONFIG", "SET", "maxmemory-policy", "allkeys-lru"}));
  const environment variables{{"HOLDFAST_URL", nodes.url()}};
  const auto run = holdfast_run({"doctor", "--json", "--quick"}, variables);
  EXPECT_EQ(run.code(), 2) << run.err;
  const auto json = parse_json(run.out);
  EXPECT_EQ(text_at(json, "where"), nodes.url());
  EXPECT_EQ(text_at(json, "worst"), "danger");
  ASSERT_EQ(json.at("nodes").as_array().size(), 3U);
  EXPECT_EQ(text_at(json.at("nodes").as_array()[2], "where"), nodes.node(2).url());
  EXPECT_EQ(text_at(json.at("nodes").as_array()[2], "worst"), "danger");
  const auto plain = holdfast_run({"doctor", "--quick"}, variables);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    EXPECT_NE(plain.out.find(nodes.node(i).url()), std::string::npos) << plain.out;
  }
}

}  // namespace
}  // namespace holdfast::test
