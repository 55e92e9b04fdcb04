// Leader election on a quorum of real servers: one at a time, terms grow, everybody learns who leads; with nodes that are dead, stopped,
// cut off, restarted.
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <iostream>
#include <mutex>
#include <random>
#include <thread>

#include "redis/common.hpp"
#include "scripts/sources.hpp"
#include "support/process.hpp"
#include "support/quorum_group.hpp"
#include "support/seed.hpp"

namespace holdfast::test {
namespace {

const std::string record = "{seat}:leader";

bool nothing_left(quorum_group& nodes) {
  return eventually(patience, [&] { return nodes.left_behind().empty(); });
}

bool waits_on(quorum_group& nodes, long long count, std::size_t node = 0) {
  return eventually(patience, [&] { return nodes.node(node).number({"ZCARD", waiters_of("seat")}) == count; });
}

std::string who_leads(client& redis) {
  const auto seen = leader_of(redis, "seat");
  return !seen ? std::string{to_string(seen.code())} : *seen ? (*seen)->id : "nobody";
}

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
  [[nodiscard]] bool end_with(const std::string& what) const {
    return eventually(patience, [&] { return last() == what; });
  }
  [[nodiscard]] std::vector<std::string> all() const {
    const std::lock_guard lock{mutex_};
    return all_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> all_;
};

class QuorumElector : public testing::TestWithParam<std::size_t> {
 protected:
  quorum_group nodes{{.nodes = GetParam(), .max_ttl = 60s}};
  std::size_t majority = GetParam() / 2 + 1;
  client first{nodes.where()};
  client second{nodes.where()};
};

TEST_P(QuorumElector, OneLeadsAndTheNextFollowsWhenItStops) {
  elector one{first, "seat", {.id = "one"}};
  elector two{second, "seat", {.id = "two"}};
  one.start();
  ASSERT_TRUE(eventually(patience, [&] { return one.leads(); }));
  two.start();
  ASSERT_TRUE(waits_on(nodes, 1));
  EXPECT_FALSE(two.leads());
  for (client* each : {&first, &second}) {
    const auto seen = leader_of(*each, "seat").value();
    ASSERT_TRUE(seen);
    EXPECT_EQ(seen->id, "one");
    EXPECT_EQ(seen->term, one.term());
    EXPECT_GT(seen->remaining, 0ms);
    EXPECT_LE(seen->remaining, 5s);
  }
  EXPECT_TRUE(eventually(patience, [&] { return nodes.holding(record) == nodes.size(); }));
  EXPECT_TRUE(nodes.without_expiry().empty());
  one.stop();
  EXPECT_FALSE(one.leads());
  ASSERT_TRUE(eventually(patience, [&] { return two.leads(); }));
  EXPECT_GT(two.term(), one.term());
  EXPECT_EQ(who_leads(first), "two");
  two.stop();
  EXPECT_EQ(who_leads(first), "nobody");
  EXPECT_TRUE(nothing_left(nodes));
}

TEST_P(QuorumElector, CallbacksTellTermAndCause) {
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
  for (std::size_t i = 0; i < majority; ++i) nodes.node(i).text({"SET", "seat", "a thief", "PX", "300"});
  ASSERT_TRUE(eventually(patience, [&] { return count() == 5; })) << "and elected again when the thief's time is over";
  seat.stop();
  EXPECT_EQ(told, (std::vector<std::string>{"elected", "resigned", "elected", "lost", "elected", "stopped"}));
}

TEST_P(QuorumElector, TheBlockingFormGivesUpWhenTheWorkEndsAndCampaignsAgain) {
  elector seat{first, "seat"};
  std::stop_source stop;
  std::vector<std::uint64_t> terms;
  seat.run(stop.get_token(), [&](std::uint64_t term, const std::stop_token& over) {
    EXPECT_FALSE(over.stop_requested());
    EXPECT_TRUE(seat.leads());
    terms.push_back(term);
    if (terms.size() == 3) stop.request_stop();
  });
  ASSERT_EQ(terms.size(), 3U);
  EXPECT_LT(terms[0], terms[1]);
  EXPECT_LT(terms[1], terms[2]);
  EXPECT_THROW(seat.run({}, [](std::uint64_t, const std::stop_token&) { throw std::domain_error{"x"}; }),
               std::domain_error);
  EXPECT_TRUE(nothing_left(nodes));
}

TEST_P(QuorumElector, TheLeaseFormLeadsUntilItIsReleasedOrBroken) {
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
  auto waiting = std::async(std::launch::async, [&] { return two.campaign(std::nothrow); });
  ASSERT_TRUE(waits_on(nodes, 1));
  EXPECT_EQ(held.release(), release_outcome::released);
  auto next = waiting.get();
  ASSERT_TRUE(next) << next.failure().detail;
  EXPECT_GT(next->fence(), held.fence());
  EXPECT_EQ(who_leads(first), "two");
  const auto status = inspect(first, "seat").value();
  EXPECT_EQ(status.kind, lock_kind::elector);
  EXPECT_EQ(status.leader, "two");
  EXPECT_EQ(status.fence, next->fence());
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

TEST_P(QuorumElector, LeadingGoesOnBeyondTheTtlAndNodesThatForgotAreTakenUpAgainWithTheRecord) {
  elector seat{first, "seat", {.id = "me", .ttl = 900ms}};
  seat.start();
  ASSERT_TRUE(eventually(patience, [&] { return nodes.holding(record) == nodes.size(); }));
  const auto term = seat.term();
  // One after the other all have forgotten it, as in a rolling restart.
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    nodes.node(i).text({"DEL", "seat", record});
    ASSERT_TRUE(eventually(patience, [&] { return nodes.holding(record) == nodes.size(); })) << i;
  }
  EXPECT_TRUE(seat.leads());
  EXPECT_EQ(seat.term(), term);
  const auto seen = leader_of(second, "seat").value();
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->id, "me");
  EXPECT_EQ(seen->term, term);
  nodes.node(0).text({"SET", record, "1 3 oldid", "PX", "30000"});
  EXPECT_TRUE(eventually(patience, [&] {
    return has(nodes.node(0).text({"GET", record}), std::to_string(term));
  })) << "an earlier leader's record is replaced";
  seat.stop();
  EXPECT_TRUE(nothing_left(nodes));
}

TEST_P(QuorumElector, ObserversHearOfChangesAtOnceAndLookSeldom) {
  notes heard;
  const leader_watch watch{second, "seat", heard.callback()};
  ASSERT_TRUE(heard.end_with("nobody"));
  const auto start = std::chrono::steady_clock::now();
  elector one{first, "seat", {.id = "one", .ttl = 30s}};
  one.start();
  ASSERT_TRUE(heard.end_with("one"));
  ASSERT_TRUE(eventually(patience, [&] { return nodes.holding(record) == nodes.size(); }));
  one.stop();
  ASSERT_TRUE(heard.end_with("nobody"));
  EXPECT_LT(since(start), 5s) << "by the slow timer only";
  EXPECT_EQ(heard.all(), (std::vector<std::string>{"nobody", "one", "nobody"}));
}

TEST_P(QuorumElector, AnIdleWatchDoesNotPollAndAChangeCostsFewLooks) {
  elector one{first, "seat", {.id = "one", .ttl = 60s}};
  one.start();
  notes heard;
  const leader_watch watch{second, "seat", heard.callback()};
  ASSERT_TRUE(heard.end_with("one"));
  ASSERT_TRUE(eventually(patience, [&] { return nodes.holding(record) == nodes.size(); }));
  std::this_thread::sleep_for(200ms);  // messages that are on their way
  const auto idle = scripts_run(nodes.node(0));
  std::this_thread::sleep_for(1500ms);
  EXPECT_LE(scripts_run(nodes.node(0)) - idle, 1);
  const auto before = scripts_run(nodes.node(0));
  one.stop();
  ASSERT_TRUE(heard.end_with("nobody"));
  std::this_thread::sleep_for(200ms);
  EXPECT_LE(scripts_run(nodes.node(0)) - before, 2 * (1 + static_cast<long long>(nodes.size())))
      << "the release, and at most one look for each node's message; either may be sent by hash and by text";
}

TEST_P(QuorumElector, AMinorityOfDeadNodesHindersNobodyAndTermsGrow) {
  elector one{first, "seat", {.id = "one", .ttl = 900ms}};
  elector two{second, "seat", {.id = "two", .ttl = 900ms}};
  std::uint64_t last = 0;
  for (std::size_t dead = 0; dead <= nodes.size() - majority; ++dead) {
    if (dead > 0) nodes.node(dead - 1).kill();
    for (elector* each : {&one, &two}) {
      const auto held = each->campaign(std::nothrow, {}, patience);
      ASSERT_TRUE(held) << dead << ": " << held.failure().detail;
      EXPECT_GT(held->fence(), last);
      last = held->fence();
      EXPECT_EQ(who_leads(first), each == &one ? "one" : "two") << dead;
      EXPECT_EQ(who_leads(second), each == &one ? "one" : "two") << dead;
    }
  }
  EXPECT_EQ(who_leads(first), "nobody");
  EXPECT_TRUE(nothing_left(nodes));
}

TEST_P(QuorumElector, WithoutAMajorityItIsUnreachable) {
  elector seat{first, "seat", {.id = "one"}};
  auto held = seat.campaign();
  for (std::size_t i = 0; i < nodes.size() - majority + 1; ++i) nodes.node(i).kill();
  EXPECT_TRUE(eventually(patience, [&] { return who_leads(second) == "unreachable"; }));
  const auto seen = leader_of(second, "seat");
  ASSERT_FALSE(seen);
  EXPECT_TRUE(has(seen.failure().detail, std::to_string(majority) + " are needed")) << seen.failure().detail;
  EXPECT_EQ(seat.campaign(std::nothrow, {}, 0ms).code(), errc::unreachable);
  EXPECT_EQ(held.release(), release_outcome::unknown);
}

TEST_P(QuorumElector, RefusesBadNamesAndOptions) {
  EXPECT_THROW((elector{first, ""}), error);
  EXPECT_THROW((elector{first, "seat", {.ttl = 61s}}), error) << "longer than max_ttl";
  EXPECT_THROW((elector{first, "seat", {.id = std::string(2000, 'x')}}), error);
  EXPECT_EQ(leader_of(first, "a{").code(), errc::bad_name);
  for (std::size_t i = 0; i < nodes.size(); ++i) nodes.node(i).text({"HSET", "hash", "a", "b"});
  EXPECT_EQ(leader_of(first, "hash").code(), errc::wrong_type);
}

INSTANTIATE_TEST_SUITE_P(OfNodes, QuorumElector, testing::Values(3, 5));

// ---- faults

TEST(QuorumElectorFaults, BlackHoledNodesDoNotHinderALook) {
  quorum_group nodes{{.gates = true}};
  client redis{nodes.where()};
  elector seat{redis, "seat", {.id = "one", .ttl = 3000ms}};
  const lease held = seat.campaign();
  EXPECT_EQ(who_leads(redis), "one");
  for (const std::size_t i : {0U, 1U}) nodes.door(i).set(fault::black_hole(direction::both));
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(who_leads(redis), "one");
  EXPECT_LT(since(start), nodes.where().command_timeout) << "nobody waits for those that are not needed";
  nodes.door(2).set(fault::black_hole(direction::both));
  const auto begun = std::chrono::steady_clock::now();
  EXPECT_EQ(who_leads(redis), "unreachable");
  EXPECT_LT(since(begun), nodes.where().command_timeout + 1s);
}

TEST(QuorumElectorFaults, ALeaderThatIsCutOffStopsBeforeTheNextOneStarts) {
  quorum_group nodes{{.gates = true}};
  std::string url = "redis+quorum://";
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    url += (i == 0 ? "127.0.0.1:" : ",127.0.0.1:") + std::to_string(nodes.node(i).port());
  }
  settings direct = at(url);
  direct.max_ttl = nodes.where().max_ttl;
  direct.node_timeout = nodes.where().node_timeout;
  client through{nodes.where()};
  client beside{direct};
  using clock = std::chrono::steady_clock;
  std::atomic<clock::time_point> told{clock::time_point{}};
  std::atomic<clock::time_point> began{clock::time_point{}};
  elector one{through,
              "seat",
              {.id = "one", .ttl = 1500ms, .stop_margin = 300ms, .deposed = [&](std::uint64_t, deposition why) {
                 if (why == deposition::lost) told = clock::now();
               }}};
  one.start();
  ASSERT_TRUE(eventually(patience, [&] { return one.leads(); }));
  const auto term = one.term();
  notes heard;
  const leader_watch watch{beside, "seat", heard.callback()};
  ASSERT_TRUE(heard.end_with("one"));
  elector two{beside, "seat", {.id = "two", .ttl = 1500ms, .elected = [&](std::uint64_t, const std::stop_token&) {
                                 began = clock::now();
                               }}};
  two.start();
  ASSERT_TRUE(waits_on(nodes, 1));
  for (std::size_t i = 0; i < 3; ++i) nodes.door(i).set(fault::black_hole(direction::both));
  ASSERT_TRUE(eventually(patience, [&] { return two.leads() && told.load() != clock::time_point{}; }));
  EXPECT_LT(told.load(), began.load());
  EXPECT_GT(two.term(), term);
  EXPECT_TRUE(heard.end_with("two"));
  for (std::size_t i = 0; i < 3; ++i) nodes.door(i).set(fault::cut());
  for (std::size_t i = 0; i < 3; ++i) nodes.door(i).pass();
  const auto after = two.term();
  ASSERT_TRUE(waits_on(nodes, 1, 4)) << "the deposed one is a candidate again";
  two.stop();
  ASSERT_TRUE(eventually(patience, [&] { return one.leads(); }));
  EXPECT_GT(one.term(), after);
  EXPECT_EQ(who_leads(beside), "one");
}

