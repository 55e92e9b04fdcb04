// What the tests of clusters under faults share: settings, and workers that write down who held what when.
#pragma once

#include <gtest/gtest.h>
#include <holdfast/holdfast.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "support/boottime.hpp"
#include "support/cluster_group.hpp"
#include "support/eventually.hpp"
#include "support/history.hpp"

namespace holdfast::test {

using namespace std::chrono_literals;

inline constexpr std::chrono::milliseconds patience{30'000};

inline settings in_cluster(const cluster_group& group, std::chrono::milliseconds command_timeout = 500ms) {
  settings how = settings::from_url(group.url()).value();
  how.command_timeout = command_timeout;
  how.on_warning = [](const warning&) {};
  return how;
}

// Clients, each with its own connections, that take locks of many slots over and over. What each believed is written down:
// from when it knew that it had the lock until it began to give it back, or until the deadline it was told.
class crowd {
 public:
  crowd(const cluster_group& group, std::vector<std::string> names, int clients, int threads_each)
      : names_{std::move(names)} {
    for (int c = 0; c < clients; ++c) {
      clients_.push_back(std::make_unique<client>(in_cluster(group)));
      for (int t = 0; t < threads_each; ++t) {
        workers_.emplace_back([this, c, t] { work(*clients_[static_cast<std::size_t>(c)], c * 100 + t); });
      }
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
  [[nodiscard]] std::chrono::milliseconds longest_wait() const { return std::chrono::milliseconds{longest_}; }

  // After stop(): the first violation of any lock.
  [[nodiscard]] std::optional<std::string> violation() const {
    for (const auto& [name, past] : past_) {
      if (auto found = find_violation(past)) return name + ": " + *found;
    }
    return std::nullopt;
  }

  // The same, of fences alone.
  [[nodiscard]] std::optional<std::string> fence_violation() const {
    for (auto [name, past] : past_) {
      std::sort(past.begin(), past.end(), [](const auto& a, const auto& b) { return a.start < b.start; });
      const auto fell = [](const held_interval& a, const held_interval& b) { return b.fence <= a.fence; };
      if (std::adjacent_find(past.begin(), past.end(), fell) != past.end())
        return name + ": a fence that does not rise";
    }
    return std::nullopt;
  }

 private:
  void work(client& redis, int me) {
    for (std::size_t i = static_cast<std::size_t>(me); !stop_; ++i) {
      const std::string& name = names_[i * 7 % names_.size()];
      const auto began = std::chrono::steady_clock::now();
      auto got = redis.acquire(std::nothrow, name, {.ttl = 3s, .wait = wait_limit});
      const auto took =
          std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - began).count();
      for (auto seen = longest_.load(); took > seen && !longest_.compare_exchange_weak(seen, took);) {
      }
      if (!got) continue;
      const auto start = boottime_ns();
      std::this_thread::sleep_for(std::chrono::microseconds{200});
      const auto end = boottime_ns();
      const bool believed = got->state() != lease_state::LOST;
      if (believed) {
        const std::lock_guard hold{guard_};
        past_[name].push_back({static_cast<std::uint64_t>(me), got->fence(), start, end});
        ++taken_;
      }
      static_cast<void>(got->release());
    }
  }

  static constexpr std::chrono::milliseconds wait_limit{15'000};

  const std::vector<std::string> names_;
  std::atomic<bool> stop_{false};
  std::atomic<std::uint64_t> taken_{0};
  std::atomic<long long> longest_{0};
  std::mutex guard_;
  std::map<std::string, std::vector<held_interval>> past_;
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
