// A fleet contends for one lock while its primary is killed, or sent into retirement: no two hold it at once, fences
// increase, and everybody goes on. With replicas = 1, since an unreplicated lock can be lost with its primary
// (docs/deployments.md).
#include <holdfast/holdfast.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "support/boottime.hpp"
#include "support/eventually.hpp"
#include "support/history.hpp"
#include "support/sentinel_group.hpp"
#include "support/temp_dir.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

constexpr int clients = 3;
constexpr int threads = 4;

struct fleet {
  explicit fleet(const std::string& url) : log{dir.file("history")} {
    for (int i = 0; i < clients; ++i) {
      settings how = settings::from_url(url).value();
      how.connect_timeout = 30s;
      how.on_warning = [](const warning&) {};
      all.push_back(std::make_unique<client>(how));
    }
    for (int i = 0; i < clients * threads; ++i) {
      workers.emplace_back([this, i] { work(static_cast<std::size_t>(i)); });
    }
  }
  ~fleet() { end(); }

  void end() {
    stop = true;
    for (auto& each : workers) {
      if (each.joinable()) each.join();
    }
  }

  void work(std::size_t me) {
    history past{log};
    while (!stop) {
      const auto lost_at = std::make_shared<std::atomic<std::int64_t>>(0);
      auto got = all[me % clients]->acquire(
          std::nothrow, "door",
          {.ttl = 3s, .wait = 30s, .replicas = 1, .on_lost = [lost_at](const loss&) { *lost_at = boottime_ns(); }});
      if (!got) {
        ++refused;
        std::this_thread::sleep_for(5ms);
        continue;
      }
      const auto start = boottime_ns();
      const auto fence = got->fence();
      std::this_thread::sleep_for(2ms);
      const auto end = boottime_ns();
      static_cast<void>(got->release());
      const bool lost = got->state() == lease_state::LOST && *lost_at != 0;
      past.append({me, fence, start, lost ? std::max<std::int64_t>(start, *lost_at) : end});
      *got = lease{};
      ++holds[me];
    }
  }

  // Everybody has held it `more` times from now on.
  bool all_go_on(int more) {
    std::vector<int> before;
    for (const auto& each : holds) before.push_back(each);
    return eventually(60s, [&] {
      for (std::size_t i = 0; i < holds.size(); ++i) {
        if (holds[i] < before[i] + more) return false;
      }
      return true;
    });
  }

  temp_dir dir;
  std::string log;
  std::vector<std::unique_ptr<client>> all;
  std::vector<std::atomic<int>> holds = std::vector<std::atomic<int>>(clients * threads);
  std::atomic<int> refused = 0;
  std::atomic<bool> stop = false;
  std::vector<std::thread> workers;
};

void check(fleet& those) {
  those.end();
  const auto past = history{those.log}.read();
  EXPECT_GT(past.size(), static_cast<std::size_t>(clients * threads * 2));
  EXPECT_EQ(find_violation(past), std::nullopt);
}

TEST(failover, of_a_killed_primary_under_contention_keeps_exclusion_and_nobody_is_stuck) {
  sentinel_group group;
  fleet those{group.url()};
  ASSERT_TRUE(those.all_go_on(2));
  const auto old = group.server(0).port();
  group.server(0).kill();
  group.wait_for_other_than(old);
  EXPECT_TRUE(those.all_go_on(2)) << "somebody is stuck";
  check(those);
}

TEST(failover, by_command_under_contention_keeps_exclusion_and_nobody_is_stuck) {
  sentinel_group group;
  fleet those{group.url()};
  ASSERT_TRUE(those.all_go_on(2));
  group.fail_over();
  EXPECT_TRUE(those.all_go_on(2)) << "somebody is stuck";
  check(those);
  group.wait_for_replicas();
  EXPECT_TRUE(group.primary().keys_without_expiry().empty());
}

}  // namespace
}  // namespace holdfast::test
