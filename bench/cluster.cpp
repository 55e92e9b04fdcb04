// cluster: what the cluster client costs over the plain one. One thread locks and unlocks one mutex: on a Redis of its own, and
// on one of the three nodes of a Cluster, whose other connections are open and idle.
#include "floor.hpp"
#include "server.hpp"
#include "statistics.hpp"
#include "suite.hpp"

#include <holdfast/mutex.hpp>

#include <array>
#include <stdexcept>
#include <thread>

namespace holdfast::bench {

using namespace std::chrono_literals;

namespace {

std::string port_of(const std::string& url) { return url.substr(url.rfind(':') + 1); }

// Gives each a third of the slots and introduces them to each other. Returns the URL of all.
std::string make_cluster(const std::array<server*, 3>& nodes) {
  std::string all;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    floor_connection to{nodes[i]->url()};
    const auto first = 16384 * i / nodes.size();
    const auto last = 16384 * (i + 1) / nodes.size() - 1;
    to.ask({"CLUSTER", "ADDSLOTSRANGE", std::to_string(first), std::to_string(last)});
    to.ask({"CLUSTER", "SET-CONFIG-EPOCH", std::to_string(i + 1)});
    if (i > 0) to.ask({"CLUSTER", "MEET", "127.0.0.1", port_of(nodes[0]->url()), nodes[0]->bus()});
    all += (i == 0 ? "redis+cluster://127.0.0.1:" : ",127.0.0.1:") + port_of(nodes[i]->url());
  }
  const auto limit = std::chrono::steady_clock::now() + 20s;
  for (server* each : nodes) {
    floor_connection to{each->url()};
    while (to.ask({"CLUSTER", "INFO"}).find("cluster_state:ok") == std::string::npos) {
      if (std::chrono::steady_clock::now() > limit) throw std::runtime_error{"the cluster did not come up within 20 s"};
      std::this_thread::sleep_for(20ms);
    }
  }
  return all;
}

}  // namespace

report cluster(const run_options& how) {
  if (!how.url.empty()) throw std::runtime_error{"this suite makes a cluster of its own; leave out --url"};
  const server alone{{}, placement::together};
  server a = server::cluster_node(placement::together);
  server b = server::cluster_node(placement::together);
  server c = server::cluster_node(placement::together);
  client one{quiet_settings(alone.url())};
  client many{quiet_settings(make_cluster({&a, &b, &c}))};
  mutex single{one, "bench:cluster"};
  mutex spread{many, "bench:cluster"};
  const auto pairs = [](mutex& lock) {
    // Short: what else the machine does changes within a second, and must meet both sides.
    return rate(100ms, [&] {
      lock.lock();
      lock.unlock();
    });
  };

  const rounds all = interleave(
      how.rounds.value_or(51), [&] { return pairs(single); }, [&] { return pairs(spread); });
  report out{"cluster", "lock+unlock, one thread, time in a Cluster against a single Redis", sense::at_most};
  const auto ratios = all.time_ratio();
  out.judge("ratio", median(ratios), 1.10);
  add_figures(out, all, ratios, "single", "cluster");
  return out;
}

}  // namespace holdfast::bench
