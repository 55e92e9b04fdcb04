// Forcing a lock open: the next waiter has it, the old holder hears of it at once, and nothing else is touched.
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <thread>

#include "redis/common.hpp"

namespace holdfast::test {
namespace {

const std::string uuid = "285475da-9152-4c83-822a-67ee2f116a79";

class breaking : public testing::TestWithParam<int> {
 protected:
  settings how() const {
    auto made = at(server_);
    made.protocol = GetParam();
    return made;
  }
  redis_server server_;
  client redis_{how()};
  client other_{how()};
  client operator_{how()};
};

TEST_P(breaking, the_old_holder_hears_at_once_and_the_next_waiter_has_it) {
  std::promise<loss> heard;
  const lease held = redis_.acquire("door", {.ttl = 60s, .on_lost = [&](const loss& what) { heard.set_value(what); }});
  const std::string old{held.owner()};
  const std::stop_token lost = held.lost();
  auto next = std::async(std::launch::async, [&] { return other_.acquire("door", {.ttl = 60s}); });
  ASSERT_TRUE(queue_reaches(server_, "door", 1));

  const broken_lock done = break_lock(operator_, "door", old).value();
  EXPECT_EQ(done.owner, old);
  EXPECT_TRUE(done.told);
  auto told = heard.get_future();
  ASSERT_EQ(told.wait_for(5s), std::future_status::ready) << "the next renewal is 20 s away";
  const loss what = told.get();
  EXPECT_EQ(what.cause, loss_cause::broken);
  EXPECT_EQ(what.name, "door");
  EXPECT_EQ(what.fence, held.fence());
  EXPECT_TRUE(lost.stop_requested());
  EXPECT_EQ(held.state(), lease_state::LOST);
  EXPECT_EQ(redis_.stats().of(loss_cause::broken), 1U);

  ASSERT_EQ(next.wait_for(5s), std::future_status::ready);
  const lease mine = next.get();
  EXPECT_EQ(mine.owner(), done.next_owner);
  EXPECT_GT(mine.fence(), held.fence());
  EXPECT_EQ(server_.text({"GET", "door"}), mine.owner());
}

TEST_P(breaking, without_waiters_the_lock_is_free) {
  lease held = redis_.acquire("door", {.ttl = 60s});
  const broken_lock done = break_lock(operator_, "door", {}).value();
  EXPECT_EQ(done.owner, held.owner());
  EXPECT_EQ(done.next_owner, "");
  EXPECT_TRUE(eventually(patience, [&] { return held.state() == lease_state::LOST; }));
  EXPECT_EQ(server_.number({"EXISTS", "door"}), 0);
  const auto again = other_.try_acquire("door");
  ASSERT_TRUE(again);
  EXPECT_EQ(held.release(), release_outcome::was_lost);
  EXPECT_EQ(again->state(), lease_state::VALID) << "the old holder's release took the new holder's lock";
}

TEST_P(breaking, an_owner_of_the_callers_choice_hears_too) {
  const lease held = redis_.acquire("door", {.ttl = 60s, .owner = "me"});
  const lease bystander = redis_.acquire("window", {.ttl = 60s, .owner = "me"});
  ASSERT_TRUE(break_lock(operator_, "door", "me"));
  EXPECT_TRUE(eventually(patience, [&] { return held.state() == lease_state::LOST; }));
  EXPECT_EQ(redis_.stats().of(loss_cause::broken), 1U);
  EXPECT_EQ(bystander.state(), lease_state::VALID);
}

TEST_P(breaking, only_the_holder_that_was_looked_at) {
  const lease held = redis_.acquire("door", {.ttl = 60s});
  const auto refused = break_lock(operator_, "door", "somebody else");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.code(), errc::not_owner);
  EXPECT_TRUE(has(refused.failure().detail, std::string{held.owner()})) << refused.failure().detail;
  EXPECT_EQ(server_.text({"GET", "door"}), held.owner());
  EXPECT_EQ(held.state(), lease_state::VALID);
}

INSTANTIATE_TEST_SUITE_P(, breaking, testing::Values(2, 3),
                         [](const auto& shown) { return "resp" + std::to_string(shown.param); });

class breaking_others : public testing::Test {
 protected:
  redis_server server_;
  client operator_{at(server_)};

