// The client: ways to connect, protocol versions, counters, its end while calls are in flight.
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <thread>
#include <vector>

#include "redis/common.hpp"
#include "support/certificates.hpp"
#include "support/temp_dir.hpp"

namespace holdfast::test {
namespace {

// A waiter behind a holder, let in by the holder's release.
void waits_by_push(redis_server& server, const settings& holders, const settings& waiters) {
  client holder{holders};
  client redis{waiters};
  lease held = holder.acquire("door");
  auto next = std::async(std::launch::async, [&] { return redis.acquire("door").fence(); });
  ASSERT_TRUE(queue_reaches(server, "door", 1));
  held.release();
  ASSERT_EQ(next.wait_for(patience), std::future_status::ready);
  EXPECT_GT(next.get(), held.fence());
  EXPECT_EQ(redis.stats().woken_by_push, 1U);
  EXPECT_EQ(redis.stats().woken_by_timer, 0U);
}

TEST(connecting, over_tcp_and_a_unix_socket) {
  redis_server server;
  for (const auto& url : {server.url(), server.unix_url(), "redis://localhost:" + std::to_string(server.port())}) {
    client redis{at(url)};
    const auto trip = redis.ping();
    ASSERT_TRUE(trip) << url << ": " << trip.failure().detail;
    EXPECT_GT(*trip, 0ns);
    EXPECT_TRUE(redis.try_acquire("door")) << url;
    waits_by_push(server, at(server), at(url));
  }
}

TEST(connecting, over_tls_with_a_verified_certificate) {
  const temp_dir dir;
  const auto made = make_certificates(dir.path().string());
  redis_server server{{.tls = tls_files{made.server.cert, made.server.key, made.ca.cert, true}}};
  const std::string files = "?tls_ca=" + made.ca.cert + "&tls_cert=" + made.client.cert + "&tls_key=" + made.client.key;
  client redis{at(server.tls_url() + files)};
  const auto got = redis.acquire(std::nothrow, "door");
  ASSERT_TRUE(got) << got.failure().detail;
  client plain{at(server)};
  EXPECT_EQ(plain.try_acquire("door").code(), errc::held) << "the same server";
}

TEST(connecting, selects_the_database_and_names_itself) {
  redis_server server;
  client redis{at(server.url() + "/3")};
  const lease held = redis.acquire("door");
  EXPECT_EQ(server.number({"EXISTS", "door"}), 0);
  server.text({"SELECT", "3"});
  EXPECT_EQ(server.number({"EXISTS", "door"}), 1);
  EXPECT_TRUE(has(server.text({"CLIENT", "LIST"}), "name=holdfast "));
  client named{at(server.unix_url() + "?database=3&client_name=billing")};
  EXPECT_EQ(named.try_acquire("door").code(), errc::held);
  EXPECT_TRUE(has(server.text({"CLIENT", "LIST"}), "name=billing "));
  const auto none = client{at(server.url() + "/9999")}.try_acquire("door");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.code(), errc::refused);
  EXPECT_TRUE(has(none.failure().detail, "9999")) << none.failure().detail;
}

TEST(connecting, both_protocols_wait_by_push) {
  redis_server server;
  for (const std::string version : {"2", "3", "auto"})
    waits_by_push(server, at(server), at(server.url() + "?protocol=" + version));
  client second{at(server.url() + "?protocol=2")};
  ASSERT_TRUE(second.ping());
  EXPECT_TRUE(has(server.text({"CLIENT", "LIST", "TYPE", "pubsub"}), "resp=2")) << "an inbox of its own";
}

TEST(connecting, falls_back_where_hello_is_not_allowed) {
  redis_server server{{.users = {"user old on >s3cret ~* &* +@all -hello"}}};
  const std::string url = "redis://old:s3cret@127.0.0.1:" + std::to_string(server.port());
  waits_by_push(server, at(url), at(url));
}

TEST(connecting, without_the_right_to_subscribe_it_polls) {
  redis_server server{{.users = {"user deaf on >s3cret ~* resetchannels +@all"}}};
  const std::string url = "redis://deaf:s3cret@127.0.0.1:" + std::to_string(server.port());
  client holder{at(url)};
  client redis{at(url)};
  ASSERT_TRUE(redis.ping());
  lease held = holder.acquire("door");
  auto next = std::async(std::launch::async, [&] { return redis.acquire(std::nothrow, "door", {.wait = 10s}); });
  const auto before = scripts_run(server);
  ASSERT_TRUE(eventually(patience, [&] { return scripts_run(server) >= before + 3; }));
  held.release();
  ASSERT_EQ(next.wait_for(patience), std::future_status::ready);
  EXPECT_TRUE(next.get());
}

TEST(clients, are_moved_with_all_they_hold) {
  redis_server server;
  client first{at(server)};
  lease held = first.acquire("door");
  client second{std::move(first)};
  EXPECT_TRUE(held);
  EXPECT_TRUE(second.ping());
  second = client{at(server)};
  EXPECT_EQ(held.state(), lease_state::LOST) << "the client that made it is gone";
  EXPECT_TRUE(second.ping());
}

TEST(clients, end_while_calls_are_in_flight) {
  redis_server server;
  for (int round = 0; round < 5; ++round) {
    client holder{at(server)};
    lease held = holder.acquire("door");
    auto redis = std::make_unique<client>(at(server));
    ASSERT_TRUE(redis->ping());
    client& used = *redis;
    std::vector<std::future<errc>> calls;
    for (int i = 0; i < 6; ++i) {
      calls.push_back(std::async(std::launch::async, [&used, i] {
        auto got = used.acquire(std::nothrow, i % 2 == 0 ? "door" : "door2", {.queue = i < 4});
        return got ? errc{} : got.code();
      }));
    }
    ASSERT_TRUE(eventually(patience, [&] { return used.stats().attempts == 6; }));
    redis.reset();
    for (std::size_t i = 0; i < calls.size(); ++i) {
      ASSERT_EQ(calls[i].wait_for(patience), std::future_status::ready) << i;
      const errc code = calls[i].get();
      if (i % 2 == 0) {
        EXPECT_EQ(code, errc::cancelled) << i;
      }
    }
    EXPECT_TRUE(queue_reaches(server, "door", 0));
  }
}

TEST(clients, end_quickly_when_the_server_does_not_answer) {
  redis_server server;
  auto redis = std::make_unique<client>(at(server));
  ASSERT_TRUE(redis->ping());
  server.pause();
  client& used = *redis;
  auto call = std::async(std::launch::async, [&used] { return used.acquire(std::nothrow, "door").code(); });
  EXPECT_TRUE(eventually(patience, [&] { return used.stats().attempts == 1; }));
  const auto start = std::chrono::steady_clock::now();
  redis.reset();
  EXPECT_LE(since(start), 1s);
  EXPECT_EQ(call.get(), errc::cancelled);
  server.resume();
}

TEST(clients, serve_many_threads_on_one_connection) {
  redis_server server;
  client redis{at(server)};
  std::atomic<int> done{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 32; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 50; ++i) {
        lease held = redis.acquire("lock:" + std::to_string(t));
        if (held.release() == release_outcome::released) ++done;
      }
    });
  }
  for (auto& each : threads) each.join();
  EXPECT_EQ(done, 32 * 50);
  EXPECT_EQ(redis.stats().reconnects, 0U);
  const auto list = server.text({"CLIENT", "LIST"});
  std::size_t connections = 0;
  for (auto at = list.find("name=holdfast"); at != std::string::npos; at = list.find("name=holdfast", at + 1))
    ++connections;
  EXPECT_EQ(connections, 1U);
}

TEST(clients, put_up_with_a_small_window) {
  redis_server server;
  client redis{at(server.url() + "?max_in_flight=1")};
  std::atomic<int> done{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 25; ++i) {
        if (redis.acquire("lock:" + std::to_string(t)).release() == release_outcome::released) ++done;
      }
    });
  }
  for (auto& each : threads) each.join();
  EXPECT_EQ(done, 200);
}

TEST(clients, come_back_after_a_restart_of_the_server) {
  redis_server server;
  client redis{at(server)};
  (void)redis.acquire("door");
  server.restart();
  const auto got = redis.acquire(std::nothrow, "door", {.wait = 10s});
  EXPECT_TRUE(got) << got.failure().detail;
  EXPECT_GE(redis.stats().reconnects, 1U);
}

}  // namespace
}  // namespace holdfast::test
