// pair: what a lone caller pays for the library. One thread locks and unlocks one holdfast::mutex, fenced, renewed and
// queueing as by default; the floor is blocking hiredis that runs the same two scripts on TCP loopback. Judged on one core,
// where nothing but work counts; with a core for each, where waking them is most of it, is shown beside it.
#include "recording.hpp"
#include "server.hpp"
#include "statistics.hpp"
#include "suite.hpp"

#include <holdfast/mutex.hpp>

#include <algorithm>

namespace holdfast::bench {

using namespace std::chrono_literals;

report pair(const run_options& how) {
  const server redis{how.url, placement::together};
  floor_connection raw{redis.url()};
  const auto raw_lock = record(redis.url(), "bench:pair:floor");
  client connected{quiet_settings(redis.url())};
  mutex lock{connected, "bench:pair:ours_"};

  const auto measure = [&](unsigned count) {
    return interleave(
        count, [&] { return rate(250ms, [&] { raw.pair(*raw_lock); }); },
        [&] {
          return rate(250ms, [&] {
            lock.lock();
            lock.unlock();
          });
        });
  };
  const unsigned count = how.rounds.value_or(21);
  const rounds all = measure(count);

  report out{"pair", "lock+unlock, one thread, time against raw hiredis running the same scripts", sense::at_most};
  const auto ratios = all.time_ratio();
  out.judge("ratio", median(ratios), 1.15);
  add_figures(out, all, ratios, "floor", "ours");
  if (!how.url.empty()) return out;

  place_clients(placement::apart);
  const rounds apart = measure(std::min(count, 7U));
  place_clients(placement::together);
  out.figure("apart_ratio", median(apart.time_ratio()), "with the server on a core of its own");
  out.figure("apart_floor", 1e6 / median(apart.floor), "µs");
  out.figure("apart_ours", 1e6 / median(apart.ours), "µs");
  return out;
}

}  // namespace holdfast::bench
