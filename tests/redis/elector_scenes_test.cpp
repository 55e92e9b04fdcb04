// Leader election on one server and on a quorum: one at a time, terms grow, the end is told in time, everybody learns who
// leads.
#include <gtest/gtest.h>
#include <holdfast/inspect.hpp>

#include <atomic>
#include <future>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "redis/deployment.hpp"
#include "redis/elections.hpp"

namespace holdfast::test {
namespace {

struct elector_scenes : deployment_scenes {
  client& first = redis;
  client& second = other;

  // What an elector's thread does when it is stopped may still be under way.
  [[nodiscard]] bool nothing_stays() {
    return eventually(patience, [&] { return servers.left().empty(); });
  }
};

INSTANTIATE_TEST_SUITE_P(, elector_scenes, testing::Values(1, 3, 5), deployment_name);

TEST_P(elector_scenes, one_leads_and_the_next_follows_when_it_stops) {
  // Nothing goes by lapsing; but a node that missed the vote is taken up by a renewal, within patience.
  elector one{first, "seat", {.id = "one", .ttl = 20s}};
  elector two{second, "seat", {.id = "two", .ttl = 20s}};
  one.start();
  ASSERT_TRUE(eventually(patience, [&] { return one.leads(); }));
  two.start();
  ASSERT_TRUE(servers.waiting("seat", 1));
  EXPECT_FALSE(two.leads());
  for (client* each : {&first, &second}) {
    const auto seen = leader_of(*each, "seat").value();
    ASSERT_TRUE(seen);
    EXPECT_EQ(seen->id, "one");
    EXPECT_EQ(seen->term, one.term());
    EXPECT_GT(seen->remaining, 0ms);
    EXPECT_LE(seen->remaining, 20s);
  }
  EXPECT_TRUE(servers.all_have(record));
  EXPECT_EQ(servers.without_expiry(), std::vector<std::string>{});
  one.stop();
  EXPECT_FALSE(one.leads());
  ASSERT_TRUE(eventually(patience, [&] { return two.leads(); }));
  EXPECT_GT(two.term(), one.term());
  EXPECT_EQ(who_leads(first), "two");
  two.stop();
  EXPECT_EQ(who_leads(first), "nobody");
  EXPECT_TRUE(nothing_stays());
}

TEST_P(elector_scenes, callbacks_tell_term_and_cause) {
  std::mutex mutex;
  std::vector<std::string> told;
  const auto note = [&](std::string what) {
    const std::lock_guard lock{mutex};
    told.push_back(std::move(what));
  };
  const auto count = [&] {
    const std::lock_guard lock{mutex};
    return told.size();
  };
  elector seat{first,
               "seat",
               {.ttl = 900ms,
                .elected = [&](std::uint64_t, const std::stop_token&) { note("elected"); },
                .deposed = [&](std::uint64_t, deposition why) { note(std::string{to_string(why)}); }}};
  seat.start();
  ASSERT_TRUE(eventually(patience, [&] { return count() == 1; }));
  const auto term = seat.term();
  seat.resign();
  ASSERT_TRUE(eventually(patience, [&] { return count() == 3; }));
  EXPECT_GT(seat.term(), term);
  const std::size_t majority = servers.size() / 2 + 1;
  for (std::size_t i = 0; i < majority; ++i) servers[i].text({"SET", "seat", "a thief", "PX", "300"});
  ASSERT_TRUE(eventually(patience, [&] { return count() == 5; })) << "and elected again when the thief's time is over";
  seat.stop();
  EXPECT_EQ(told, (std::vector<std::string>{"elected", "resigned", "elected", "lost", "elected", "stopped"}));
}

TEST_P(elector_scenes, an_exception_of_the_callback_lets_others_lead) {
  elector bad{first, "seat", {.elected = [](std::uint64_t, const std::stop_token&) { throw 1; }}};
  elector good{second, "seat", {.id = "good"}};
  bad.start();
  good.start();
  EXPECT_TRUE(eventually(patience, [&] { return good.leads(); }));
}

TEST_P(elector_scenes, the_blocking_form_gives_up_when_the_work_ends_and_campaigns_again) {
  elector seat{first, "seat"};
  std::stop_source stop;
  std::vector<std::uint64_t> terms;
  seat.run(stop.get_token(), [&](std::uint64_t term, const std::stop_token& over) {
    EXPECT_FALSE(over.stop_requested());
    EXPECT_TRUE(seat.leads());
    terms.push_back(term);
    if (terms.size() < 3) return;
    stop.request_stop();
    EXPECT_TRUE(over.stop_requested());
  });
  ASSERT_EQ(terms.size(), 3U);
  EXPECT_LT(terms[0], terms[1]);
  EXPECT_LT(terms[1], terms[2]);
  EXPECT_THROW(seat.run({}, [](std::uint64_t, const std::stop_token&) { throw std::domain_error{"x"}; }),
               std::domain_error);
  EXPECT_TRUE(nothing_stays());
}

TEST_P(elector_scenes, the_lease_form_leads_until_it_is_released_or_broken) {
  elector one{first, "seat", {.id = "one"}};
  elector two{second, "seat", {.id = "two"}};
  lease held = one.campaign();
  const auto seen = leader_of(second, "seat").value();
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->id, "one");
  EXPECT_EQ(seen->owner, held.owner());
  EXPECT_EQ(seen->term, held.fence());
  EXPECT_EQ(two.campaign(std::nothrow, {}, 0ms).code(), errc::held);
  EXPECT_EQ(two.campaign(std::nothrow, {}, 50ms).code(), errc::timed_out);
  std::stop_source stop;
  auto waiting = std::async(std::launch::async, [&] { return two.campaign(std::nothrow, stop.get_token()); });
  ASSERT_TRUE(servers.waiting("seat", 1));
  EXPECT_EQ(held.release(), release_outcome::released);
  auto next = waiting.get();
  ASSERT_TRUE(next) << next.failure().detail;
  EXPECT_GT(next->fence(), held.fence());
  EXPECT_EQ(who_leads(first), "two");
  const auto status = inspect(first, "seat").value();
  EXPECT_EQ(status.kind, lock_kind::elector);
  EXPECT_EQ(status.leader, "two");
  EXPECT_EQ(status.fence, next->fence());
  stop.request_stop();
  EXPECT_EQ(one.campaign(std::nothrow, stop.get_token()).code(), errc::cancelled);
  const auto old_term = next->fence();
  ASSERT_TRUE(break_lock(first, "seat", ""));
  EXPECT_TRUE(eventually(patience, [&] { return next->lost().stop_requested(); }));
  EXPECT_EQ(who_leads(first), "nobody") << "a record that outlives its leader is nobody's";
  {
    const auto plain = second.acquire("seat");
    EXPECT_EQ(who_leads(first), "nobody");
  }
  const lease again = two.campaign();
  EXPECT_GT(again.fence(), old_term);
  EXPECT_EQ(who_leads(first), "two");
}

TEST_P(elector_scenes, a_broken_lock_deposes_and_an_old_record_is_not_believed) {
  elector one{first, "seat", {.id = "one", .ttl = 30s}};
  std::atomic<bool> blocked{true};
  std::jthread leading{[&](const std::stop_token& stop) {
    one.run(stop, [&](std::uint64_t, const std::stop_token& over) {
      while (!over.stop_requested()) std::this_thread::sleep_for(1ms);
      while (blocked) std::this_thread::sleep_for(1ms);
    });
  }};
  ASSERT_TRUE(eventually(patience, [&] { return one.leads(); }));
  ASSERT_TRUE(break_lock(second, "seat", {}));
  ASSERT_TRUE(eventually(patience, [&] { return !one.leads(); }));
  EXPECT_EQ(who_leads(second), "nobody");
  auto plain = second.acquire("seat");
  EXPECT_EQ(who_leads(second), "nobody");
  blocked = false;
  plain.release();
  leading.request_stop();
}

TEST_P(elector_scenes, observers_hear_of_changes_at_once) {
  notes heard;
  const leader_watch watch{second, "seat", heard.callback()};
  ASSERT_TRUE(heard.end_with("nobody"));
  const auto start = std::chrono::steady_clock::now();
  std::vector<std::string> expected{"nobody"};
  for (int i = 0; i < 3; ++i) {  // on a quorum the first of them may be seen because connections have come up
    elector one{first, "seat", {.id = "one", .ttl = 30s}};
    one.start();
    ASSERT_TRUE(heard.end_with("one"));
    ASSERT_TRUE(servers.all_have(record));
    one.stop();
    ASSERT_TRUE(heard.end_with("nobody"));
    expected.insert(expected.end(), {"one", "nobody"});
  }
  EXPECT_LT(since(start), 5s) << "by the slow timer only";
  EXPECT_EQ(heard.all(), expected);
}

TEST_P(elector_scenes, an_idle_watch_does_not_poll_and_a_change_costs_few_looks) {
  elector one{first, "seat", {.id = "one", .ttl = 60s}};
  one.start();
  notes heard;
  const leader_watch watch{second, "seat", heard.callback()};
  ASSERT_TRUE(heard.end_with("one"));
  if (servers.is_quorum()) {
    ASSERT_TRUE(servers.all_have(record));
    std::this_thread::sleep_for(200ms);  // messages that are on their way
  }
  const auto idle = scripts_run(servers[0]);
  std::this_thread::sleep_for(1500ms);
  EXPECT_LE(scripts_run(servers[0]) - idle, 1);
  const auto before = scripts_run(servers[0]);
  one.stop();
  ASSERT_TRUE(heard.end_with("nobody"));
  std::this_thread::sleep_for(200ms);
  EXPECT_LE(scripts_run(servers[0]) - before, 2 * (1 + static_cast<long long>(servers.size())))
      << "the release, and at most one look for each server's message; either may be sent by hash and by text";
}

TEST_P(elector_scenes, refuses_bad_names_and_options) {
  EXPECT_THROW((elector{first, ""}), error);
  EXPECT_THROW((elector{first, "seat", {.ttl = 1ms}}), error);
  EXPECT_THROW((elector{first, "seat", {.id = std::string(2000, 'x')}}), error);
  EXPECT_EQ(leader_of(first, "a{").code(), errc::bad_name);
  servers.command({"HSET", "hash", "a", "b"});
  EXPECT_EQ(leader_of(first, "hash").code(), errc::wrong_type);
  elector wrong{first, "hash"};
  EXPECT_THROW(wrong.run({}, [](std::uint64_t, const std::stop_token&) {}), error);
  if (servers.is_quorum()) {
    EXPECT_THROW((elector{first, "seat", {.ttl = 61s}}), error) << "longer than max_ttl";
  }
}

}  // namespace
}  // namespace holdfast::test
