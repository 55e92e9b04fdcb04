// scripts = off through the gate: what is lost, late or cut at each step of a transaction, and what others do between its
// look and its act.
#include "chaos/bystander.hpp"
#include "redis/no_scripts.hpp"
#include "support/gate.hpp"

#include <future>

namespace holdfast::test {
namespace {

const std::string key = "app:door";

errc code_of(const result<void>& done) { return done ? errc{} : done.code(); }

struct no_scripts_faults : testing::Test {
  redis_server server{redis_options{.users = {user_without_scripts()}}};
  gate between{server.port()};
  client redis{with_timeout(unscripted_at(between.url()), 500ms)};

  no_scripts_faults() {
    EXPECT_TRUE(redis.try_acquire("app:other", "x", 5s));  // the connection is up
    EXPECT_TRUE(redis.release("app:other", "x"));
  }
  void TearDown() override {
    between.pass();
    EXPECT_EQ(server.keys_without_expiry(), std::vector<std::string>{});
    EXPECT_TRUE(key_goes(server, key));
  }
  errc try_it() {
    const auto got = redis.try_acquire(key, "me", 20s);
    return got ? errc{} : got.code();
  }
  std::string holder() { return server.command({"GET", key}).text; }
  // Starts `call`; when its next request with `needle` is in the gate, does `meanwhile`, and lets it go on.
  template <class Call, class Meanwhile>
  auto interleave(const std::string& needle, const Call& call, const Meanwhile& meanwhile) {
    between.when(needle, fault::accept_and_stall());
    auto running = std::async(std::launch::async, call);
    EXPECT_TRUE(between.wait_triggered(1));
    meanwhile();
    between.pass();
    return running.get();
  }
};

// ---- somebody else writes between look and act

TEST_F(no_scripts_faults, a_release_does_not_delete_the_lock_of_the_next_holder) {
  ASSERT_TRUE(redis.try_acquire(key, "me", 20s));
  const auto done = interleave(
      "MULTI", [&] { return redis.release(key, "me"); },
      [&] {
        server.text({"SET", key, "next", "PX", "20000"});
      });
  EXPECT_EQ(done.code(), errc::not_owner);
  EXPECT_EQ(holder(), "next");
  server.number({"DEL", key});
}

TEST_F(no_scripts_faults, a_release_does_not_delete_a_lock_that_ended_and_was_taken) {
  ASSERT_TRUE(redis.try_acquire(key, "me", 200ms));
  const auto done = interleave(
      "MULTI", [&] { return redis.release(key, "me"); },
      [&] {
        EXPECT_TRUE(eventually(patience, [&] {
          return server.text({"SET", key, "next", "NX", "PX", "20000"}) == "OK";
        }));
      });
  EXPECT_EQ(done.code(), errc::not_owner);
  EXPECT_EQ(holder(), "next");
  server.number({"DEL", key});
}

TEST_F(no_scripts_faults, an_extension_does_not_lengthen_the_lock_of_the_next_holder) {
  ASSERT_TRUE(redis.try_acquire(key, "me", 20s));
  const auto done = interleave(
      "MULTI", [&] { return redis.extend(key, "me", 60s); },
      [&] {
        server.text({"SET", key, "next", "PX", "20000"});
      });
  EXPECT_EQ(done.code(), errc::not_owner);
  EXPECT_LE(server.number({"PTTL", key}), 20'000);
  server.number({"DEL", key});
}

TEST_F(no_scripts_faults, an_acquire_does_not_overwrite_whoever_was_faster) {
  const auto got = interleave(
      "MULTI", [&] { return try_it(); },
      [&] {
        server.text({"SET", key, "faster", "PX", "20000"});
      });
  EXPECT_EQ(got, errc::held);
  EXPECT_EQ(holder(), "faster");
  server.number({"DEL", key});
}

TEST_F(no_scripts_faults, an_acquire_does_not_overtake_whoever_joined_the_queue) {
  const auto got = interleave(
      "MULTI", [&] { return try_it(); },
      [&] {
        server.number({"ZADD", waiters_of(key), "1794777060182298", "3000:0123456789abcdef:1:first"});
        server.number({"PEXPIRE", waiters_of(key), "20000"});
      });
  EXPECT_EQ(got, errc::held);
  EXPECT_EQ(server.number({"EXISTS", key}), 0);
  server.number({"DEL", waiters_of(key)});
}

TEST_F(no_scripts_faults, a_change_that_leaves_the_lock_ours_is_looked_at_again) {
  ASSERT_TRUE(redis.try_acquire(key, "me", 20s));
  const auto done = interleave(
      "MULTI", [&] { return redis.release(key, "me"); },
      [&] {
        server.number({"PEXPIRE", key, "30000"});
      });
  EXPECT_TRUE(done) << done.failure().detail;
}

// Two calls of one client at once, on its one connection. Did the second one's look go out before the first one's act, its
// UNWATCH would end the first one's watch, and the EXEC that follows would delete whatever is there by then.
TEST_F(no_scripts_faults, calls_of_one_client_do_not_end_each_others_watch) {
  client shared{with_timeout(unscripted_at(between.url()), 5s)};
  ASSERT_TRUE(shared.try_acquire(key, "me", 20s));
  ASSERT_TRUE(shared.try_acquire("app:second", "me", 20s));
  between.when("UNWATCH", fault::accept_and_stall());
  auto first = std::async(std::launch::async, [&] { return code_of(shared.release(key, "me")); });
  ASSERT_TRUE(between.wait_triggered(1));
  auto second = std::async(std::launch::async, [&] { return code_of(shared.release("app:second", "me")); });
  std::this_thread::sleep_for(200ms);  // for the second to be sent, if it were
  between.when("MULTI", fault::accept_and_stall());
  between.pass();
  ASSERT_TRUE(between.wait_triggered(2));
  server.text({"SET", key, "next", "PX", "20000"});
  between.pass();
  EXPECT_EQ(first.get(), errc::not_owner);
  EXPECT_EQ(second.get(), errc{});
  EXPECT_EQ(holder(), "next");
  server.number({"DEL", key});
}

// ---- the network, at each step

struct step {
  const char* name;
  const char* needle;
  fault what;
  moment at;
};
const step all_steps[] = {
    {"look_not_sent", "UNWATCH", fault::cut(), moment::before},
    {"look_executed_and_cut", "GET", fault::cut(), moment::executed},
    {"look_not_answered", "GET", fault::drop_reply(), moment::after},
    {"cut_between_look_and_act", "MULTI", fault::cut(), moment::before},
    {"reset_between_look_and_act", "MULTI", fault::reset(), moment::before},
    {"cut_within_the_transaction", "EXEC", fault::cut(), moment::before},
    {"exec_executed_and_cut", "EXEC", fault::cut(), moment::executed},
    {"exec_not_answered", "EXEC", fault::drop_reply(), moment::after},
};
void PrintTo(const step& what, std::ostream* out) { *out << what.name; }

class no_scripts_step : public no_scripts_faults, public testing::WithParamInterface<step> {
 protected:
  // A fault that stays ends when the client has noticed it.
  void arm() {
    between.when(GetParam().needle, GetParam().what, GetParam().at);
    if (GetParam().what.what != fault::kind::drop_reply) return;
    healer_ = std::jthread{[this] {
      EXPECT_TRUE(between.wait_triggered(1));
      std::this_thread::sleep_for(600ms);
      between.pass();
    }};
  }

 private:
  std::jthread healer_;
};

TEST_P(no_scripts_step, of_an_acquire_that_waits) {
  const std::uint64_t before = redis.acquire(key).fence();
  arm();
  auto held = redis.acquire(std::nothrow, key, {.ttl = 5s, .wait = 4s});
  EXPECT_TRUE(between.wait_triggered(1));
  ASSERT_TRUE(held) << held.failure().detail;
  EXPECT_GT(held->fence(), before);
  EXPECT_EQ(holder(), held->owner());
  EXPECT_EQ(held->release(), release_outcome::released);
}

TEST_P(no_scripts_step, of_a_release) {
  lease held = redis.acquire(key, {.ttl = 5s});
  arm();
  const auto outcome = held.release();
  EXPECT_TRUE(between.wait_triggered(1));
  // `released` if the server said so; a repetition that finds nothing cannot tell whose doing that was.
  EXPECT_TRUE(outcome == release_outcome::released || outcome == release_outcome::unknown);
  EXPECT_TRUE(key_goes(server, key)) << "sooner than the ttl";
}

TEST_P(no_scripts_step, of_a_renewal) {
  lease held = redis.acquire(key, {.ttl = 3s});
  arm();
  EXPECT_TRUE(between.wait_triggered(1));
  std::this_thread::sleep_for(3s);
  EXPECT_EQ(held.state(), lease_state::VALID);
  EXPECT_EQ(holder(), held.owner());
  EXPECT_EQ(held.release(), release_outcome::released);
}

INSTANTIATE_TEST_SUITE_P(, no_scripts_step, testing::ValuesIn(all_steps),
                         [](const auto& shown) { return std::string{shown.param.name}; });

TEST_F(no_scripts_faults, an_acquire_given_up_in_mid_transaction_leaves_nothing) {
  between.when("EXEC", fault::black_hole(direction::to_client), moment::after);
  const auto got = redis.acquire(std::nothrow, key, {.ttl = 20s, .wait = 300ms});
  EXPECT_EQ(got.code(), errc::unreachable);
  between.pass();
  EXPECT_TRUE(key_goes(server, key)) << "the compensating release, long before the ttl";
}

TEST_F(no_scripts_faults, loss_is_signalled_before_anybody_else_has_the_lock) {
  std::atomic<std::int64_t> told{0};
  lease held =
      redis.acquire(key, {.ttl = 1s, .stop_margin = 200ms, .on_lost = [&](const loss&) { told = boottime_ns(); }});
  bystander next{server, key};
  between.set(fault::black_hole(direction::both));
  ASSERT_TRUE(next.gets_it_within(patience));
  ASSERT_TRUE(eventually(patience, [&] { return told != 0; }));
  EXPECT_LT(told, *next.got());
  between.pass();
  EXPECT_EQ(held.release(), release_outcome::was_lost);
  next.leave();
}

// ---- rights

class no_scripts_right : public testing::TestWithParam<std::string> {};
TEST_P(no_scripts_right, is_refused_when_missing) {
  auto rights = rights_without_scripts;
  std::erase(rights, GetParam());
  redis_server server{redis_options{.users = {user_without_scripts(rights)}}};
  client redis{unscripted_at(server.url())};
  std::optional<failure> refused;
  const auto note = [&](const auto& done) {
    if (!done && !refused) refused = done.failure();
  };
  note(redis.try_acquire(key, "me", 20s));
  server.text({"SET", key, "me", "PX", "20000"});
  note(redis.extend(key, "me", 20s));
  note(redis.release(key, "me"));
  ASSERT_TRUE(refused) << "works without " << GetParam();
  EXPECT_EQ(refused->code, errc::refused) << refused->detail;
  EXPECT_TRUE(has(refused->detail, GetParam()[0] == '~' ? "keys" : "'" + GetParam().substr(1) + "'"))
      << refused->detail;
}
INSTANTIATE_TEST_SUITE_P(, no_scripts_right, testing::ValuesIn(rights_without_scripts), [](const auto& shown) {
  std::string name;
  for (const char c : shown.param) name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return name;
});

}  // namespace
}  // namespace holdfast::test