TEST(QuorumElectorFaults, ARestartedNodeIsYoungAndHasTheRecordAgainWhenItMayVote) {
  quorum_group nodes{{.nodes = 3, .max_ttl = 1500ms}};
  client redis{nodes.where()};
  elector seat{redis, "seat", {.id = "one", .ttl = 900ms}};
  seat.start();
  ASSERT_TRUE(eventually(patience, [&] { return nodes.holding(record) == 3; }));
  const auto term = seat.term();
  for (std::size_t i = 0; i < 3; ++i) {
    const auto start = std::chrono::steady_clock::now();
    nodes.node(i).kill();
    nodes.node(i).restart();
    EXPECT_TRUE(eventually(patience, [&] { return nodes.holding(record) == 3; })) << i;
    EXPECT_GE(since(start), 1500ms) << "a young node has neither vote nor record";
    EXPECT_EQ(who_leads(redis), "one");
  }
  EXPECT_TRUE(seat.leads());
  EXPECT_EQ(seat.term(), term) << "a rolling restart deposes nobody";
}

TEST(QuorumElectorFaults, AWatchWithoutAMajorityTellsNobodyWhenTheLeaseHasEnded) {
  quorum_group nodes{{.nodes = 3, .max_ttl = 2000ms}};
  client redis{nodes.where()};
  client other{nodes.where()};
  elector seat{redis, "seat", {.id = "one", .ttl = 1500ms}};
  seat.start();
  notes heard;
  const leader_watch watch{other, "seat", heard.callback()};
  ASSERT_TRUE(heard.end_with("one"));
  nodes.node(0).kill();
  nodes.node(1).kill();
  EXPECT_TRUE(heard.end_with("nobody")) << "what cannot be asked is not believed for ever";
  EXPECT_FALSE(seat.leads());
  nodes.node(0).restart();
  nodes.node(1).restart();
  EXPECT_TRUE(heard.end_with("one")) << "elected again when the nodes may vote";
}

