// Faults at the steps of shares: lost requests and answers, cut links, lost messages, for readers, writers and permits alike.
//
// A client works through the gate and another one directly. Whatever is lost, each test shows that a share is counted once, that
// nobody is let in beyond the capacity, that the waiter gets in by its timer, and that nothing is left in the end.
#include <future>
#include <ostream>

#include "chaos/shares_ground.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

enum class kind { reader, writer, permit };

struct fault_case {
  const char* name;
  kind what;
};
void PrintTo(const fault_case& what, std::ostream* out) { *out << what.name; }

class shares_fault : public testing::TestWithParam<fault_case>, protected shares_ground {
 protected:
  shares_fault()
      : shares_ground{"shares-lock", {&scripts::share_acquire, &scripts::share_renew, &scripts::share_release}} {}

  result<lease> take(client& by, const options& how = {.ttl = 5s, .wait = 5s}) {
    switch (GetParam().what) {
      case kind::reader:
        return acquire_shared(std::nothrow, by, key, how);
      case kind::writer:
        return acquire_exclusive(std::nothrow, by, key, how);
      default:
        return semaphore{by, key, 1}.take(std::nothrow, 1, how);
    }
  }
  // What keeps the others out: a writer, or the only permit.
  lease block(client& by) {
    if (GetParam().what == kind::permit)
      return std::move(semaphore{by, key, 1}.take(std::nothrow, 1, {.ttl = 10s}).value());
    return acquire_exclusive(by, key, {.ttl = 10s});
  }
  long long weight() const { return GetParam().what == kind::writer ? 100'000'000 : 1; }
  long long in_use() { return server_.number({"ZSCORE", key, "#"}); }
};

TEST_P(shares_fault, a_lost_answer_to_acquire_counts_once) {
  gate_.when_reply(granted, fault::cut());
  auto held = take(through_);
  ASSERT_TRUE(held) << held.failure().detail;
  EXPECT_EQ(gate_.triggered(), 1U);
  EXPECT_EQ(in_use(), weight()) << "a share that was taken twice is one share (D11)";
  EXPECT_EQ(held->release(), release_outcome::released);
  finish();
}

TEST_P(shares_fault, a_lost_request_is_sent_again) {
  gate_.when(std::string{scripts::share_acquire.sha1}, fault::cut(), moment::before);
  auto held = take(through_);
  ASSERT_TRUE(held) << held.failure().detail;
  EXPECT_EQ(in_use(), weight());
  gate_.when(std::string{scripts::share_release.sha1}, fault::cut(), moment::before);
  EXPECT_EQ(held->release(), release_outcome::released);
  EXPECT_EQ(gate_.triggered(), 2U);
  finish();
}

TEST_P(shares_fault, a_lost_answer_to_release_gives_back_once) {
  auto held = take(through_);
  ASSERT_TRUE(held);
  gate_.when(std::string{scripts::share_release.sha1}, fault::cut(), moment::after);
  EXPECT_NE(held->release(), release_outcome::was_lost) << "it was ours until we gave it back";
  EXPECT_EQ(gate_.triggered(), 1U);
  finish();
}

TEST_P(shares_fault, an_acquire_that_is_never_answered_is_undone) {
  gate_.when_reply(granted, fault::black_hole(direction::to_client));
  EXPECT_EQ(take(through_, {.ttl = 60s, .wait = 300ms}).code(), errc::unreachable);
  EXPECT_EQ(gate_.triggered(), 1U);
  finish();
}

// D14: the message is lost, and the waiter's timer finds the grant long before the claim window or the ttl is over.
TEST_P(shares_fault, a_lost_grant_is_found_by_the_timer) {
  lease first = block(direct_);
  auto waiter = std::async(std::launch::async, [&] { return take(through_, {.ttl = 30s, .wait = 20s}); });
  ASSERT_TRUE(one_waits());
  gate_.when_reply(grant, fault::drop_reply(1));
  EXPECT_EQ(first.release(), release_outcome::released);
  auto got = waiter.get();
  ASSERT_TRUE(got) << got.failure().detail;
  EXPECT_EQ(gate_.triggered(), 1U);
  EXPECT_EQ(through_.stats().woken_by_timer, 1U);
  EXPECT_EQ(in_use(), weight());
  EXPECT_EQ(got->release(), release_outcome::released);
  finish();
}

