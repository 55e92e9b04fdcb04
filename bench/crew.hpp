// Processes that are started to take one lock in turn, and the page of memory that they share with the one that started
// them: when to begin and to end, who held last, and the samples.
//
// Forks: the calling process must not have threads.
#pragma once

#include "statistics.hpp"

#include <sys/types.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <vector>

namespace holdfast::bench {

// Sleeps as exactly as the kernel can, without burning a processor that the server may need.
void nap(std::chrono::nanoseconds length) noexcept;
void nap_exactly() noexcept;  // once per process, before the first nap

inline std::int64_t now_ns() { return std::chrono::nanoseconds{clock::now().time_since_epoch()}.count(); }

// What is written while the lock is held belongs to its holder; the hand-over orders it, as any lock must.
struct crew_board {
  static constexpr unsigned most_processes = 64;
  static constexpr std::size_t most_samples = std::size_t{1} << 18;

  std::atomic<unsigned> ready{0};
  std::atomic<unsigned> finished{0};
  std::atomic<bool> go{false};
  std::atomic<bool> over{false};
  std::atomic<std::uint64_t> through_queue{0};
  std::atomic<unsigned> holder{most_processes};  // none yet
  std::atomic<std::int64_t> released{0};         // ns
  std::atomic<std::size_t> samples{0};
  std::array<std::atomic<std::uint64_t>, most_processes> turns{};
  std::array<float, most_samples> micros{};

  void add_sample(std::int64_t nanoseconds);
  [[nodiscard]] std::vector<double> all_samples() const;  // µs
};

// One in memory that children share.
class shared_board {
 public:
  shared_board();
  ~shared_board();
  shared_board(const shared_board&) = delete;
  shared_board& operator=(const shared_board&) = delete;
  crew_board* operator->() const noexcept { return board_; }
  crew_board& operator*() const noexcept { return *board_; }

 private:
  crew_board* board_ = nullptr;
};

// Those that are still there when something goes wrong end with the crew, and with the process that started it.
class crew {
 public:
  crew() = default;
  ~crew();
  crew(const crew&) = delete;
  crew& operator=(const crew&) = delete;

  // Runs `work` in a process of its own, which ends with it. An exception is told on standard error and fails the crew.
  pid_t start(const std::function<void()>& work);
  // Until the counter is there; throws std::runtime_error when one of the crew failed, or after a minute.
  void wait_for(const std::atomic<unsigned>& counter, unsigned wanted);
  void wait_for_all();
  // Looks for members that ended; whether one of them failed. One that was killed counts, too.
  bool any_failed();

 private:
  void reap(int flags);  // takes one that ended, if there is one; `flags` as of waitpid

  std::vector<pid_t> pids_;
  bool failed_ = false;
};

// Locks and unlocks until it is over; a sample is the time from a release to the return of another process's lock().
template <class Lock>
void take_turns(crew_board& shared, unsigned me, Lock&& lock) {
  using namespace std::chrono_literals;
  ++shared.ready;
  while (!shared.go.load()) nap(500us);
  while (!shared.over.load(std::memory_order_relaxed)) {
    lock.lock();
    const std::int64_t got = now_ns();
    const unsigned before = shared.holder.load();
    if (before != me && before < crew_board::most_processes) shared.add_sample(got - shared.released.load());
    ++shared.turns[me];
    shared.holder.store(me);
    shared.released.store(now_ns());
    lock.unlock();
  }
}

}  // namespace holdfast::bench
