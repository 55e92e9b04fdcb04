// holdfast bench
#include "bench/measure.hpp"
#include "duration.hpp"
#include "exit_code.hpp"
#include "json.hpp"
#include "stop.hpp"
#include "target.hpp"
#include "terminal.hpp"
#include "verb.hpp"

#include <CLI/CLI.hpp>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <random>
#include <string>

namespace holdfast::cli {
namespace {

using std::chrono::milliseconds;

const manual bench_page{
    .name = "bench",
    .usage = "",
    .summary = "measure what locks cost on your Redis, in a few seconds",
    .description =
        {"Measures in turns, each for a quarter of the time: PING by one caller, which is the floor that "
         "the network and the server set; lock and unlock by one caller; lock and unlock by 16 threads on one "
         "connection, each with a lock of its own; the hand-off from a releasing client to a waiting one. Every figure "
         "comes with its ratio to PING; of the threads, the time per operation over all of them counts.",
         "It is small: two connections, 50000 operations of each kind at most, and nothing that scans or blocks. "
         "Locks are named holdfast:bench:<random>:..., are released at once, and expire after ten seconds if this "
         "command is killed."},
    .examples = {{"holdfast bench", "about four seconds"},
                 {"holdfast bench --seconds 1 --json", "shorter, for a program"}},
};

std::string random_digits() {
  std::random_device source;
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), "%08x", source());
  return text.data();
}

class bench_verb final : public verb {
 public:
  [[nodiscard]] const manual& text() const override { return bench_page; }
  void define(CLI::App& app) override {
    add_duration(app, "--seconds", seconds_, "how long it may take in all (4)");
    app.add_flag("--json", json_, "print a JSON object");
    where_.define(app);
  }

  int act() override {
    const milliseconds all = seconds_.value_or(milliseconds{4000});
    if (all < milliseconds{100} || all > milliseconds{60'000}) {
      throw stop{exit_usage, "--seconds must be between 0.1 and 60"};
    }
    const std::string names = "holdfast:bench:" + random_digits() + ":";
    const settings at = where_.where();
    client one{at};
    client other{at};
    // In turns, so that a machine or a network that changes its mood in between changes all figures alike.
    const milliseconds part = all / (4 * bench_rounds);
    std::vector<bench_round> rounds;
    for (int i = 0; i < bench_rounds; ++i) {
      bench_round& now = rounds.emplace_back();
      now.push_back(measure_ping(one, part));
      now.push_back(measure_pair(one, names + "pair", part));
      now.push_back(measure_many(one, names + "many:", part));
      now.push_back(measure_handoff(one, other, names + "handoff", hold(now.front()), part));
    }
    report(at, names, figures_of(rounds));
    return exit_ok;
  }

 private:
  // Long enough for the other one to get into the queue: some round trips.
  static std::chrono::microseconds hold(const measurement& ping) {
    const auto typical = std::chrono::microseconds{static_cast<long>(figures_of({{ping}}).front().p50_us)};
    return std::clamp(4 * typical, std::chrono::microseconds{200}, std::chrono::microseconds{100'000});
  }

  void report(const settings& at, const std::string& names, const std::vector<figures>& found) const {
    if (json_) {
      print(json_object{}
                .add("redis", at.display())
                .add("locks", at.prefix + names)
                .raw("figures", figures_json(found))
                .text() +
            "\n");
      return;
    }
    std::uint64_t operations = 0;
    for (const figures& each : found) operations += each.count;
    print(figures_text(found, has_colours(STDOUT_FILENO)) + "\n" + std::to_string(operations) + " operations on " +
          printable(at.display()) + ", on locks " + printable(at.prefix + names) + "*, all released\n");
  }

  target where_;
  std::optional<milliseconds> seconds_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<verb> make_bench() { return std::make_unique<bench_verb>(); }

}  // namespace holdfast::cli
