// What a server refuses while locks are held: memory is full, it has become a replica, the password has changed, TLS.
// In each case new calls say why, and what is held either goes on or is lost on time. (ACLs: acl_test.cpp.)
#include "chaos/event_fixture.hpp"
#include "support/certificates.hpp"
#include "support/gate.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

class server_refusals : public event_fixture {
 protected:
  void expect_code(const result<lease>& got, errc code, std::string_view word) {
    ASSERT_FALSE(got);
    EXPECT_EQ(to_string(got.code()), to_string(code)) << got.failure().detail;
    EXPECT_NE(got.failure().detail.find(word), std::string::npos) << got.failure().detail;
  }
};

TEST_F(server_refusals, full_memory_refuses_new_locks_and_keeps_old_ones) {
  start({.config = {"maxmemory-policy noeviction"}});
  auto held = take();
  auto call = queue_up();
  server_->text({"CONFIG", "SET", "maxmemory", "1"});
  expect_code(holder_->try_acquire("another"), errc::out_of_memory, "maxmemory");
  const auto renewed = holder_->stats().renewals;
  EXPECT_TRUE(eventually(patient, [&] { return holder_->stats().renewals >= renewed + 1; }));
  EXPECT_EQ(held.state(), lease_state::VALID);
  hand_over(held, call);
  EXPECT_EQ(note_.by_callback, 0);
  server_->text({"CONFIG", "SET", "maxmemory", "0"});
  expect_recovered();
}

TEST_F(server_refusals, full_memory_renews_for_longer_than_the_ttl_and_releases) {
  start({.config = {"maxmemory-policy noeviction"}});
  auto held = take();
  bystander other{*server_, name};
  server_->text({"CONFIG", "SET", "maxmemory", "1"});
  std::this_thread::sleep_for(2 * ttl);
  EXPECT_EQ(held.state(), lease_state::VALID);
  EXPECT_FALSE(other.got());
  EXPECT_EQ(held.release(), release_outcome::released);
  EXPECT_EQ(server_->text({"GET", name}), "");
  server_->text({"CONFIG", "SET", "maxmemory", "0"});
  EXPECT_TRUE(other.gets_it_within(patient));
  other.leave();
  expect_recovered();
}

// Longer than the second after which a heartbeat writes something down.
TEST_F(server_refusals, full_memory_does_not_throw_waiters_out_of_the_queue) {
  start({.config = {"maxmemory-policy noeviction"}});
  auto held = take();
  auto call = queue_up();
  server_->text({"CONFIG", "SET", "maxmemory", "1"});
  std::this_thread::sleep_for(1500ms);
  hand_over(held, call);
  server_->text({"CONFIG", "SET", "maxmemory", "0"});
  expect_recovered();
}

TEST_F(server_refusals, replica_at_run_time_is_read_only_and_the_lease_is_lost_on_time) {
  redis_server primary;
  start();
  auto held = take();
  bystander other{*server_, name};
  server_->text({"CONFIG", "SET", "replica-serve-stale-data", "yes"});
  server_->text({"REPLICAOF", "127.0.0.1", "1"});  // nothing listens there: it stays a replica with its own data
  expect_code(waiter_->try_acquire("another"), errc::read_only, "replica");
  expect_loss_on_time(held, other);
  EXPECT_EQ(note_.cause, static_cast<int>(loss_cause::expired));
  server_->text({"REPLICAOF", "NO", "ONE"});
  EXPECT_TRUE(other.gets_it_within(patient));
  other.leave();
  expect_recovered();
}

