// What doctor concludes of clocks, round trips, slow commands, limits and rights, each at its boundaries.
#include "doctor/rights.hpp"
#include "unit/judge_facts.hpp"

#include <algorithm>

namespace holdfast::doctor {
namespace {

TEST(JudgeClock, DifferenceBySize) {
  const auto ahead = [](std::chrono::microseconds by) {
    facts seen = healthy();
    seen.clock = even_clock(20, by);
    return seen;
  };
  expect(ahead(0us), "clock_difference", severity::fine);
  expect(ahead(499ms), "clock_difference", severity::fine);
  expect(ahead(500ms), "clock_difference", severity::notice, "500 ms ahead of");
  expect(ahead(-501ms), "clock_difference", severity::notice, "501 ms behind");
  expect(ahead(4999ms), "clock_difference", severity::notice);
  expect(ahead(5000ms), "clock_difference", severity::warning, "timedatectl");
  expect(ahead(-3h), "clock_difference", severity::warning, "3.0 h behind");
}

TEST(JudgeClock, DifferenceGoesByTheFastestAnswer) {
  facts seen = healthy();
  seen.clock[3].received = seen.clock[3].sent + 3s;  // tells nothing
  seen.clock[3].host += 3s - 1ms;
  expect(seen, "clock_difference", severity::fine, "to within 0.50 ms");
}

TEST(JudgeClock, AStepIsADanger) {
  for (const auto step : {10ms, -10ms, 3600'000ms, -3600'000ms}) {
    facts seen = healthy();
    for (std::size_t i = 10; i < seen.clock.size(); ++i) seen.clock[i].server += step;
    expect(seen, "clock_steps", severity::danger, step > 0ms ? "forward" : "back");
  }
}

TEST(JudgeClock, WhatCouldBeTheRoundTripIsNoStep) {
  facts seen = healthy();
  for (std::size_t i = 10; i < seen.clock.size(); ++i) seen.clock[i].server += 5ms;
  expect(seen, "clock_steps", severity::fine);  // 5 ms, of which 1 ms may be the way
  // A slow network hides as much as it takes: nothing is claimed that is not proven.
  facts slow = healthy();
  for (auto& each : slow.clock) each.received = each.sent + 40ms;
  for (std::size_t i = 10; i < slow.clock.size(); ++i) slow.clock[i].server += 30ms;
  expect(slow, "clock_steps", severity::fine);
}

TEST(JudgeClock, ARateOffByMoreThanOnePerCentIsADanger) {
  const auto at_rate = [](double rate) {
    facts seen = healthy();
    const auto start = seen.clock.front().server;
    for (auto& each : seen.clock) {
      const auto passed = static_cast<double>((each.server - start).count());
      each.server = start + std::chrono::microseconds{static_cast<std::int64_t>(passed * rate)};
    }
    return seen;
  };
  expect(at_rate(1.0), "clock_steps", severity::fine);
  expect(at_rate(1.005), "clock_steps", severity::fine);
  expect(at_rate(0.995), "clock_steps", severity::fine);
  expect(at_rate(1.02), "clock_steps", severity::danger, "fast");
  expect(at_rate(0.98), "clock_steps", severity::danger, "slow");
  expect(at_rate(0), "clock_steps", severity::danger);
}

TEST(JudgeClock, OneSampleTellsNothingAboutSteps) {
  facts seen = healthy();
  seen.clock.resize(1);
  EXPECT_FALSE(found(seen, "clock_steps").known);
  EXPECT_TRUE(found(seen, "clock_difference").known);
}

TEST(JudgeLink, RoundTripAgainstTimeoutAndTtl) {
  const auto with = [](std::chrono::nanoseconds trip, int count) {
    facts seen = healthy();
    std::fill_n(seen.round_trips.begin(), count, trip);
    return seen;
  };
  expect(with(900ms, 1), "round_trip", severity::fine, "p50 1.00 ms, p99 1.00 ms over 100 PINGs");
  expect(with(499ms, 2), "round_trip", severity::fine, "p99 499 ms");
  expect(with(500ms, 2), "round_trip", severity::warning, "HOLDFAST_COMMAND_TIMEOUT=2000ms");
  facts short_ttl = with(99ms, 2);
  short_ttl.ttl = 1s;
  expect(short_ttl, "round_trip", severity::fine);
  short_ttl = with(100ms, 2);
  short_ttl.ttl = 1s;
  expect(short_ttl, "round_trip", severity::warning, "use a ttl of 3s");
  facts lossy = healthy();
  lossy.lost_pings = 1;
  expect(lossy, "round_trip", severity::warning, "1 unanswered");
}

TEST(JudgeLink, QuantilesByNearestRank) {
  EXPECT_EQ(quantile({3ns, 1ns, 2ns}, 0.5), 2ns);
  EXPECT_EQ(quantile({4ns, 3ns, 1ns, 2ns}, 0.5), 2ns);
  EXPECT_EQ(quantile({7ns}, 0.99), 7ns);
  EXPECT_EQ(quantile({1ns, 2ns}, 0), 1ns);
  EXPECT_EQ(quantile({1ns, 2ns}, 1), 2ns);
}

TEST(JudgeLink, IdleTimeoutAgainstKeepAlive) {
  expect(with_config("timeout", "0"), "idle_timeout", severity::fine);
  expect(with_config("timeout", "6"), "idle_timeout", severity::fine);
  expect(with_config("timeout", "5"), "idle_timeout", severity::warning, "CONFIG SET timeout 0");
  expect(with_config("timeout", "2"), "idle_timeout", severity::warning, "HOLDFAST_KEEP_ALIVE=1000ms");
}

TEST(JudgeLink, TcpKeepalive) {
  expect(with_config("tcp-keepalive", "1"), "tcp_keepalive", severity::fine);
  expect(with_config("tcp-keepalive", "0"), "tcp_keepalive", severity::notice, "CONFIG SET tcp-keepalive 300");
}

TEST(JudgeLink, ClientLimitByItsShare) {
  const auto at = [](const char* connected) {
    return with_info({{"maxclients", "100"}, {"connected_clients", connected}});
  };
  expect(at("74"), "client_limit", severity::fine);
  expect(at("75"), "client_limit", severity::warning, "75 %");
  expect(at("89"), "client_limit", severity::warning);
  expect(at("90"), "client_limit", severity::danger, "CONFIG SET maxclients 1000");
  // Before 7.0 only CONFIG tells the limit.
  auto fields = healthy_info();
  fields.erase("maxclients");
  fields["connected_clients"] = "9999";
  facts old = healthy();
  old.info.value = info_of(fields);
  expect(old, "client_limit", severity::danger, "9999 of maxclients 10000");
}

TEST(JudgeLink, Protocol) {
  facts seen = healthy();
  seen.protocol = 2;
  expect(seen, "protocol", severity::notice, "second connection");
}

TEST(JudgeLoad, SlowCommandsOfTheLastDay) {
  const auto with = [](std::chrono::microseconds took, std::chrono::seconds ago) {
    facts seen = healthy();
    const auto now = std::chrono::duration_cast<std::chrono::seconds>(seen.clock.back().server);
    seen.slow_log.value->push_back({now - ago, took, "KEYS"});
    return seen;
  };
  expect(with(99'999us, 1s), "slow_log", severity::fine);
  expect(with(100'000us, 1s), "slow_log", severity::warning, "KEYS 1x");
  expect(with(100'000us, 1s), "slow_log", severity::warning, "SCAN instead of KEYS");
  expect(with(2s, 23h), "slow_log", severity::warning, "the longest 2.0 s");
  expect(with(2s, 25h), "slow_log", severity::fine);
}

TEST(JudgeLoad, ASlowLogThatIsOffTellsNothing) {
  expect(with_config("slowlog-log-slower-than", "-1"), "slow_log", severity::notice, "slowlog-log-slower-than 10000");
  expect(with_config("slowlog-log-slower-than", "100001"), "slow_log", severity::notice);
  expect(with_config("slowlog-log-slower-than", "100000"), "slow_log", severity::fine);
  expect(with_config("slowlog-log-slower-than", "0"), "slow_log", severity::fine);
}

TEST(JudgeLoad, BusyScripts) {
  expect(with_config("busy-reply-threshold", "10000"), "busy_scripts", severity::fine);
  expect(with_config("busy-reply-threshold", "10001"), "busy_scripts", severity::notice);
  expect(with_config("busy-reply-threshold", "0"), "busy_scripts", severity::notice,
         "CONFIG SET busy-reply-threshold 5000");
  facts old = with_config("lua-time-limit", "0");
  old.config.value->erase("busy-reply-threshold");
  expect(old, "busy_scripts", severity::notice, "CONFIG SET lua-time-limit 5000");
}

facts lacking(std::vector<std::string> missing) {
  facts seen = healthy();
  seen.rights.value->missing = std::move(missing);
  return seen;
}

TEST(JudgeRights, ByWhatIsMissing) {
  expect(healthy(), "acl", severity::fine, "user app");
  expect(lacking({"+hset"}), "acl", severity::danger, "ACL SETUSER app +hset");
  expect(lacking({"~{app:*}:seen", "+zadd"}), "acl", severity::danger, "ACL SETUSER app ~{app:*}:seen +zadd");
  expect(lacking({"+publish"}), "acl", severity::warning, "waiters poll");
  expect(lacking({"+type", "+client|kill"}), "acl", severity::notice, "ACL SETUSER app +type +client|kill");
  expect(lacking({"+type", "+subscribe", "+get"}), "acl", severity::danger);
}

TEST(JudgeRights, WithoutScriptsOthersAreNeeded) {
  expect(lacking({"+eval"}), "acl", severity::danger, "scripts = off");
  facts seen = lacking({"+watch", "+exec"});
  seen.rights.value->scripts = false;
  expect(seen, "acl", severity::danger, "ACL SETUSER app +watch +exec");
}

TEST(JudgeRights, InAClusterMoreAreNeeded) {
  facts seen = lacking({"+asking", "+spublish"});
  seen.as = deployment::cluster;
  expect(seen, "acl", severity::danger, "ACL SETUSER app +asking +spublish");
  seen.rights.value->missing = {"+ssubscribe"};
  expect(seen, "acl", severity::warning, "over the bus");
}

TEST(JudgeRights, WithoutAPrefixNobodyKnowsWhichNamesAreUsed) {
  facts seen = lacking({"~*", "~{*}:waiters"});
  seen.prefix = "";
  expect(seen, "acl", severity::notice, "~<your names>* ~{<your names>*}:waiters");
  seen.rights.value->missing.emplace_back("~holdfast:fence:*");
  expect(seen, "acl", severity::danger);
}

TEST(JudgeRights, WhatCouldNotBeTriedIsUnknown) {
  facts seen = healthy();
  seen.rights.value->unknown = {"+hset"};
  const finding got = found(seen, "acl");
  EXPECT_EQ(to_string(got.how_bad), "notice");
  EXPECT_FALSE(got.known);
}

TEST(Rights, WhatTheServersWordsMean) {
  const right get{"+get", need::needed};
  const right key{"~app:*", need::needed};
  const right inbox{"&holdfast:inbox:*", need::messages};
  EXPECT_EQ(read_dryrun(get, "OK"), verdict::allowed);
  EXPECT_EQ(read_dryrun(get, "This user has no permissions to run the 'get' command"), verdict::missing);
  EXPECT_EQ(read_dryrun(get, "This user has no permissions to access the 'x' key"), verdict::allowed);
  EXPECT_EQ(read_dryrun(key, "This user has no permissions to access the 'x' key"), verdict::missing);
  EXPECT_EQ(read_dryrun(key, "This user has no permissions to run the 'eval' command"), verdict::unknown);
  EXPECT_EQ(read_dryrun(inbox, "This user has no permissions to access the 'x' channel"), verdict::missing);
  EXPECT_EQ(read_dryrun(inbox, "This user has no permissions to run the 'publish' command"), verdict::unknown);

  EXPECT_EQ(read_dryrun(get, "User channel-app has no permissions to run the 'get' command"), verdict::missing);
  EXPECT_EQ(read_dryrun(key, "User app has no permissions to access the 'channel:1' key"), verdict::missing);

  // Inside a script, by Redis 7.0 and by 7.2.
  EXPECT_EQ(read_refusal(get, "ERR The user executing the script can't run this command or subcommand"),
            verdict::missing);
  EXPECT_EQ(read_refusal(get,
                         "ERR The user executing the script can't access at least one of the keys mentioned in the "
                         "command arguments"),
            verdict::allowed);
  EXPECT_EQ(read_refusal(get, "ERR ACL failure in script: User app has no permissions to run the 'get' command"),
            verdict::missing);
  EXPECT_EQ(read_refusal(get, "NOPERM this user has no permissions to run the 'get' command"), verdict::missing);
  EXPECT_EQ(
      read_refusal(inbox, "ERR The user executing the script can't publish to the channel mentioned in the command"),
      verdict::missing);
  EXPECT_EQ(read_refusal(get, "OOM command not allowed when used memory > 'maxmemory'."), verdict::allowed);
  EXPECT_EQ(read_refusal(get, "READONLY You can't write against a read only replica."), verdict::allowed);
}

// The words as docs/operate.md and tests/chaos/acl_test.cpp have them.
TEST(Rights, HaveTheDocumentsPatterns) {
  const auto all = all_rights(make_trial_ground("app:", "ff"), 0, "n");
  const auto has = [&](std::string_view word) {
    return std::any_of(all.begin(), all.end(), [&](const right& each) { return each.word == word; });
  };
  for (const char* word : {"~app:*", "~{app:*}:waiters", "~{app:*}:seen", "~holdfast:fence:*", "&holdfast:inbox:*"}) {
    EXPECT_TRUE(has(word)) << word;
  }
}

}  // namespace
}  // namespace holdfast::doctor
