// handoff: how long a lock is nobody's. 2, 8 and 64 processes pass one lock around (relay.hpp); the time from the release
// call to the next owner's return is set against the round trip of a PING, the least that any word to the server and back
// takes, measured in the same place: the server has a core of its own, the processes share the others. The PING that
// judges comes from a tight loop, like the hand-offs; one after a nap, from idle processors, is shown beside it, and so is what
// looking for answers (settings::spin) gains and costs.
#include "floor.hpp"
#include "relay.hpp"
#include "server.hpp"
#include "statistics.hpp"
#include "suite.hpp"

#include <algorithm>
#include <array>

namespace holdfast::bench {

using namespace std::chrono_literals;

namespace {

constexpr std::array<unsigned, 3> sizes{2, 8, 64};
constexpr std::array<std::chrono::milliseconds, 3> lengths{800ms, 800ms, 3000ms};

double ping_p50(floor_connection& raw, std::chrono::nanoseconds pause) {
  std::vector<double> all;
  const auto end = clock::now() + 300ms;
  while (clock::now() < end) {
    if (pause.count() > 0) nap(pause);
    const auto begin = clock::now();
    raw.ping();
    all.push_back(std::chrono::duration<double, std::micro>{clock::now() - begin}.count());
  }
  return median(std::move(all));
}

struct pings {
  std::vector<double> tight;  // p50 of each round, µs
  std::vector<double> paced;
  std::vector<double> together;  // as tight, on the server's core: what the scheduler likes for two, not for three

  void measure(const std::string& url, bool ours_to_place) {
    floor_connection raw{url};
    tight.push_back(ping_p50(raw, 0ns));
    paced.push_back(ping_p50(raw, 200us));
    if (!ours_to_place) return;
    place_clients(placement::together);
    together.push_back(ping_p50(raw, 0ns));
    place_clients(placement::apart);
  }
};

// What the rounds of one size found.
struct summary {
  std::vector<double> p50;     // of each round
  std::vector<double> pooled;  // all hand-offs
  std::vector<double> to_tight;
  std::vector<double> to_paced;
  double commands = 0;  // per hand-off, the worst round
  double uneven = 0;    // max/min of turns, the worst round
  double queued = 0;
  double taken = 0;
  double processor = 0;

  void add(const relay_result& found, double tight, double paced) {
    p50.push_back(median(found.handoffs));
    to_tight.push_back(p50.back() / tight);
    to_paced.push_back(p50.back() / paced);
    pooled.insert(pooled.end(), found.handoffs.begin(), found.handoffs.end());
    commands = std::max(commands, static_cast<double>(found.commands) / static_cast<double>(found.taken));
    const auto [least, most] = std::minmax_element(found.turns.begin(), found.turns.end());
    uneven = std::max(uneven, static_cast<double>(*most) / static_cast<double>(*least));
    queued += static_cast<double>(found.through_queue);
    taken += static_cast<double>(found.taken);
    processor += found.processor;
  }

  [[nodiscard]] double processor_each() const { return processor / taken * 1e6; }
};

void judge(report& out, const std::array<summary, sizes.size()>& all) {
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const std::string size = std::to_string(sizes[i]);
    out.judge("p50_to_ping_" + size, median(all[i].to_tight), 1.5);
    out.judge("commands_per_handoff_" + size, all[i].commands, 3);
    out.judge("turns_most_to_least_" + size, all[i].uneven, 1.2);
  }
  std::vector<double> growth;
  for (std::size_t i = 0; i < all[2].p50.size(); ++i) growth.push_back(all[2].p50[i] / all[0].p50[i]);
  out.judge("p50_64_to_2", median(growth), 2);
}

}  // namespace

report handoff(const run_options& how) {
  const server redis{how.url, placement::apart};
  nap_exactly();
  pings ping;
  const std::string sleepy = redis.url() + (redis.url().find('?') == std::string::npos ? "?" : "&") + "spin=off";
  std::array<summary, sizes.size()> all;
  std::array<summary, sizes.size()> sleeping;
  std::array<std::vector<double>, sizes.size()> floor;  // p50 of each round
  for (unsigned round = 0; round < how.rounds.value_or(7); ++round) {
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      ping.measure(redis.url(), how.url.empty());  // beside each: what a wake-up costs here drifts within seconds
      floor[i].push_back(median(relay(runner::floor, redis.url(), sizes[i], lengths[i]).handoffs));
      all[i].add(relay(runner::ours, redis.url(), sizes[i], lengths[i]), ping.tight.back(), ping.paced.back());
      sleeping[i].add(relay(runner::ours, sleepy, sizes[i], lengths[i]), ping.tight.back(), ping.paced.back());
    }
  }

  report out{"handoff", "from the release call to the next owner's return, against PING's p50", sense::at_most};
  judge(out, all);
  out.figure("ping_p50", median(ping.tight), "µs, tight loop");
  out.figure("ping_p50_after_nap", median(ping.paced), "µs, each after a nap");
  out.figure("ping_p50_one_core", median(ping.together), "µs, tight loop on the server's core");
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const std::string size = "_" + std::to_string(sizes[i]);
    out.figure("floor_p50" + size, median(floor[i]), "µs, raw hiredis handing over with the same scripts");
    out.figure("p50" + size, percentile(all[i].pooled, 0.5), "µs");
    out.figure("p99" + size, percentile(all[i].pooled, 0.99), "µs");
    out.figure("p50_to_ping_after_nap" + size, median(all[i].to_paced), "");
    out.figure("through_queue" + size, all[i].queued / all[i].taken, "of all acquisitions");
    out.figure("processor" + size, all[i].processor_each(), "µs of the clients' processor time per acquisition");
    out.figure("p50_to_ping_spin_off" + size, median(sleeping[i].to_tight), "");
    out.figure("processor_spin_off" + size, sleeping[i].processor_each(), "µs");
    out.figure("handoffs" + size, static_cast<double>(all[i].pooled.size()), "");
  }
  out.figure("rounds", static_cast<double>(ping.tight.size()), "of each");
  return out;
}

}  // namespace holdfast::bench
