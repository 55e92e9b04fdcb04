// recursive: what Redisson's layout costs over the plain one, and what entering again costs. One thread locks and unlocks
// a holdfast::mutex and a holdfast::recursive_mutex in turn, both fenced, renewed and queueing as by default.
#include "server.hpp"
#include "statistics.hpp"
#include "suite.hpp"

#include <holdfast/mutex.hpp>
#include <holdfast/recursive_mutex.hpp>

#include <mutex>

namespace holdfast::bench {

using namespace std::chrono_literals;

report recursive(const run_options& how) {
  const server redis{how.url, placement::together};
  client connected{quiet_settings(redis.url())};
  mutex plain{connected, "bench:recursive:plain"};
  recursive_mutex deep{connected, "bench:recursive:ours_"};
  const auto pair = [](auto& lock) {
    return rate(250ms, [&] {
      lock.lock();
      lock.unlock();
    });
  };

  const rounds all = interleave(
      how.rounds.value_or(21), [&] { return pair(plain); }, [&] { return pair(deep); });
  double again = 0;
  {
    const std::scoped_lock outer{deep};
    again = pair(deep);
  }

  report out{"recursive", "lock+unlock, one thread, recursive_mutex against mutex", sense::at_most};
  const auto ratios = all.time_ratio();
  out.judge("ratio", median(ratios), 1.3);
  add_figures(out, all, ratios, "mutex", "recursive_mutex");
  out.figure("again", 1e6 / again, "µs");
  return out;
}

}  // namespace holdfast::bench
