// The trials; see trials.hpp.
#include "families/trials.hpp"

#include "crew.hpp"
#include "families/service.hpp"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <limits>
#include <thread>

namespace holdfast::bench {
namespace {

using namespace std::chrono_literals;

constexpr auto warm_up = 1s;
constexpr double never = std::numeric_limits<double>::infinity();

double seconds(std::int64_t nanoseconds) { return static_cast<double>(nanoseconds) / 1e9; }

// a board of its own for each lock: the waiter's one sample is when it had it.
void hold_for_ever(crew_board& shared, contender& lock) {
  lock.lock();
  ++shared.ready;
  for (;;) nap(100ms);
}

void succeed(crew_board& shared, contender& lock) {
  while (shared.ready.load() == 0) nap(1ms);
  shared.go = true;
  lock.lock();
  shared.released = now_ns();
  ++shared.finished;
  lock.unlock();
}

// As take_turns, and watches who else is inside. `released` is when the lock was last taken, a sample the time since.
void take_turns_watched(crew_board& shared, unsigned me, contender& lock) {
  ++shared.ready;
  while (!shared.over.load(std::memory_order_relaxed)) {
    lock.lock();
    if (shared.holder.exchange(me) != crew_board::most_processes) ++shared.through_queue;
    const std::int64_t got = now_ns();
    const std::int64_t before = shared.released.exchange(got);
    if (shared.go.load() && before > 0) shared.add_sample(got - before);
    shared.holder.store(crew_board::most_processes);
    lock.unlock();
  }
  ++shared.finished;
}

}  // namespace

std::vector<double> pair_times(family& of, std::chrono::milliseconds length) {
  const shared_board shared;
  crew all;
  all.start([&] {
    const auto lock = of.join(0, 0);
    const auto begin = clock::now();
    while (clock::now() < begin + warm_up + length) {
      const std::int64_t before = now_ns();
      lock->lock();
      lock->unlock();
      if (clock::now() > begin + warm_up) shared->add_sample(now_ns() - before);
    }
    ++shared->finished;
  });
  all.wait_for(shared->finished, 1);
  return shared->all_samples();
}

std::vector<double> handoff_times(family& of, unsigned processes, std::chrono::milliseconds length) {
  const shared_board shared;
  crew all;
  for (unsigned me = 0; me < processes; ++me) {
    all.start([&, me] {
      const auto lock = of.join(1, me);
      take_turns(*shared, me, *lock);
      ++shared->finished;
      while (shared->go.load()) nap(1ms);  // a connection that closes would disturb the others
    });
  }
  all.wait_for(shared->ready, processes);
  shared->go = true;
  std::this_thread::sleep_for(warm_up);
  const std::size_t cold = shared->samples.load();
  std::this_thread::sleep_for(length);
  shared->over = true;
  all.wait_for(shared->finished, processes);
  shared->go = false;
  all.wait_for_all();
  std::vector<double> samples = shared->all_samples();
  samples.erase(samples.begin(), samples.begin() + static_cast<std::ptrdiff_t>(cold));
  return samples;
}

std::vector<double> succession_times(family& of, fate how) {
  constexpr unsigned locks = 3;
  std::array<shared_board, locks> shared;
  crew holders;
  crew waiters;
  std::array<pid_t, locks> pids{};
  for (unsigned i = 0; i < locks; ++i) {
    pids[i] = holders.start([&, i] { hold_for_ever(*shared[i], *of.join(2 + i, 2 * i)); });
    waiters.start([&, i] { succeed(*shared[i], *of.join(2 + i, 2 * i + 1)); });
  }
  for (const shared_board& each : shared) {
    holders.wait_for(each->ready, 1);
    while (!each->go.load()) nap(1ms);
  }
  // Long enough for the waiters to be in the queue, and at three points of the time between two renewals.
  std::array<std::int64_t, locks> gone{};
  std::this_thread::sleep_for(lifetime / 2);
  for (unsigned i = 0; i < locks; ++i) {
    std::this_thread::sleep_for(600ms);
    gone[i] = now_ns();
    ::kill(pids[i], how == fate::killed ? SIGKILL : SIGSTOP);
  }
  const auto limit = clock::now() + succession_limit;
  std::vector<double> found;
  for (unsigned i = 0; i < locks; ++i) {
    while (shared[i]->finished.load() == 0 && clock::now() < limit && !waiters.any_failed()) nap(1ms);
    found.push_back(shared[i]->finished.load() == 0 ? never : seconds(shared[i]->released.load() - gone[i]));
  }
  return found;
}

outage node_killed(family& of) {
  constexpr unsigned processes = 3;
  const shared_board shared;
  crew all;
  for (unsigned me = 0; me < processes; ++me) {
    all.start([&, me] { take_turns_watched(*shared, me, *of.join(1, me)); });
  }
  all.wait_for(shared->ready, processes);
  std::this_thread::sleep_for(2 * warm_up);
  shared->go = true;
  of.kill_leader();
  std::this_thread::sleep_for(outage_limit);
  const bool goes_on =
      now_ns() - shared->released.load() < std::chrono::nanoseconds{lifetime}.count() && !all.any_failed();
  outage found{.seconds = never, .overlaps = static_cast<unsigned>(shared->through_queue.load())};
  if (goes_on) found.seconds = percentile(shared->all_samples(), 1) / 1e6;
  return found;
}

std::vector<double> fsync_times() {
  const scratch_folder folder;
  const int fd = ::open((folder.path() / "file").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  std::vector<double> found;
  const char line[64] = {};
  const auto end = clock::now() + 1s;
  while (fd >= 0 && clock::now() < end) {
    const std::int64_t before = now_ns();
    if (::write(fd, line, sizeof line) < 0 || ::fdatasync(fd) != 0) break;
    found.push_back(static_cast<double>(now_ns() - before) / 1000);
  }
  if (fd >= 0) ::close(fd);
  return found;
}

}  // namespace holdfast::bench