TEST(QuorumElectorFaults, AnAnnouncementOfWhichAMajorityDoesNotHearGivesTheLeadershipUp) {
  quorum_group nodes{{.nodes = 3, .gates = true}};
  client redis{nodes.where()};
  elector seat{redis, "seat", {.id = "one", .ttl = 2000ms}};
  { const lease warm = seat.campaign(); }
  ASSERT_TRUE(nothing_left(nodes));
  for (const std::size_t i : {0U, 1U}) {
    nodes.door(i).when(std::string{scripts::quorum_leader_renew.sha1}, fault::black_hole(direction::both));
  }
  const auto got = seat.campaign(std::nothrow, {}, patience);
  ASSERT_FALSE(got);
  EXPECT_EQ(got.code(), errc::unreachable) << got.failure().detail;
  for (const std::size_t i : {0U, 1U}) nodes.door(i).set(fault::cut());
  for (const std::size_t i : {0U, 1U}) nodes.door(i).pass();
  EXPECT_TRUE(nothing_left(nodes));
  EXPECT_TRUE(seat.campaign(std::nothrow, {}, patience));
}

int lead_and_tell(const settings& where) {
  client redis{where};
  elector seat{redis, "seat", {.id = "child", .ttl = 1000ms}};
  seat.run({}, [](std::uint64_t term, const std::stop_token&) {
    std::cout << term << std::endl;
    std::this_thread::sleep_for(60s);
  });
  return 0;
}