TEST_F(server_refusals, changed_password_is_refused_and_the_lease_is_lost_on_time) {
  start();
  auto held = take();
  bystander other{*server_, name};
  ASSERT_TRUE(waiter_->ping());  // the subscription goes out before it, so it is there: what is killed next is by that
  server_->text({"CONFIG", "SET", "requirepass", "new-secret"});
  server_->number({"CLIENT", "KILL", "TYPE", "pubsub"});  // our connections: RESP3 clients with a subscription
  EXPECT_TRUE(eventually(patient, [&] {
    const auto got = waiter_->try_acquire("another");
    return !got && got.code() == errc::refused;
  }));
  expect_code(waiter_->try_acquire("another"), errc::refused, "HOLDFAST_PASSWORD");
  expect_loss_on_time(held, other);
  server_->text({"CONFIG", "SET", "requirepass", ""});
  EXPECT_TRUE(other.gets_it_within(patient));
  other.leave();
  expect_recovered();
}

TEST_F(server_refusals, wrong_password_is_refused_without_repeating_it) {
  start({.requirepass = "right-secret"});
  auto where = quick(server_->url());
  where.password = "wrong-secret";
  client stranger{where};
  for (const auto& got : {stranger.try_acquire(name), stranger.acquire(std::nothrow, name, {.wait = 5s})}) {
    expect_code(got, errc::refused, "password");
    EXPECT_EQ(got.failure().detail.find("secret"), std::string::npos) << got.failure().detail;
  }
  where.password = "right-secret";
  client friendly{where};
  EXPECT_TRUE(friendly.try_acquire(name));
}

class tls_refusals : public server_refusals {
 protected:
  void SetUp() override {
    files_ = make_certificates(dir_.path().string());
    start_with(files_.server);
  }
  void start_with(const identity& shown) {
    start({.tls = tls_files{shown.cert, shown.key, files_.ca.cert}});
    gate_ = std::make_unique<gate>(server_->tls_port());
  }
  settings through_gate(const std::string& ca) {
    auto where = quick("rediss://127.0.0.1:" + std::to_string(gate_->port()));
    where.command_timeout = 500ms;  // a TLS handshake on a busy machine
    where.tls_ca = ca;
    return where;
  }

  temp_dir dir_;
  certificates files_;
  std::unique_ptr<gate> gate_;
};

TEST_F(tls_refusals, good_certificate_passes_and_survives_a_cut) {
  client redis{through_gate(files_.ca.cert)};
  auto held = redis.acquire(name, {.ttl = 2s, .wait = patient, .on_lost = note_.callback()});
  note_fence(held.fence());
  gate_->reset();
  const auto renewed = redis.stats().renewals;
  EXPECT_TRUE(eventually(patient, [&] { return redis.stats().renewals > renewed; }));
  EXPECT_EQ(held.state(), lease_state::VALID);
  EXPECT_EQ(held.release(), release_outcome::released);
  EXPECT_EQ(note_.by_callback, 0);
  expect_recovered();
}

TEST_F(tls_refusals, black_hole_is_a_loss_on_time) {
  client redis{through_gate(files_.ca.cert)};
  auto held = redis.acquire(name, with_note());
  note_fence(held.fence());
  bystander other{*server_, name};
  gate_->set(fault::black_hole(direction::both));
  expect_loss_on_time(held, other);
  gate_->pass();
  EXPECT_TRUE(other.gets_it_within(patient));
  other.leave();
  expect_recovered();
}

TEST_F(tls_refusals, unknown_authority_is_refused) {
  client redis{through_gate(files_.other_ca.cert)};
  expect_code(redis.acquire(std::nothrow, name, {.wait = 5s}), errc::refused, "certificate");
  EXPECT_EQ(server_->keys(), std::vector<std::string>{});
}

TEST_F(tls_refusals, certificate_for_another_host_is_refused) {
  start_with(files_.stranger);
  client redis{through_gate(files_.ca.cert)};
  expect_code(redis.acquire(std::nothrow, name, {.wait = 5s}), errc::refused, "certificate");
}

TEST_F(tls_refusals, expired_certificate_is_refused) {
  start_with(files_.expired);
  client redis{through_gate(files_.ca.cert)};
  expect_code(redis.acquire(std::nothrow, name, {.wait = 5s}), errc::refused, "expired");
}

}  // namespace
}  // namespace holdfast::test
