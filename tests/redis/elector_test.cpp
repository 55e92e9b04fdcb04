// Leader election: one at a time, terms grow, the end is told in time, everybody learns who leads.
#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <future>
#include <mutex>
#include <random>
#include <thread>

#include "redis/common.hpp"
#include "support/seed.hpp"

namespace holdfast::test {
namespace {

// What a watch was told, in order.
class notes {
 public:
  leader_watch::callback callback() {
    return [this](const std::optional<leader>& who) {
      const std::lock_guard lock{mutex_};
      all_.push_back(who ? who->id : "nobody");
    };
  }
  [[nodiscard]] std::string last() const {
    const std::lock_guard lock{mutex_};
    return all_.empty() ? "" : all_.back();
  }
  [[nodiscard]] std::vector<std::string> all() const {
    const std::lock_guard lock{mutex_};
    return all_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> all_;
};

struct elector_test : testing::Test {
  redis_server server;
  client first{at(server)};
  client second{at(server)};

  void expect_nothing_left() {
    EXPECT_TRUE(eventually(patience, [&] {
      for (const auto& each : server.keys()) {
        if (!has(each, "holdfast:fence:")) return false;
      }
      return true;
    }));
  }
};

TEST_F(elector_test, one_leads_and_the_next_follows_when_it_stops) {
  elector one{first, "seat", {.id = "one"}};
  elector two{second, "seat", {.id = "two"}};
  one.start();
  ASSERT_TRUE(eventually(patience, [&] { return one.leads(); }));
  two.start();
  ASSERT_TRUE(queue_reaches(server, "seat", 1));
  EXPECT_FALSE(two.leads());
  EXPECT_EQ(leader_of(first, "seat").value()->id, "one");
  EXPECT_EQ(leader_of(second, "seat").value()->term, one.term());
  EXPECT_EQ(server.keys_without_expiry(), std::vector<std::string>{});
  one.stop();
  EXPECT_FALSE(one.leads());
  ASSERT_TRUE(eventually(patience, [&] { return two.leads(); }));
  EXPECT_GT(two.term(), one.term());
  two.stop();
  EXPECT_EQ(leader_of(first, "seat").value(), std::nullopt);
  expect_nothing_left();
}

TEST_F(elector_test, callbacks_tell_term_and_cause) {
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
               {.ttl = 600ms,
                .elected = [&](std::uint64_t, const std::stop_token&) { note("elected"); },
                .deposed = [&](std::uint64_t, deposition why) { note(std::string{to_string(why)}); }}};
  seat.start();
  ASSERT_TRUE(eventually(patience, [&] { return count() == 1; }));
  const auto term = seat.term();
  seat.resign();
  ASSERT_TRUE(eventually(patience, [&] { return count() == 3; }));
  EXPECT_GT(seat.term(), term);
  server.text({"SET", "seat", "a thief", "PX", "300"});
  ASSERT_TRUE(eventually(patience, [&] { return count() == 5; })) << "and elected again when the thief's time is over";
  seat.stop();
  EXPECT_EQ(told, (std::vector<std::string>{"elected", "resigned", "elected", "lost", "elected", "stopped"}));
}

TEST_F(elector_test, an_exception_of_the_callback_lets_others_lead) {
  elector bad{first, "seat", {.elected = [](std::uint64_t, const std::stop_token&) { throw 1; }}};
  elector good{second, "seat", {.id = "good"}};
  bad.start();
  good.start();
  EXPECT_TRUE(eventually(patience, [&] { return good.leads(); }));
}

TEST_F(elector_test, the_blocking_form_gives_up_when_the_work_ends_and_campaigns_again) {
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
  ASSERT_EQ(terms.size(), 3u);
  EXPECT_LT(terms[0], terms[1]);
  EXPECT_LT(terms[1], terms[2]);
  EXPECT_THROW(seat.run({}, [](std::uint64_t, const std::stop_token&) { throw std::domain_error{"x"}; }),
               std::domain_error);
  expect_nothing_left();
}

TEST_F(elector_test, leading_goes_on_beyond_the_ttl) {
  elector seat{first, "seat", {.id = "me", .ttl = 400ms}};
  seat.start();
  ASSERT_TRUE(eventually(patience, [&] { return seat.leads(); }));
  const auto term = seat.term();
  std::this_thread::sleep_for(1200ms);
  EXPECT_TRUE(seat.leads());
  EXPECT_EQ(seat.term(), term);
  EXPECT_EQ(leader_of(second, "seat").value()->id, "me") << "the record is renewed with the lock";
}

TEST_F(elector_test, observers_hear_of_changes_at_once) {
  notes heard;
  const leader_watch watch{second, "seat", heard.callback()};
  ASSERT_TRUE(eventually(patience, [&] { return heard.last() == "nobody"; }));
  const auto start = std::chrono::steady_clock::now();
  elector one{first, "seat", {.id = "one", .ttl = 30s}};
  one.start();
  ASSERT_TRUE(eventually(patience, [&] { return heard.last() == "one"; }));
  one.stop();
  ASSERT_TRUE(eventually(patience, [&] { return heard.last() == "nobody"; }));
  EXPECT_LT(since(start), 5s) << "by the slow timer only";
  EXPECT_EQ(heard.all(), (std::vector<std::string>{"nobody", "one", "nobody"}));
}

TEST_F(elector_test, an_idle_watch_does_not_poll) {
  elector one{first, "seat", {.id = "one", .ttl = 60s}};
  one.start();
  notes heard;
  const leader_watch watch{second, "seat", heard.callback()};
  ASSERT_TRUE(eventually(patience, [&] { return heard.last() == "one"; }));
  const auto before = scripts_run(server);
  std::this_thread::sleep_for(1500ms);
  EXPECT_LE(scripts_run(server) - before, 1);
}

TEST_F(elector_test, a_broken_lock_deposes_and_an_old_record_is_not_believed) {
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
  EXPECT_EQ(leader_of(second, "seat").value(), std::nullopt);
  auto plain = second.acquire("seat");
  EXPECT_EQ(leader_of(second, "seat").value(), std::nullopt);
  blocked = false;
  plain.release();
  leading.request_stop();
}

TEST_F(elector_test, the_lease_form_leads_until_it_is_released_or_lost) {
  elector one{first, "seat", {.id = "one"}};
  elector two{second, "seat", {.id = "two"}};
  lease held = one.campaign();
  auto seen = leader_of(second, "seat").value();
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->id, "one");
  EXPECT_EQ(seen->term, held.fence());
  EXPECT_EQ(two.campaign(std::nothrow, {}, 0ms).code(), errc::held);
  EXPECT_EQ(two.campaign(std::nothrow, {}, 50ms).code(), errc::timed_out);
  std::stop_source stop;
  auto waiting = std::async(std::launch::async, [&] { return two.campaign(std::nothrow, stop.get_token()); });
  ASSERT_TRUE(queue_reaches(server, "seat", 1));
  EXPECT_EQ(held.release(), release_outcome::released);
  auto next = waiting.get();
  ASSERT_TRUE(next);
  EXPECT_GT(next->fence(), held.fence());
  EXPECT_EQ(leader_of(first, "seat").value()->id, "two");
  stop.request_stop();
  EXPECT_EQ(one.campaign(std::nothrow, stop.get_token()).code(), errc::cancelled);
  const auto old_term = next->fence();
  ASSERT_TRUE(break_lock(first, "seat", ""));
  EXPECT_TRUE(eventually(patience, [&] { return next->lost().stop_requested(); }));
  EXPECT_FALSE(leader_of(first, "seat").value());
  const lease again = two.campaign();
  EXPECT_GT(again.fence(), old_term);
}

TEST_F(elector_test, refuses_bad_names_and_options) {
  EXPECT_THROW((elector{first, ""}), error);
  EXPECT_THROW((elector{first, "seat", {.ttl = 1ms}}), error);
  EXPECT_THROW((elector{first, "seat", {.id = std::string(2000, 'x')}}), error);
  EXPECT_EQ(leader_of(first, "a{").code(), errc::bad_name);
  server.text({"HSET", "hash", "a", "b"});
  elector wrong{first, "hash"};
  EXPECT_THROW(wrong.run({}, [](std::uint64_t, const std::stop_token&) {}), error);
}

// The model: nobody leads, or one does, with a term above all before; whoever is told of a leader is told of one that was.
TEST(elector_model, ten_thousand_terms_never_overlap_and_always_grow) {
  constexpr std::uint64_t terms = 10'000;
  const unsigned seed = make_seed();
  redis_server server;
  std::vector<std::unique_ptr<client>> clients;
  std::vector<std::unique_ptr<elector>> electors;
  for (unsigned i = 0; i < 4; ++i) {
    if (i % 2 == 0) clients.push_back(std::make_unique<client>(at(server)));
    electors.push_back(std::make_unique<elector>(*clients.back(), "seat", elector_options{.id = std::to_string(i)}));
  }
  std::stop_source stop;
  std::atomic<int> leading{0};
  std::atomic<std::uint64_t> last{0};
  std::atomic<std::uint64_t> served{0};
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < electors.size(); ++i) {
    threads.emplace_back([&, i] {
      std::mt19937 random{seed + i};
      electors[i]->run(stop.get_token(), [&](std::uint64_t term, const std::stop_token& over) {
        EXPECT_EQ(++leading, 1);
        EXPECT_GT(term, last.exchange(term));
        EXPECT_EQ(electors[i]->term(), term);
        switch (random() % 50) {
          case 0: {
            const auto who = leader_of(*clients[(i + 1) % 2], "seat").value();
            EXPECT_TRUE(who && who->term == term && who->id == std::to_string(i));
            break;
          }
          case 1:
            electors[i]->resign();
            EXPECT_TRUE(over.stop_requested());
            EXPECT_FALSE(electors[i]->leads());
            break;
          case 2:
            EXPECT_TRUE(electors[i]->leads() || stop.stop_requested());
            break;
          default:
            break;
        }
        --leading;
        if (++served >= terms || testing::Test::HasFailure()) stop.request_stop();
      });
    });
  }
  for (auto& each : threads) each.join();
  EXPECT_GE(served, terms);
  EXPECT_EQ(server.number({"EXISTS", "seat", "{seat}:leader", "{seat}:waiters"}), 0);
  EXPECT_EQ(server.keys_without_expiry(), std::vector<std::string>{});
}

}  // namespace
}  // namespace holdfast::test