// Terms over a leader that dies, with a node killed in between.
TEST(QuorumElectorFaults, ADeadLeaderIsFollowedUnderAGreaterTermAlsoWithANodeKilled) {
  quorum_group nodes;
  std::uint64_t last = 0;
  for (std::size_t round = 0; round < 3; ++round) {
    auto dying = fork_child([&] { return lead_and_tell(nodes.where()); });
    const auto line = dying.read_line(patience);
    ASSERT_TRUE(line && !line->empty());
    const std::uint64_t term = std::stoull(*line);
    EXPECT_GT(term, last);
    client redis{nodes.where()};
    EXPECT_EQ(who_leads(redis), "child");
    notes heard;
    const leader_watch watch{redis, "seat", heard.callback()};
    ASSERT_TRUE(heard.end_with("child"));
    elector next{redis, "seat", {.id = "next", .ttl = 1000ms}};
    next.start();
    ASSERT_TRUE(waits_on(nodes, 1, 4));
    dying.kill();
    EXPECT_TRUE(dying.wait(patience));
    if (round < 2) nodes.node(round).kill();
    ASSERT_TRUE(eventually(patience, [&] { return next.leads(); })) << round;
    EXPECT_GT(next.term(), term);
    EXPECT_TRUE(heard.end_with("next"));
    last = next.term();
    next.stop();
  }
  EXPECT_TRUE(nothing_left(nodes));
}

