// Leader election on a quorum of real servers: one at a time, terms grow, everybody learns who leads, with a minority of the nodes dead
// as well.
#include <gtest/gtest.h>

#include <future>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "redis/quorum_elector.hpp"

namespace holdfast::test {
namespace {

class QuorumElector : public testing::TestWithParam<std::size_t> {
 protected:
  quorum_group nodes{{.nodes = GetParam(), .max_ttl = 60s}};
  std::size_t majority = GetParam() / 2 + 1;
  client first{nodes.where()};
  client second{nodes.where()};
};

TEST_P(QuorumElector, OneLeadsAndTheNextFollowsWhenItStops) {
  elector one{first, "seat", {.id = "one", .ttl = 60s}};  // nothing goes by lapsing
  elector two{second, "seat", {.id = "two", .ttl = 60s}};
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
    EXPECT_LE(seen->remaining, 60s);
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
  std::vector<std::string> expected{"nobody"};
  for (int i = 0; i < 3; ++i) {  // the first of them may be seen because connections have come up
    elector one{first, "seat", {.id = "one", .ttl = 30s}};
    one.start();
    ASSERT_TRUE(heard.end_with("one"));
    ASSERT_TRUE(eventually(patience, [&] { return nodes.holding(record) == nodes.size(); }));
    one.stop();
    ASSERT_TRUE(heard.end_with("nobody"));
    expected.insert(expected.end(), {"one", "nobody"});
  }
  EXPECT_LT(since(start), 5s) << "by the slow timer only";
  EXPECT_EQ(heard.all(), expected);
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
  EXPECT_EQ(elector(first, "free").campaign(std::nothrow, {}, 0ms).code(), errc::unreachable);
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

}  // namespace
}  // namespace holdfast::test
