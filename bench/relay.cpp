// The relay: children share a page of memory with the parent, which starts, stops and counts.
#include "relay.hpp"

#include "floor.hpp"
#include "recording.hpp"
#include "server.hpp"
#include "statistics.hpp"

#include <holdfast/mutex.hpp>
#include <holdfast/recursive_mutex.hpp>
#include <holdfast/semaphore.hpp>
#include <holdfast/shared_mutex.hpp>

#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <new>
#include <stdexcept>
#include <thread>

namespace holdfast::bench {
namespace {

using namespace std::chrono_literals;

constexpr unsigned most_processes = 64;
constexpr std::size_t most_samples = std::size_t{1} << 18;

// The plain members belong to whoever holds the lock; its hand-over orders them, as any lock must.
struct board {
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
};

class shared_board {
 public:
  shared_board() {
    void* const at = ::mmap(nullptr, sizeof(board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) throw std::runtime_error{"no shared memory"};
    board_ = new (at) board;
  }
  ~shared_board() { ::munmap(board_, sizeof(board)); }
  shared_board(const shared_board&) = delete;
  shared_board& operator=(const shared_board&) = delete;
  board* operator->() const noexcept { return board_; }
  board& operator*() const noexcept { return *board_; }

 private:
  board* board_ = nullptr;
};

std::int64_t now_ns() { return std::chrono::nanoseconds{clock::now().time_since_epoch()}.count(); }

template <class Lock>
void take_turns(board& shared, unsigned me, Lock&& lock) {
  ++shared.ready;
  while (!shared.go.load()) nap(500us);
  while (!shared.over.load(std::memory_order_relaxed)) {
    lock.lock();
    const std::int64_t got = now_ns();
    const unsigned before = shared.holder.load();
    const std::size_t at = shared.samples.load();
    if (before != me && before < most_processes && at < most_samples) {
      shared.micros[at] = static_cast<float>(got - shared.released.load()) / 1000;
      shared.samples.store(at + 1);
    }
    ++shared.turns[me];
    shared.holder.store(me);
    shared.released.store(now_ns());
    lock.unlock();
  }
}

// A semaphore's permit as a lock.
struct permit_lock {
  semaphore permits;
  explicit permit_lock(client& redis) : permits{redis, "bench:handoff:permit", 1} {}
  void lock() { permits.acquire(); }
  void unlock() { permits.release(); }
};

void run_ours(runner who, board& shared, const std::string& url, unsigned me) {
  client redis{quiet_settings(url)};
  static_cast<void>(redis.ping().value());
  if (who == runner::recursive) {
    take_turns(shared, me, recursive_mutex{redis, "bench:handoff:recursive"});
  } else if (who == runner::writer) {
    take_turns(shared, me, shared_mutex{redis, "bench:handoff:writer"});
  } else if (who == runner::permit) {
    take_turns(shared, me, permit_lock{redis});
  } else {
    take_turns(shared, me, mutex{redis, "bench:handoff"});
  }
  shared.through_queue += redis.stats().handoffs_received;
  ++shared.finished;
  // A connection that closes while others still queue would disturb the figures.
  while (shared.go.load()) nap(1ms);
}

void run_floor(board& shared, const std::string& url, unsigned me) {
  struct raw_lock {
    floor_connection raw;
    floor_connection inbox;  // Debian's hiredis does not speak RESP3: messages need a connection of their own
    floor_lock& commands;
    void lock() {
      if (!raw.acquire_or_queue(commands)) inbox.take_message();
    }
    void unlock() { raw.give_back(commands); }
  };
  // The children take turns at recording: they would overhear one another.
  while (shared.ready.load() != me) nap(1ms);
  const auto commands = record(url, "bench:handoff:floor");
  raw_lock lock{floor_connection{url}, floor_connection{url}, *commands};
  lock.inbox.listen(commands->inbox);
  take_turns(shared, me, lock);
  ++shared.finished;
  while (shared.go.load()) nap(1ms);
}

pid_t start_child(runner who, board& shared, const std::string& url, unsigned me) {
  std::fflush(nullptr);
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error{"fork failed"};
  if (child > 0) return child;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);
  nap_exactly();
  int code = 0;
  try {
    who == runner::floor ? run_floor(shared, url, me) : run_ours(who, shared, url, me);
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "a process of the relay: %s\n", problem.what());
    code = 1;
  }
  ::_exit(code);
}

// Children that are still there when something goes wrong end with the relay.
struct children {
  std::vector<pid_t> pids;
  bool failed = false;

