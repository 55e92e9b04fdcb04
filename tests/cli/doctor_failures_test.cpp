// holdfast doctor where the server or the way to it is bad: slow, lossy, busy, gone, or closed to us.
#include <gtest/gtest.h>

#include "cli/diagnosis.hpp"
#include "support/eventually.hpp"
#include "support/gate.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

TEST(Doctor, RoundTripsAreJudgedByTimeoutAndTtl) {
  redis_server server;
  gate slow{server.port()};
  slow.set(fault::delay(30ms));  // each way
  const environment patient{{"HOLDFAST_URL", slow.url()}, {"HOLDFAST_COMMAND_TIMEOUT", "30s"}};
  expect_finding(examine_with({"--ttl", "10m"}, patient), "round_trip", "fine", "over 20 PINGs");
  const auto short_ttl = examine_with({"--ttl", "500ms"}, patient);
  EXPECT_EQ(short_ttl.run.code(), 1);
  expect_finding(short_ttl, "round_trip", "warning", "tenth of the ttl (500 ms)");
  EXPECT_EQ(holdfast_run({"doctor", "--ttl", "0"}, patient).code(), 64);
}

TEST(Doctor, APingThatGetsNoAnswerIsAWarning) {
  redis_server server;
  gate lossy{server.port()};
  lossy.when("*1\r\n$4\r\nPING\r\n", fault::drop_reply(1), moment::after, 3);  // not the PING of a DRYRUN
  const auto got = examine_with({"--url", lossy.url() + "?command_timeout=500ms"}, {});
  EXPECT_EQ(got.run.code(), 1) << got.run.err;
  expect_finding(got, "round_trip", "warning", "1 unanswered");
}

TEST(Doctor, AServerThatGoesAwayMeanwhileIsSixtyNine) {
  redis_server server;
  gate broken{server.port()};
  broken.when("SLOWLOG", fault::down());
  const outcome seen = holdfast_run({"doctor", "--quick", "--url", broken.url() + "?connect_timeout=500ms"});
  EXPECT_EQ(seen.code(), 69) << seen.err;
  EXPECT_EQ(seen.out, "");
}

TEST(Doctor, AServerThatIsBusyWithAScriptIsNotClean) {
  redis_server server{{.config = {"lua-time-limit 50"}}};
  auto busy = server.connect();
  busy.send({"EVAL", "while true do end", "0"});
  ASSERT_TRUE(eventually(10s, [&] { return server.command({"PING"}).text.starts_with("BUSY"); }));
  const outcome seen = holdfast_run({"doctor", "--quick", "--url", server.url()});
  EXPECT_EQ(seen.code(), 69) << seen.out;
  EXPECT_NE(seen.err.find("BUSY"), std::string::npos) << seen.err;
  (void)server.command({"SCRIPT", "KILL"});
}

TEST(Doctor, CommandsThatAreSwitchedOffAreToldAndTheRestGoesOn) {
  redis_server server{
      {.config = {"rename-command CONFIG \"\"", "rename-command SLOWLOG \"\"", "rename-command ACL \"\""}}};
  const auto got = examine(server);
  EXPECT_EQ(got.run.code(), 0) << got.run.err;
  expect_finding(got, "idle_timeout", "notice", "unknown command");
  expect_finding(got, "slow_log", "notice", "unknown command");
  EXPECT_FALSE(got.findings.at("slow_log").known);
  EXPECT_EQ(got.severity("acl"), "fine") << "tried instead";
  EXPECT_EQ(got.severity("eviction"), "fine");
  EXPECT_EQ(server.keys(), std::vector<std::string>{});
}

TEST(Doctor, AServerThatIsNotThereIsSixtyNine) {
  redis_server server;
  const std::string url = server.url();
  server.stop();
  const outcome seen = holdfast_run({"doctor", "--url", url});
  EXPECT_EQ(seen.code(), 69);
  EXPECT_EQ(seen.out, "");
  EXPECT_NE(seen.err.find("127.0.0.1"), std::string::npos) << seen.err;
}

TEST(Doctor, AServerThatDoesNotAnswerIsSixtyNine) {
  redis_server server;
  server.pause();
  const outcome seen = holdfast_run({"doctor", "--url", server.url() + "?connect_timeout=300ms&command_timeout=300ms"});
  server.resume();
  EXPECT_EQ(seen.code(), 69) << seen.err;
}

TEST(Doctor, AWrongPasswordIsSeventySevenAndNotRepeated) {
  redis_server server{{.requirepass = "right"}};
  const std::string url = "redis://:hunter2@127.0.0.1:" + std::to_string(server.port());
  const outcome seen = holdfast_run({"doctor"}, {{"HOLDFAST_URL", url}});
  EXPECT_EQ(seen.code(), 77);
  EXPECT_EQ(seen.err.find("hunter2"), std::string::npos) << seen.err;
}

TEST(Doctor, APasswordIsInNoText) {
  redis_server server{{.requirepass = "hunter2"}};
  const std::string url = "redis://:hunter2@127.0.0.1:" + std::to_string(server.port());
  const outcome seen = holdfast_run({"doctor", "--quick"}, {{"HOLDFAST_URL", url}});
  EXPECT_EQ(seen.code(), 0) << seen.err;
  EXPECT_EQ((seen.out + seen.err).find("hunter2"), std::string::npos);
}

}  // namespace
}  // namespace holdfast::test
