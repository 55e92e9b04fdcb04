// cache: 64 processes want one key that has expired, a hundred times over. Every expiry is to cost one load, whoever and
// however many miss it. Shown beside it: how long a miss takes for those who did not load, beyond the load itself.
#include "floor.hpp"
#include "relay.hpp"
#include "server.hpp"
#include "statistics.hpp"
#include "suite.hpp"

#include <holdfast/cache.hpp>

#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <new>
#include <stdexcept>
#include <thread>

namespace holdfast::bench {
namespace {

using namespace std::chrono_literals;

constexpr unsigned processes = 64;
constexpr unsigned official_rounds = 100;
constexpr std::chrono::milliseconds load_time{5};

// In memory that the parent and all children share.
struct board {
  std::atomic<unsigned> round{0};     // the one that runs; 0: none yet
  std::atomic<unsigned> finished{0};  // processes that have got the value of this round
  std::atomic<std::uint64_t> loads{0};
  std::atomic<std::uint64_t> wrong{0};  // values of another round
  std::atomic<std::int64_t> loaded{0};  // ns, when the loader of this round returned
  std::atomic<std::uint64_t> samples{0};
  std::array<std::atomic<float>, std::size_t{processes} * 1000> late{};  // µs from the load's end to a waiter's return
};

std::int64_t now_ns() { return std::chrono::nanoseconds{clock::now().time_since_epoch()}.count(); }

void take_part(board& shared, const std::string& url, unsigned rounds) {
  client redis{quiet_settings(url)};
  static_cast<void>(redis.ping().value());
  // Kept for longer than the measurement; the parent erases it, so that every process misses at the same time.
  holdfast::cache<unsigned> values{redis, {.early = 0, .wait = 30s}};
  ++shared.finished;
  for (unsigned round = 1; round <= rounds; ++round) {
    while (shared.round.load() < round) nap(200us);
    bool mine = false;
    const auto got = values.get_or_load("bench", 1h, [&] {
      mine = true;
      ++shared.loads;
      nap(load_time);
      shared.loaded = now_ns();
      return round;
    });
    const std::int64_t end = now_ns();
    if (got != round) ++shared.wrong;
    if (!mine) {
      const auto at = shared.samples++;
      if (at < shared.late.size()) shared.late[at] = static_cast<float>(end - shared.loaded.load()) / 1000;
    }
    ++shared.finished;
  }
}

pid_t start_child(board& shared, const std::string& url, unsigned rounds) {
  std::fflush(nullptr);
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error{"fork failed"};
  if (child > 0) return child;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);
  nap_exactly();
  try {
    take_part(shared, url, rounds);
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "a process of the cache suite: %s\n", problem.what());
    ::_exit(1);
  }
  ::_exit(0);
}

struct fleet {
  std::vector<pid_t> pids;
  fleet() = default;
  fleet(const fleet&) = delete;
  fleet& operator=(const fleet&) = delete;
  ~fleet() {
    for (const pid_t each : pids) ::kill(each, SIGKILL);
    for (const pid_t each : pids) ::waitpid(each, nullptr, 0);
  }
};

void wait_for(const std::atomic<unsigned>& counter, unsigned wanted) {
  const auto limit = clock::now() + 60s;
  while (counter.load() < wanted) {
    if (clock::now() > limit) throw std::runtime_error{"a process of the cache suite did not get through"};
    std::this_thread::sleep_for(200us);
  }
}

}  // namespace

report cache(const run_options& how) {
  const unsigned rounds = std::min(how.rounds.value_or(official_rounds), 1000U);
  const server redis{how.url};
  void* const at = ::mmap(nullptr, sizeof(board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) throw std::runtime_error{"no shared memory"};
  board& shared = *new (at) board;
  fleet all;
  for (unsigned i = 0; i < processes; ++i) all.pids.push_back(start_child(shared, redis.url(), rounds));
  wait_for(shared.finished, processes);

  floor_connection raw{redis.url()};
  const auto began = clock::now();
  for (unsigned round = 1; round <= rounds; ++round) {
    raw.ask({"DEL", "{cache:bench}:value"});
    shared.finished = 0;
    shared.round = round;
    wait_for(shared.finished, processes);
  }
  const double seconds = std::chrono::duration<double>{clock::now() - began}.count();

  std::vector<double> late;
  for (std::size_t i = 0; i < std::min<std::size_t>(shared.samples, shared.late.size()); ++i) {
    late.push_back(shared.late[i]);
  }
  report out{"cache", "loads per expiry, 64 processes missing one key", sense::at_most};
  out.judge("loads_per_expiry", static_cast<double>(shared.loads) / rounds, 1);
  out.judge("wrong_values", static_cast<double>(shared.wrong), 0);
  out.figure("expiries", rounds, "");
  out.figure("misses", static_cast<double>(rounds) * processes, "");
  out.figure("load_time", static_cast<double>(load_time.count()) * 1000, "µs");
  if (!late.empty()) {
    std::sort(late.begin(), late.end());
    out.figure("after_load_p50", late[late.size() / 2], "µs");
    out.figure("after_load_p99", late[late.size() * 99 / 100], "µs");
    out.figure("after_load_max", late.back(), "µs");
  }
  out.figure("per_expiry", seconds / rounds * 1e6, "µs");
  return out;
}

}  // namespace holdfast::bench