  children() = default;
  children(const children&) = delete;
  children& operator=(const children&) = delete;
  ~children() {
    for (const pid_t each : pids) ::kill(each, SIGKILL);
    while (!pids.empty()) reap(0);
  }
  // Takes one that ended, if there is one; `flags` as of waitpid.
  void reap(int flags) {
    for (std::size_t i = 0; i < pids.size(); ++i) {
      int status = 0;
      const pid_t got = ::waitpid(pids[i], &status, flags);
      if (got == 0 || (got < 0 && errno == EINTR)) continue;
      failed = failed || status != 0;
      pids.erase(pids.begin() + static_cast<std::ptrdiff_t>(i));
      return;
    }
  }
};

void wait_for(const std::atomic<unsigned>& counter, unsigned wanted, children& all) {
  const auto limit = clock::now() + 60s;
  while (counter.load() < wanted) {
    all.reap(WNOHANG);
    if (all.failed || clock::now() > limit) throw std::runtime_error{"a process of the relay did not get through"};
    std::this_thread::sleep_for(2ms);
  }
}

// What clients send, by INFO commandstats. Commands that only scripts run are not in this list: Redis counts both alike.
std::uint64_t commands_received(floor_connection& raw) {
  static constexpr std::array<std::string_view, 14> sent_by_clients{
      "evalsha", "eval",        "ping",           "hello",   "auth", "select",     "subscribe",
      "type",    "client|kill", "client|setname", "command", "info", "config|get", "script|load"};
  const std::string stats = raw.ask({"INFO", "commandstats"});
  std::uint64_t total = 0;
  for (const std::string_view name : sent_by_clients) {
    const std::string label = "cmdstat_" + std::string{name} + ":calls=";
    const std::size_t found = stats.find(label);
    if (found == std::string::npos) continue;
    std::uint64_t calls = 0;
    std::from_chars(stats.data() + found + label.size(), stats.data() + stats.size(), calls);
    total += calls;
  }
  return total;
}

}  // namespace

void nap_exactly() noexcept { ::prctl(PR_SET_TIMERSLACK, 1UL); }

void nap(std::chrono::nanoseconds length) noexcept {
  const timespec rest{.tv_sec = 0, .tv_nsec = length.count()};
  ::clock_nanosleep(CLOCK_MONOTONIC, 0, &rest, nullptr);
}

relay_result relay(runner who, const std::string& url, unsigned processes, std::chrono::milliseconds length) {
  const shared_board shared;
  floor_connection raw{url};
  children all;
  for (unsigned me = 0; me < processes; ++me) all.pids.push_back(start_child(who, *shared, url, me));
  wait_for(shared->ready, processes, all);

  const std::uint64_t before = commands_received(raw);
  shared->go = true;
  std::this_thread::sleep_for(length);
  shared->over = true;
  wait_for(shared->finished, processes, all);
  relay_result found;
  found.commands = commands_received(raw) - before - 1;  // the second question counts itself not, the first does
  shared->go = false;
  while (!all.pids.empty()) all.reap(0);

  found.handoffs.assign(shared->micros.begin(), shared->micros.begin() + static_cast<std::ptrdiff_t>(shared->samples));
  for (unsigned me = 0; me < processes; ++me) {
    found.turns.push_back(shared->turns[me].load());
    found.taken += found.turns.back();
  }
  found.through_queue = shared->through_queue.load();
  return found;
}

}  // namespace holdfast::bench