TEST_P(shares_fault, a_link_that_is_cut_while_waiting_keeps_the_place) {
  lease first = block(direct_);
  auto waiter = std::async(std::launch::async, [&] { return take(through_, {.ttl = 30s, .wait = 20s}); });
  ASSERT_TRUE(one_waits());
  gate_.cut();
  EXPECT_EQ(first.release(), release_outcome::released);
  auto got = waiter.get();
  ASSERT_TRUE(got) << got.failure().detail;
  EXPECT_EQ(got->release(), release_outcome::released);
  finish();
}

TEST_P(shares_fault, a_holder_that_is_cut_off_is_told_before_another_gets_in) {
  loss_note note;
  auto held = take(through_, {.ttl = 900ms, .wait = 5s, .stop_margin = 150ms, .on_lost = note.callback()});
  ASSERT_TRUE(held);
  gate_.set(fault::black_hole(direction::both));
  lease next = block(direct_);
  const auto got = boottime_ns();
  ASSERT_TRUE(eventually(5s, [&] { return note.by_callback != 0; }));
  EXPECT_LT(note.by_callback, got);
  EXPECT_EQ(held->state(), lease_state::LOST);
  gate_.pass();
  EXPECT_EQ(held->release(), release_outcome::was_lost);
  EXPECT_EQ(next.state(), lease_state::VALID) << "a late release takes nothing from the next one";
  next.release();
  finish();
}

INSTANTIATE_TEST_SUITE_P(, shares_fault,
                         testing::Values(fault_case{"reader", kind::reader}, fault_case{"writer", kind::writer},
                                         fault_case{"permit", kind::permit}),
                         [](const auto& chosen) { return chosen.param.name; });

// Upgrade and downgrade, likewise.
class upgrade_fault : public shares_fault {};

TEST_P(upgrade_fault, a_lost_answer_upgrades_once) {
  lease held = acquire_shared(through_, key);
  gate_.when_reply(granted, fault::cut());
  const auto done = upgrade(held, {.ttl = 5s, .wait = 5s});
  ASSERT_TRUE(done) << done.failure().detail;
  EXPECT_EQ(gate_.triggered(), 1U);
  EXPECT_EQ(in_use(), 100'000'000);
  gate_.when(std::string{scripts::share_release.sha1}, fault::cut(), moment::after);
  const auto back = downgrade(held);
  ASSERT_TRUE(back) << back.failure().detail;
  EXPECT_EQ(gate_.triggered(), 2U);
  EXPECT_EQ(in_use(), 1);
  EXPECT_EQ(held.release(), release_outcome::released);
  finish();
}

TEST_P(upgrade_fault, one_that_is_never_answered_is_undone_and_keeps_the_share) {
  lease held = acquire_shared(through_, key, {.ttl = 30s});
  gate_.when_reply(granted, fault::black_hole(direction::to_client));
  EXPECT_EQ(upgrade(held, {.ttl = 1s, .wait = 300ms}).code(), errc::unreachable);
  EXPECT_EQ(gate_.triggered(), 1U);
  gate_.pass();
  EXPECT_TRUE(eventually(10s, [&] { return in_use() == 1; })) << "a reader again";
  std::this_thread::sleep_for(1500ms);  // longer than the ttl of the upgrade
  EXPECT_TRUE(held.extend(std::nothrow, 30s)) << "its share is as long as it was";
  EXPECT_TRUE(try_acquire_shared(direct_, key));
  EXPECT_EQ(held.release(), release_outcome::released);
  finish();
}

TEST_P(upgrade_fault, a_lost_grant_is_found_by_the_timer) {
  lease held = acquire_shared(through_, key);
  lease last = acquire_shared(direct_, key);
  auto upgraded = std::async(std::launch::async, [&] { return upgrade(held, {.wait = 20s}); });
  ASSERT_TRUE(one_waits());
  gate_.when_reply(grant, fault::drop_reply(1));
  last.release();
  const auto done = upgraded.get();
  ASSERT_TRUE(done) << done.failure().detail;
  EXPECT_EQ(gate_.triggered(), 1U);
  EXPECT_EQ(held.release(), release_outcome::released);
  finish();
}

INSTANTIATE_TEST_SUITE_P(, upgrade_fault, testing::Values(fault_case{"reader", kind::reader}),
                         [](const auto& chosen) { return chosen.param.name; });

}  // namespace
}  // namespace holdfast::test