  // Subscribes before, and returns the first message after, the act.
  template <class Act>
  std::string message_on(const std::string& channel, Act act) {
    auto listener = server_.connect();
    static_cast<void>(listener.command({"SUBSCRIBE", channel}));
    act();
    const reply heard = listener.receive();
    return heard.items.size() == 3 ? heard.items[2].text : "";
  }
};

TEST_F(breaking_others, a_free_lock_cannot_be_broken) {
  const auto refused = break_lock(operator_, "door", {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.code(), errc::not_owner);
  EXPECT_TRUE(has(refused.failure().detail, "nobody holds door")) << refused.failure().detail;
}

TEST_F(breaking_others, a_foreign_plain_lock_serves_our_queue) {
  server_.command({"SET", "door", "foreign"});
  client waiting{at(server_)};
  auto next = std::async(std::launch::async, [&] { return waiting.acquire("door"); });
  ASSERT_TRUE(queue_reaches(server_, "door", 1));
  const broken_lock done = break_lock(operator_, "door", "foreign").value();
  EXPECT_EQ(done.owner, "foreign");
  EXPECT_FALSE(done.told);
  ASSERT_EQ(next.wait_for(5s), std::future_status::ready);
  EXPECT_EQ(next.get().owner(), done.next_owner);
}

TEST_F(breaking_others, redissons_lock_goes_and_java_is_woken) {
  server_.command({"HSET", "door", uuid + ":57", "2"});
  EXPECT_EQ(message_on("redisson_lock__channel:{door}",
                       [&] { EXPECT_EQ(break_lock(operator_, "door", uuid + ":57").value().owner, uuid + ":57"); }),
            "0");
  EXPECT_EQ(server_.number({"EXISTS", "door"}), 0);

  server_.command({"HSET", "fair", uuid + ":57", "1"});
  server_.command({"RPUSH", "redisson_lock_queue:{fair}", uuid + ":58"});
  EXPECT_EQ(message_on("redisson_lock__channel:{fair}:" + uuid + ":58",
                       [&] { EXPECT_TRUE(break_lock(operator_, "fair", {})); }),
            "0");

  server_.command({"HSET", "rw", "mode", "write", uuid + ":57:write", "1"});
  EXPECT_EQ(message_on("redisson_rwlock:{rw}", [&] { EXPECT_TRUE(break_lock(operator_, "rw", {})); }), "1");
  EXPECT_EQ(server_.number({"EXISTS", "rw"}), 0);
}

TEST_F(breaking_others, redissons_lock_of_another_holder_stays) {
  server_.command({"HSET", "door", uuid + ":57", "2"});
  EXPECT_EQ(break_lock(operator_, "door", uuid + ":1").code(), errc::not_owner);
  EXPECT_EQ(server_.number({"EXISTS", "door"}), 1);
}

TEST_F(breaking_others, what_is_no_lock_stays) {
  server_.command({"LPUSH", "list", "x"});
  server_.command({"HSET", "hash", "name", "Ada"});
  server_.command({"HSET", "nearly", uuid + ":57", "1", "name", "Ada"});
  server_.command({"SET", "long", std::string(5000, 'x')});
  for (const char* name : {"list", "hash", "nearly", "long"}) {
    const auto refused = break_lock(operator_, name, {});
    ASSERT_FALSE(refused) << name;
    EXPECT_EQ(refused.code(), errc::wrong_type) << name;
    EXPECT_EQ(server_.number({"EXISTS", name}), 1) << name;
  }
}

TEST_F(breaking_others, messages_that_do_not_fit_break_nothing) {
  client holder{at(server_)};
  const lease held = holder.acquire("door", {.ttl = 60s});
  const std::string owner{held.owner()};
  for (const std::string& channel :
       {std::string{"holdfast:inbox:all"}, "holdfast:inbox:" + owner.substr(owner.size() - 32, 16)}) {
    for (const std::string& message : std::vector<std::string>{
             "broken 4 door" + owner + "x", "broken 4 dooR" + owner, "broken 3 door" + owner, "broken",
             "broken 99999999 door" + owner, "ask all 1 4 3 doorabc", "told 1 1 1 1 VALID\n", "17 1794777060182298"}) {
      EXPECT_GE(server_.number({"PUBLISH", channel, message}), 1);
    }
  }
  EXPECT_TRUE(holder.ping());
  EXPECT_EQ(held.state(), lease_state::VALID);
}

TEST_F(breaking_others, a_flood_of_questions_does_not_pile_up) {
  client holder{at(server_)};
  const lease held = holder.acquire("door", {.ttl = 60s});
  const std::string owner{held.owner()};
  const std::string channel = "holdfast:inbox:" + owner.substr(owner.size() - 32, 16);
  const std::string ask = "ask 0123456789abcdef 1 4 " + std::to_string(owner.size()) + " door" + owner;
  auto direct = server_.connect();
  for (int i = 0; i < 5000; ++i) direct.send({"PUBLISH", channel, ask});
  for (int i = 0; i < 5000; ++i) static_cast<void>(direct.receive());
  EXPECT_TRUE(holder.ping());
  EXPECT_EQ(held.state(), lease_state::VALID);
  EXPECT_EQ(inspect(operator_, "door", {.patience = patience}).value().contact, contact::answered);
}

}  // namespace
}  // namespace holdfast::test
