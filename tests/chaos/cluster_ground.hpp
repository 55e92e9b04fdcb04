// What the tests of clusters under faults share: settings, and workers that write down who held what when.
#pragma once

#include <gtest/gtest.h>
#include <holdfast/holdfast.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support/boottime.hpp"
#include "support/cluster_group.hpp"
#include "support/eventually.hpp"
#include "support/history.hpp"

namespace holdfast::test {

using namespace std::chrono_literals;

// Not `patience`, which is another in other files of this program (redis/common.hpp).
inline constexpr std::chrono::milliseconds cluster_patience{30'000};

inline settings in_cluster(const cluster_group& group, std::chrono::milliseconds command_timeout = 500ms) {
  settings how = settings::from_url(group.url()).value();
  how.command_timeout = command_timeout;
  how.on_warning = [](const warning&) {};
  return how;
}

// What a lock guards: it takes no write of a fence below the highest that it has seen.
class guarded_resource {
 public:
  // Whether the write was taken. `first`: this holder's first one.
  bool write(std::uint64_t fence, bool first) {
    const std::lock_guard hold{guard_};
    // Nobody else has its fence, and nobody who has just been granted the lock comes with an older one.
    if (first && fence <= last_) ++inversions_;
    if (fence < last_) {
      ++refused_;
      return false;
    }
    last_ = fence;
    return true;
  }
  [[nodiscard]] int refused() const { return refused_; }
  [[nodiscard]] int inversions() const { return inversions_; }

 private:
  std::mutex guard_;
  std::uint64_t last_ = 0;
  int refused_ = 0;
  int inversions_ = 0;
};

// Clients, each with its own connections, that take locks of many slots over and over, wait for a second at most, hold most of
// them for a moment and some for longer than a renewal, and write to what the lock guards. What each believed is written down:
// from when it knew that it had the lock until it last saw that it still had it, before it gave it back.
class crowd {
 public:
  static constexpr std::chrono::milliseconds wait_limit{1000};

  crowd(const cluster_group& group, const std::vector<std::string>& names, int clients, int threads_each) {
    for (const std::string& each : names) locks_.push_back(std::make_unique<watched>(each));
    for (int c = 0; c < clients; ++c) {
      clients_.push_back(std::make_unique<client>(in_cluster(group)));
      client& mine = *clients_.back();
      for (int t = 0; t < threads_each; ++t) workers_.emplace_back([this, &mine, c, t] { work(mine, c * 100 + t); });
    }
  }
  ~crowd() { stop(); }

  void stop() {
    stop_ = true;
    for (auto& each : workers_) {
      if (each.joinable()) each.join();
    }
  }

  [[nodiscard]] std::uint64_t taken() const { return taken_; }
  // By how much the worst call came back later than its limit.
  [[nodiscard]] std::chrono::milliseconds latest() const { return std::chrono::milliseconds{latest_}; }

  // ---- after stop()
  // The first violation of any lock by what its holders believed.
  [[nodiscard]] std::optional<std::string> violation() const {
    for (const auto& each : locks_) {
      if (auto found = find_violation(each->past)) return each->name + ": " + *found;
    }
    return std::nullopt;
  }
  [[nodiscard]] int refused() const { return sum(&guarded_resource::refused); }
  [[nodiscard]] int inversions() const { return sum(&guarded_resource::inversions); }

 private:
  struct watched {
    explicit watched(std::string called) : name{std::move(called)} {}
    const std::string name;
    guarded_resource resource;
    std::mutex guard;
    std::vector<held_interval> past;
  };

  void work(client& redis, int me) {
    for (std::size_t i = static_cast<std::size_t>(me); !stop_; ++i) {
      watched& what = *locks_[i * 7 % locks_.size()];
      const auto began = std::chrono::steady_clock::now();
      auto got = redis.acquire(std::nothrow, what.name, {.ttl = 3s, .wait = wait_limit});
      const auto late =
          std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - began - wait_limit);
      for (auto seen = latest_.load(); late.count() > seen && !latest_.compare_exchange_weak(seen, late.count());) {
      }
      if (got) hold(*got, what, static_cast<std::uint64_t>(me), i % 50 == 0 ? 1300ms : 1ms);
    }
  }

  void hold(lease& got, watched& what, std::uint64_t me, std::chrono::milliseconds length) {
    held_interval believed{me, got.fence(), boottime_ns(), 0};
    believed.end = believed.start;
    bool first = true;
    for (const auto until = believed.start + std::chrono::nanoseconds{length}.count(); !stop_;) {
      const auto now = boottime_ns();
      if (got.state() == lease_state::LOST) break;
      believed.end = now;
      if (!what.resource.write(got.fence(), std::exchange(first, false)) || now >= until) break;
      std::this_thread::sleep_for(std::min(length / 5, 20ms));
    }
    if (!first) {
      const std::lock_guard keep{what.guard};
      what.past.push_back(believed);
      ++taken_;
    }
    static_cast<void>(got.release());
  }

  [[nodiscard]] int sum(int (guarded_resource::*of)() const) const {
    int all = 0;
    for (const auto& each : locks_) all += (each->resource.*of)();
    return all;
  }

  std::vector<std::unique_ptr<watched>> locks_;
  std::atomic<bool> stop_{false};
  std::atomic<std::uint64_t> taken_{0};
  std::atomic<long long> latest_{-wait_limit.count()};
  std::vector<std::unique_ptr<client>> clients_;
  std::vector<std::thread> workers_;
};

inline std::vector<std::string> names(const std::string& stem, int count) {
  std::vector<std::string> out;
  for (int i = 0; i < count; ++i) out.push_back(stem + std::to_string(i));
  return out;
}

inline std::vector<std::string> left_over(cluster_group& group) {
  auto keys = group.keys();
  std::erase_if(keys, [](const std::string& each) { return each.starts_with("holdfast:fence:{"); });
  return keys;
}

}  // namespace holdfast::test
