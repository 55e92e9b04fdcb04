// Names to addresses: numbers at once, names on a thread that may be dropped at any time.
#include "net/resolver.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace holdfast::net {
namespace {

using namespace std::chrono_literals;
using clock = std::chrono::steady_clock;

constexpr auto generous = 30s;

TEST(resolver_test, numbers_are_answered_at_once) {
  resolver names;
  EXPECT_FALSE(names.poll());
  bool woken = false;
  names.start("127.0.0.1", 6379, [&] { woken = true; });
  auto v4 = names.poll();
  ASSERT_TRUE(v4 && v4->has_value());
  ASSERT_EQ((*v4)->size(), 1U);
  EXPECT_EQ((**v4)[0].text, "127.0.0.1:6379");
  EXPECT_FALSE(names.poll());
  names.start("::1", 1, [&] { woken = true; });
  auto v6 = names.poll();
  ASSERT_TRUE(v6 && v6->has_value());
  EXPECT_EQ((**v6)[0].text, "[::1]:1");
  EXPECT_FALSE(woken);
}

std::optional<result<std::vector<address>>> resolve(const std::string& host) {
  resolver names;
  std::atomic<bool> woken{false};
  names.start(host, 6379, [&] { woken = true; });
  for (const auto limit = clock::now() + 2 * generous; !woken && clock::now() < limit;) {
    std::this_thread::sleep_for(1ms);
  }
  return names.poll();
}

TEST(resolver_test, localhost_has_a_loopback_address) {
  const auto found = resolve("localhost");
  ASSERT_TRUE(found && found->has_value());
  const auto is_loopback = [](const address& each) {
    return each.text == "127.0.0.1:6379" || each.text == "[::1]:6379";
  };
  EXPECT_TRUE(std::any_of((*found)->begin(), (*found)->end(), is_loopback));
}

TEST(resolver_test, unknown_name_is_unreachable) {
  const auto found = resolve("nonexistent.invalid");
  ASSERT_TRUE(found && !found->has_value());
  EXPECT_EQ(found->code(), errc::unreachable);
  EXPECT_NE(found->failure().detail.find("nonexistent.invalid"), std::string::npos) << found->failure().detail;
}

// With the sanitizers this shows a wake-up that outlives what it points to.
TEST(resolver_test, dropped_resolver_never_wakes) {
  for (int i = 0; i < 50; ++i) {
    auto target = std::make_unique<std::atomic<int>>(0);
    {
      resolver names;
      names.start("localhost", 6379, [&] { ++*target; });
      names.start("localhost", 6380, [&] { ++*target; });
      if (i % 2 == 0) std::this_thread::yield();
    }
    EXPECT_LE(*target, 2);
    target.reset();
  }
}

}  // namespace
}  // namespace holdfast::net
