// The coroutine forms: any completion token, cancellation, and no thread per waiter.
#include <gtest/gtest.h>

#include <holdfast/asio.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>

#include <atomic>
#include <fstream>
#include <future>
#include <optional>
#include <string>
#include <thread>

#include "redis/common.hpp"

namespace holdfast::test {
namespace {

namespace asio = boost::asio;

struct coroutines : testing::Test {
  redis_server server;
  std::atomic<bool> warned = false;
  client redis{[this] {
    settings how = at(server);
    how.on_warning = [this](const warning&) { warned = true; };
    return how;
  }()};
  asio::io_context context{1};

  // Runs the coroutine to its end; what it throws comes out here.
  template <class Work>
  void run(Work work) {
    std::exception_ptr problem;
    asio::co_spawn(context, work(), [&](std::exception_ptr thrown) { problem = thrown; });
    context.restart();
    context.run();
    if (problem) std::rethrow_exception(problem);
  }
};

int threads_of_this_process() {
  std::ifstream status{"/proc/self/status"};
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("Threads:")) return std::stoi(line.substr(8));
  }
  return 0;
}

TEST_F(coroutines, acquire_extend_release) {
  run([&]() -> asio::awaitable<void> {
    const options brief{.ttl = 5s};
    lease held = co_await async_acquire(redis, "door", brief, asio::use_awaitable);
    EXPECT_EQ(held.state(), lease_state::VALID);
    EXPECT_GT(held.fence(), 0U);
    EXPECT_EQ(server.text({"GET", "door"}), std::string{held.owner()});
    co_await async_extend(held, 50s, asio::use_awaitable);
    EXPECT_GT(server.number({"PTTL", "door"}), 40'000);
    const auto outcome = co_await async_release(std::move(held), asio::use_awaitable);
    EXPECT_EQ(outcome, release_outcome::released);
    EXPECT_EQ(server.number({"EXISTS", "door"}), 0);
  });
}

TEST_F(coroutines, failures_are_thrown_or_returned) {
  const lease held = redis.acquire("door");
  run([&]() -> asio::awaitable<void> {
    const auto tried = co_await async_try_acquire(std::nothrow, redis, "door", asio::use_awaitable);
    EXPECT_EQ(tried.code(), errc::held);
    const options brief{.wait = 50ms};
    try {
      const lease never = co_await async_acquire(redis, "door", brief, asio::use_awaitable);
      ADD_FAILURE() << "two holders";
    } catch (const error& thrown) {
      EXPECT_EQ(thrown.kind(), errc::timed_out);
    }
    const auto bad = co_await async_acquire(std::nothrow, redis, "broken{name", asio::use_awaitable);
    EXPECT_EQ(bad.code(), errc::bad_name);
    lease none;
    const auto extended = co_await async_extend(std::nothrow, none, 5s, asio::use_awaitable);
    EXPECT_EQ(extended.code(), errc::lost);
    EXPECT_EQ(co_await async_release(std::move(none), asio::use_awaitable), release_outcome::was_lost);
  });
}

TEST_F(coroutines, work_with_futures_and_callbacks) {
  auto working = asio::make_work_guard(context);
  std::thread runner{[&] { context.run(); }};
  lease first = async_acquire(redis, "door", asio::use_future).get();
  EXPECT_EQ(first.state(), lease_state::VALID);
  std::promise<errc> told;
  async_try_acquire(std::nothrow, redis, "door",
                    asio::bind_executor(context, [&](result<lease> got) { told.set_value(got.code()); }));
  EXPECT_EQ(told.get_future().get(), errc::held);
  EXPECT_EQ(async_release(std::move(first), asio::use_future).get(), release_outcome::released);
  working.reset();
  runner.join();
}

TEST_F(coroutines, cancellation_ends_the_wait_and_leaves_the_queue) {
  const lease held = redis.acquire("door");
  asio::cancellation_signal signal;
  std::optional<errc> ended;
  async_acquire(std::nothrow, redis, "door",
                asio::bind_cancellation_slot(
                    signal.slot(), asio::bind_executor(context, [&](result<lease> got) { ended = got.code(); })));
  ASSERT_TRUE(queue_reaches(server, "door", 1));
  EXPECT_FALSE(ended);
  signal.emit(asio::cancellation_type::terminal);
  context.run();
  EXPECT_EQ(ended, errc::cancelled);
  EXPECT_TRUE(queue_reaches(server, "door", 0));
}

TEST_F(coroutines, destroying_the_client_ends_them_with_cancelled) {
  const lease held = redis.acquire("door");
  std::optional<client> other{at(server)};
  std::optional<errc> ended;
  async_acquire(std::nothrow, *other, "door",
                asio::bind_executor(context, [&](result<lease> got) { ended = got.code(); }));
  ASSERT_TRUE(queue_reaches(server, "door", 1));
  other.reset();
  context.run();
  EXPECT_EQ(ended, errc::cancelled);
}

// Sixty-four waiters of one lock: one entry each in the server's queue, and no thread each.
TEST_F(coroutines, waiting_costs_no_thread) {
  lease held = redis.acquire("door");
  int turns = 0;
  bool inside = false;
  // The client's thread for callbacks starts with the first of them, some time after it has connected.
  ASSERT_TRUE(eventually(10s, [&] { return warned.load(); }));
  const int threads_before = threads_of_this_process();
  for (int i = 0; i < 64; ++i) {
    asio::co_spawn(
        context,
        [&]() -> asio::awaitable<void> {
          lease mine = co_await async_acquire(redis, "door", asio::use_awaitable);
          EXPECT_FALSE(std::exchange(inside, true));
          ++turns;
          inside = false;
          co_await async_release(std::move(mine), asio::use_awaitable);
        },
        asio::detached);
  }
  context.poll();
  EXPECT_TRUE(queue_reaches(server, "door", 64));
  EXPECT_EQ(threads_of_this_process(), threads_before);
  EXPECT_EQ(held.release(), release_outcome::released);
  context.run();
  EXPECT_EQ(turns, 64);
  EXPECT_EQ(redis.stats().woken_by_push, 64U);
}

TEST_F(coroutines, a_lease_dropped_in_a_coroutine_is_released_without_waiting) {
  run([&]() -> asio::awaitable<void> {
    const lease dropped = co_await async_acquire(redis, "door", asio::use_awaitable);
    EXPECT_EQ(server.number({"EXISTS", "door"}), 1);
  });
  EXPECT_TRUE(key_goes(server, "door"));
}

}  // namespace
}  // namespace holdfast::test