// The model: nobody leads, or one does, with a term above all before; whoever is told of a leader is told of one that was.
TEST(QuorumElectorModel, ThousandsOfTermsNeverOverlapAndAlwaysGrow) {
  constexpr std::uint64_t terms = 2'500;
  const unsigned seed = make_seed();
  quorum_group nodes{{.max_ttl = 30s}};
  std::vector<std::unique_ptr<client>> clients;
  std::vector<std::unique_ptr<elector>> electors;
  for (unsigned i = 0; i < 4; ++i) {
    if (i % 2 == 0) clients.push_back(std::make_unique<client>(nodes.where()));
    electors.push_back(
        std::make_unique<elector>(*clients.back(), "seat", elector_options{.id = std::to_string(i), .ttl = 20s}));
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
        switch (random() % 10) {
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
  // Observers, meanwhile: terms never go back.
  std::thread observer{[&] {
    client redis{nodes.where()};
    std::uint64_t seen = 0;
    while (!stop.stop_requested()) {
      const auto who = leader_of(redis, "seat");
      if (!who || !*who) continue;
      EXPECT_GE((*who)->term, seen);
      seen = (*who)->term;
    }
  }};
  for (auto& each : threads) each.join();
  observer.join();
  EXPECT_GE(served, terms);
  EXPECT_TRUE(nothing_left(nodes));
  EXPECT_TRUE(nodes.without_expiry().empty());
}

}  // namespace
}  // namespace holdfast::test
