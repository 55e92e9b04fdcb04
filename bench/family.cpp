// recursive, shared and semaphore: what the other primitives cost beside a plain lock. Pairs of a lone thread, and
// hand-offs between processes (relay.hpp), each against the mutex in the same run, turn about. What a hand-off asks of the
// server must not grow with the number of those who wait.
#include "relay.hpp"
#include "server.hpp"
#include "statistics.hpp"
#include "suite.hpp"

#include <holdfast/mutex.hpp>
#include <holdfast/recursive_mutex.hpp>
#include <holdfast/semaphore.hpp>
#include <holdfast/shared_mutex.hpp>

#include <algorithm>
#include <array>
#include <mutex>

namespace holdfast::bench {

using namespace std::chrono_literals;

namespace {

constexpr double bar = 1.3;
constexpr std::array<unsigned, 2> sizes{2, 32};

// Pairs of `other` in the time of pairs of the mutex.
template <class Pair>
void judge_pairs(report& out, const char* name, const run_options& how, const std::string& url, Pair&& other) {
  client connected{quiet_settings(url)};
  mutex plain{connected, "bench:family:plain"};
  const rounds all = interleave(
      how.rounds.value_or(15),
      [&] {
        return rate(150ms, [&] {
          plain.lock();
          plain.unlock();
        });
      },
      [&] { return rate(150ms, other); });
  out.judge(std::string{"pair_"} + name, median(all.time_ratio()), bar);
  out.figure(std::string{"pairs_"} + name, median(all.ours), "per second");
  out.figure(std::string{"pairs_mutex_beside_"} + name, median(all.floor), "per second");
}

void judge_handoffs(report& out, runner who, const run_options& how) {
  const server redis{how.url, placement::apart};
  nap_exactly();
  std::array<std::vector<double>, sizes.size()> ratios;
  std::array<double, sizes.size()> commands{};
  std::array<std::vector<double>, sizes.size()> server;
  std::array<std::vector<double>, sizes.size()> server_plain;
  const auto each = [](const relay_result& found) { return found.server / static_cast<double>(found.taken) * 1e6; };
  for (unsigned round = 0; round < how.rounds.value_or(9); ++round) {
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const relay_result plain = relay(runner::ours, redis.url(), sizes[i], 800ms);
      const relay_result other = relay(who, redis.url(), sizes[i], 800ms);
      ratios[i].push_back(median(other.handoffs) / median(plain.handoffs));
      server[i].push_back(each(other));
      server_plain[i].push_back(each(plain));
      commands[i] = std::max(commands[i], static_cast<double>(other.commands) / static_cast<double>(other.taken));
    }
  }
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    out.judge("handoff_" + std::to_string(sizes[i]), median(ratios[i]), bar);
    out.judge("commands_per_handoff_" + std::to_string(sizes[i]), commands[i], 3);
    out.figure("server_" + std::to_string(sizes[i]), median(server[i]), "µs of the server's time per acquisition");
    out.figure("server_mutex_" + std::to_string(sizes[i]), median(server_plain[i]), "µs");
  }
}

}  // namespace

report recursive(const run_options& how) {
  report out{"recursive", "recursive_mutex, time against mutex", sense::at_most};
  judge_handoffs(out, runner::recursive, how);  // first: it forks
  const server redis{how.url, placement::together};
  client connected{quiet_settings(redis.url())};
  recursive_mutex lock{connected, "bench:family:recursive"};
  const auto pair = [&] {
    lock.lock();
    lock.unlock();
  };
  judge_pairs(out, "recursive", how, redis.url(), pair);
  const std::scoped_lock outer{lock};
  out.figure("again", 1e6 / rate(250ms, pair), "µs, entering and leaving once more");
  return out;
}

report shared(const run_options& how) {
  report out{"shared", "shared_mutex, time against mutex", sense::at_most};
  judge_handoffs(out, runner::writer, how);
  const server redis{how.url, placement::together};
  client connected{quiet_settings(redis.url())};
  shared_mutex lock{connected, "bench:family:shared"};
  judge_pairs(out, "write", how, redis.url(), [&] {
    lock.lock();
    lock.unlock();
  });
  judge_pairs(out, "read", how, redis.url(), [&] {
    lock.lock_shared();
    lock.unlock_shared();
  });
  return out;
}

report semaphores(const run_options& how) {
  report out{"semaphore", "semaphore, time against mutex", sense::at_most};
  judge_handoffs(out, runner::permit, how);
  const server redis{how.url, placement::together};
  client connected{quiet_settings(redis.url())};
  semaphore permits{connected, "bench:family:permits", 8};
  judge_pairs(out, "permit", how, redis.url(), [&] {
    permits.acquire();
    permits.release();
  });
  return out;
}

}  // namespace holdfast::bench
