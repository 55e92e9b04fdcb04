// Leader election through the gate, and with leaders and candidates that die.
#include <gtest/gtest.h>
#include <holdfast/elector.hpp>

#include <atomic>
#include <iostream>
#include <thread>

#include "chaos/bystander.hpp"
#include "chaos/two_ways.hpp"
#include "support/process.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

struct elector_faults : two_ways {
  elector_faults() {
    elector warm{direct, "warm"};  // the server knows the scripts
    std::stop_source stop;
    warm.run(stop.get_token(), [&](std::uint64_t, const std::stop_token&) { stop.request_stop(); });
    EXPECT_TRUE(through.ping());
  }
  [[nodiscard]] std::string leader_now() {
    const auto who = leader_of(direct, "seat").value();
    return who ? who->id : "nobody";
  }
  [[nodiscard]] bool nothing_left() {
    return eventually(10s, [&] { return server.number({"EXISTS", "seat", "{seat}:leader", "{seat}:waiters"}) == 0; });
  }
};

TEST_F(elector_faults, a_lost_answer_to_the_announcement_announces_all_the_same) {
  way.when(std::string{scripts::elector_announce.sha1}, fault::cut(), moment::executed);
  elector seat{through, "seat", {.id = "one"}};
  seat.start();
  EXPECT_TRUE(way.wait_triggered());
  ASSERT_TRUE(eventually(10s, [&] { return seat.leads(); }));
  EXPECT_EQ(leader_now(), "one");
  seat.stop();
  EXPECT_TRUE(nothing_left());
}

TEST_F(elector_faults, a_lost_answer_to_the_release_lets_the_next_one_in) {
  elector one{through, "seat", {.id = "one"}};
  one.start();
  ASSERT_TRUE(eventually(10s, [&] { return one.leads(); }));
  elector two{direct, "seat", {.id = "two"}};
  two.start();
  ASSERT_TRUE(eventually(10s, [&] { return server.number({"ZCARD", "{seat}:waiters"}) == 1; }));
  way.when(std::string{scripts::elector_release.sha1}, fault::cut(), moment::executed);
  one.stop();
  EXPECT_TRUE(way.wait_triggered());
  ASSERT_TRUE(eventually(10s, [&] { return two.leads(); }));
  EXPECT_EQ(leader_now(), "two") << "a repeated release takes nothing from the next leader";
  two.stop();
  EXPECT_TRUE(nothing_left());
}

TEST_F(elector_faults, a_leader_that_is_cut_off_stops_before_the_next_one_starts) {
  std::atomic<std::int64_t> told{0};
  std::atomic<std::int64_t> next_began{0};
  elector one{
      through, "seat", {.id = "one", .ttl = 1s, .stop_margin = 300ms, .deposed = [&](std::uint64_t, deposition why) {
                          if (why == deposition::lost) told = boottime_ns();
                        }}};
  one.start();
  ASSERT_TRUE(eventually(10s, [&] { return one.leads(); }));
  elector two{direct, "seat", {.id = "two", .elected = [&](std::uint64_t, const std::stop_token&) {
                                 next_began = boottime_ns();
                               }}};
  two.start();
  ASSERT_TRUE(eventually(10s, [&] { return server.number({"ZCARD", "{seat}:waiters"}) == 1; }));
  way.set(fault::black_hole(direction::both));
  ASSERT_TRUE(eventually(10s, [&] { return told != 0 && next_began != 0; }));
  EXPECT_LT(told, next_began);
  const auto term = two.term();
  EXPECT_GT(term, one.term());
  way.pass();
  // The deposed one is a candidate again, and follows.
  ASSERT_TRUE(eventually(10s, [&] { return server.number({"ZCARD", "{seat}:waiters"}) == 1; }));
  two.stop();
  ASSERT_TRUE(eventually(10s, [&] { return one.leads(); }));
  EXPECT_GT(one.term(), term);
}

TEST_F(elector_faults, a_watch_that_misses_a_message_looks_in_time) {
  elector one{direct, "seat", {.id = "one", .ttl = 30s}};
  std::atomic<int> told{0};
  std::atomic<bool> seen{false};
  const leader_watch watch{through, "seat", [&](const std::optional<leader>& who) {
                             if (who && who->id == "one") seen = true;
                             ++told;
                           }};
  ASSERT_TRUE(eventually(10s, [&] { return told == 1; }));
  way.when_reply("leader seat", fault::drop_reply(1));
  one.start();
  EXPECT_TRUE(way.wait_triggered());
  EXPECT_TRUE(eventually(20s, [&] { return seen.load(); }));
}

TEST_F(elector_faults, a_watch_survives_a_restart_of_the_server) {
  elector one{direct, "seat", {.id = "one", .ttl = 2s}};
  one.start();
  std::atomic<bool> seen{false};
  std::atomic<bool> gone{false};
  const leader_watch watch{through, "seat", [&](const std::optional<leader>& who) { (who ? seen : gone) = true; }};
  ASSERT_TRUE(eventually(10s, [&] { return seen.load(); }));
  gone = false;
  server.stop();
  EXPECT_TRUE(eventually(20s, [&] { return gone.load(); })) << "what cannot be asked is not believed for ever";
  seen = false;
  server.restart();
  EXPECT_TRUE(eventually(20s, [&] { return seen.load(); })) << "the elector campaigns again";
}

int lead_and_tell(const std::string& url, std::chrono::milliseconds ttl) {
  client redis{quiet(url)};
  std::string line;
  std::getline(std::cin, line);
  std::cout << "campaigns" << std::endl;
  elector seat{redis, "seat", {.id = "child", .ttl = ttl}};
  seat.run({}, [](std::uint64_t, const std::stop_token&) {
    std::cout << "leads" << std::endl;
    std::this_thread::sleep_for(60s);
  });
  return 0;
}

TEST(elector_crashes, a_dead_leader_is_followed_within_its_ttl_and_a_dead_candidate_is_passed_over) {
  constexpr auto ttl = 1s;
  redis_server server;
  auto dying = fork_child([&] { return lead_and_tell(server.url(), ttl); });
  auto candidate = fork_child([&] { return lead_and_tell(server.url(), ttl); });
  dying.write("go\n");
  ASSERT_EQ(dying.read_line(10s), "campaigns");
  ASSERT_EQ(dying.read_line(10s), "leads");
  candidate.write("go\n");
  ASSERT_EQ(candidate.read_line(10s), "campaigns");
  ASSERT_TRUE(eventually(10s, [&] { return server.number({"ZCARD", "{seat}:waiters"}) == 1; }));
  client redis{quiet(server.url())};
  std::atomic<std::int64_t> elected{0};
  elector next{redis, "seat", {.id = "next", .ttl = ttl, .elected = [&](std::uint64_t, const std::stop_token&) {
                                 elected = boottime_ns();
                               }}};
  next.start();
  ASSERT_TRUE(eventually(10s, [&] { return server.number({"ZCARD", "{seat}:waiters"}) == 2; }));
  candidate.kill();
  EXPECT_TRUE(candidate.wait(10s));
  const auto died = boottime_ns();
  dying.kill();
  ASSERT_TRUE(eventually(20s, [&] { return elected != 0; }));
  EXPECT_LE(std::chrono::nanoseconds{elected - died}, ttl + 200ms);
  EXPECT_EQ(leader_of(redis, "seat").value()->id, "next");
}

}  // namespace
}  // namespace holdfast::test
