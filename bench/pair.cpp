// pair: what a lone caller pays for the library. One thread locks and unlocks one holdfast::mutex, fenced, renewed and
// queueing as by default; the floor is blocking hiredis that runs the same two scripts on TCP loopback.
#include "recording.hpp"
#include "server.hpp"
#include "statistics.hpp"
#include "suite.hpp"

#include <holdfast/mutex.hpp>

namespace holdfast::bench {

using namespace std::chrono_literals;

report pair(const run_options& how) {
  const server redis{how.url, placement::together};
  floor_connection raw{redis.url()};
  const auto raw_lock = record(redis.url(), "bench:pair:floor");
  client connected{quiet_settings(redis.url())};
  mutex lock{connected, "bench:pair:ours_"};

  const rounds all = interleave(
      how.rounds.value_or(21), [&] { return rate(250ms, [&] { raw.pair(*raw_lock); }); },
      [&] {
        return rate(250ms, [&] {
          lock.lock();
          lock.unlock();
        });
      });

  report out{"pair", "lock+unlock, one thread, time against raw hiredis running the same scripts", sense::at_most};
  const auto ratios = all.time_ratio();
  out.judge("ratio", median(ratios), 1.15);
  add_figures(out, all, ratios, "floor", "ours");
  return out;
}

}  // namespace holdfast::bench
