// A fleet contends for one lock while its primary is killed, stands still, or is sent into retirement: no two hold it at once,
// fences increase, nobody comes back later than its limit and 200 ms, everybody goes on, and nothing is left. With replicas = 1,
// since an unreplicated lock can be lost with its primary (docs/deployments.md).
#include <holdfast/holdfast.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <memory>
#include <mutex>
#include <string>
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
// Shorter than a failover takes, and longer: the limits of some pass while there is no primary.
constexpr std::chrono::milliseconds short_wait{500};
constexpr std::chrono::milliseconds long_wait{30'000};
constexpr std::chrono::milliseconds most_late{200};

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
      const auto wait = me % 2 == 0 ? short_wait : long_wait;
      const auto starved_before = starved();
      const auto asked = std::chrono::steady_clock::now();
      auto got = all[me % clients]->acquire(
          std::nothrow, "door",
          {.ttl = 3s, .wait = wait, .replicas = 1, .on_lost = [lost_at](const loss&) { *lost_at = boottime_ns(); }});
      const auto over = std::chrono::steady_clock::now() - asked - wait;
      if (over > most_late) tell_late(over, starved() - starved_before, got);
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

  // For how long a thread has been ready to run and had no processor, by the kernel's count: what the machine makes late.
  static std::chrono::nanoseconds starved(const std::string& thread = "/proc/thread-self") {
    std::ifstream in{thread + "/schedstat"};
    std::int64_t ran = 0;
    std::int64_t waited = 0;
    in >> ran >> waited;
    return std::chrono::nanoseconds{waited};
  }
  // … of all threads the one that had to wait most, since it began.
  static std::chrono::nanoseconds most_starved() {
    std::chrono::nanoseconds most{0};
    std::error_code gone;
    for (const auto& each : std::filesystem::directory_iterator{"/proc/self/task", gone}) {
      most = std::max(most, starved(each.path().string()));
    }
    return most;
  }

  void tell_late(std::chrono::nanoseconds by, std::chrono::nanoseconds without_processor, const result<lease>& got) {
    const std::lock_guard guard{late_mutex};
    late += std::to_string(by / 1ms) + " ms after its limit, " + std::to_string(without_processor / 1ms) +
            " ms of the call without a processor (of all threads, since they began, at most " +
            std::to_string(most_starved() / 1ms) + " ms): " + (got ? "the lock" : got.failure().detail) + "\n";
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
  std::mutex late_mutex;
  std::string late;  // calls that came back too late
  std::atomic<bool> stop = false;
  std::vector<std::thread> workers;
};

void check(fleet& those, sentinel_group& group) {
  those.end();
  const auto past = history{those.log}.read();
  EXPECT_GT(past.size(), static_cast<std::size_t>(clients * threads * 2));
  EXPECT_EQ(find_violation(past), std::nullopt);
  EXPECT_EQ(those.late, "");
  auto& primary = group.primary();
  EXPECT_TRUE(primary.keys_without_expiry().empty());
  const auto left = [&] {
    auto keys = primary.keys();
    std::erase_if(keys, [](const std::string& each) { return each.starts_with("holdfast:fence:{"); });
    return keys;
  };
  EXPECT_TRUE(eventually(10s, [&] { return left().empty(); })) << left().front();
}

TEST(failover, of_a_killed_primary_under_contention_keeps_exclusion_and_nobody_is_stuck) {
  sentinel_group group;
  fleet those{group.url()};
  ASSERT_TRUE(those.all_go_on(2));
  const auto old = group.server(0).port();
  group.server(0).kill();
  group.wait_for_other_than(old);
  EXPECT_TRUE(those.all_go_on(2)) << "somebody is stuck";
  EXPECT_GT(those.refused, 0) << "no limit passed while there was no primary: too fast to show anything";
  check(those, group);
}

// When it wakes it takes itself for the primary, and answers what it was sent before.
TEST(failover, of_a_stopped_primary_under_contention_keeps_exclusion_and_nobody_is_stuck) {
  sentinel_group group;
  fleet those{group.url()};
  ASSERT_TRUE(those.all_go_on(2));
  auto& old = group.server(0);
  old.pause();
  group.wait_for_other_than(old.port());
  EXPECT_TRUE(those.all_go_on(2)) << "somebody is stuck";
  old.resume();
  EXPECT_TRUE(those.all_go_on(5)) << "somebody is stuck since the old one is back";
  check(those, group);
}

TEST(failover, by_command_under_contention_keeps_exclusion_and_nobody_is_stuck) {
  sentinel_group group;
  fleet those{group.url()};
  ASSERT_TRUE(those.all_go_on(2));
  group.fail_over();
  EXPECT_TRUE(those.all_go_on(2)) << "somebody is stuck";
  check(those, group);
}

}  // namespace
}  // namespace holdfast::test
