// quorum: what five nodes cost a lone caller. One thread locks and unlocks one mutex; the floor is hiredis that sends the same
// scripts to the same five nodes at once and goes on at the third answer. Then the same with two nodes that do not answer.
#include "quorum_floor.hpp"
#include "server.hpp"
#include "statistics.hpp"
#include "suite.hpp"

#include <holdfast/mutex.hpp>

#include <stdexcept>
#include <vector>

namespace holdfast::bench {

using namespace std::chrono_literals;

namespace {

// One over the median time of `once`, of those in `length`: the bars are of the median, so that a few slow ones neither count for
// much nor hide.
template <class Once>
double median_rate(std::chrono::nanoseconds length, Once&& once) {
  std::vector<double> took;
  const auto end = clock::now() + length;
  for (auto begin = clock::now(); begin < end;) {
    once();
    const auto now = clock::now();
    took.push_back(std::chrono::duration<double>{now - begin}.count());
    begin = now;
  }
  return 1.0 / median(std::move(took));
}

}  // namespace

report quorum(const run_options& how) {
  if (!how.url.empty()) throw std::runtime_error{"quorum starts five servers of its own, and takes no --url"};
  std::vector<std::unique_ptr<server>> nodes;
  std::vector<std::string> urls;
  std::string all_of_them = "redis+quorum://";
  for (int i = 0; i < 5; ++i) {
    nodes.push_back(std::make_unique<server>(std::string{}, placement::together));
    urls.push_back(nodes.back()->url());
    all_of_them += (i == 0 ? "" : ",") + urls.back().substr(std::string_view{"redis://"}.size());
  }
  all_of_them += "?max_ttl=2s";  // as long as it takes these new nodes to come of age
  quorum_floor raw{urls, record_quorum(urls, all_of_them, "bench:quorum:floor")};
  client connected{quiet_settings(all_of_them)};
  mutex lock{connected, "bench:quorum:ours_", {.ttl = 2s}};
  const auto ours = [&] {
    return median_rate(250ms, [&] {
      lock.lock();
      lock.unlock();
    });
  };

  const rounds all = interleave(
      how.rounds.value_or(21), [&] { return median_rate(250ms, [&] { raw.pair(); }); }, ours);
  nodes[0]->pause();
  nodes[1]->pause();
  std::vector<double> stopped;
  for (unsigned i = 0; i < how.rounds.value_or(21); ++i) stopped.push_back(ours());
  nodes[0]->resume();
  nodes[1]->resume();

  report out{"quorum", "lock+unlock on five nodes, time against raw hiredis gathering a majority", sense::at_most};
  const auto ratios = all.time_ratio();
  out.judge("ratio", median(ratios), 2.0);
  out.judge("two_stopped", median(all.ours) / median(stopped), 1.3);
  add_figures(out, all, ratios, "floor", "ours");
  out.figure("two_stopped", median(stopped), "per second");
  return out;
}

}  // namespace holdfast::bench
