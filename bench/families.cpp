// families: the kinds of distributed lock beside one another, for docs/choose.md. Each family's servers are started, measured
// and ended in turn (families/family.hpp); what is not here, or fails, has its reason in the table.
//
// Nothing is judged but that all were measured: which to take is a matter of what one needs.
#include "families/trials.hpp"
#include "statistics.hpp"
#include "suite.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <stdexcept>

namespace holdfast::bench {

using namespace std::chrono_literals;

namespace {

constexpr auto length = 1500ms;
constexpr unsigned kills = 3;  // of nodes: each needs fresh servers

void extend(std::vector<double>& all, const std::vector<double>& by) { all.insert(all.end(), by.begin(), by.end()); }

std::string in_seconds(const std::vector<double>& values, std::chrono::seconds limit) {
  const double least = percentile(values, 0);
  const double most = percentile(values, 1);
  char text[60];
  if (!std::isfinite(least)) {
    std::snprintf(text, sizeof text, "not in %d s", static_cast<int>(limit.count()));
  } else if (!std::isfinite(most)) {
    std::snprintf(text, sizeof text, "%.1f s to never", least);
  } else if (most < 0.1) {
    std::snprintf(text, sizeof text, "%.1f to %.1f ms", least * 1000, most * 1000);
  } else {
    std::snprintf(text, sizeof text, "%.1f to %.1f s", least, most);
  }
  return text;
}

// As µs, or as ms where they are many.
std::string in_time(double micros) {
  char text[40];
  if (micros < 1000) {
    std::snprintf(text, sizeof text, "%.0f µs", micros);
  } else {
    std::snprintf(text, sizeof text, micros < 10'000 ? "%.1f ms" : "%.0f ms", micros / 1000);
  }
  return text;
}

// A row of docs/choose.md's table, padded so that it can be read where it is printed.
std::string table_row(const std::vector<std::string>& cells) {
  constexpr std::array<std::size_t, 8> widths{19, 8, 13, 13, 12, 13, 13, 13};
  std::string out = "|";
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const auto shown = static_cast<std::size_t>(std::count_if(
        cells[i].begin(), cells[i].end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
    out += " " + cells[i] + std::string(i < widths.size() && shown < widths[i] ? widths[i] - shown : 0, ' ') + " |";
  }
  return out + "\n";
}

struct found {
  double fsync = 0;
  std::vector<double> pair;
  std::vector<double> handoff_2;
  std::vector<double> handoff_8;
  std::vector<double> killed;
  std::vector<double> frozen;
  std::vector<double> node;
  double overlaps = 0;
};

void measure_nodes(family& of, found& into) {
  for (unsigned i = 0; i < kills; ++i) {
    if (i > 0) {
      of.stop();
      of.start();
    }
    const outage seen = node_killed(of);
    into.node.push_back(seen.seconds);
    into.overlaps += seen.overlaps;
  }
}

found measure(family& of, unsigned rounds) {
  found all;
  of.start();
  all.fsync = median(fsync_times());  // beside each: what a disk takes changes from minute to minute
  for (unsigned i = 0; i < rounds; ++i) {
    extend(all.pair, pair_times(of, length));
    extend(all.handoff_2, handoff_times(of, 2, length));
    extend(all.handoff_8, handoff_times(of, 8, length));
  }
  all.killed = succession_times(of, fate::killed);
  all.frozen = succession_times(of, fate::frozen);
  if (of.replicated()) measure_nodes(of, all);
  of.stop();
  return all;
}

void add_figures(report& out, const std::string& name, const found& all) {
  out.figure(name + "_pair_p50", median(all.pair), "µs");
  out.figure(name + "_pair_p99", percentile(all.pair, 0.99), "µs");
  out.figure(name + "_handoff_2_p50", median(all.handoff_2), "µs");
  out.figure(name + "_handoff_8_p50", median(all.handoff_8), "µs");
  out.figure(name + "_handoff_8_p99", percentile(all.handoff_8, 0.99), "µs");
  out.figure(name + "_fsync_p50", all.fsync, "µs, a small write to the same disk");
  out.figure(name + "_killed_most", percentile(all.killed, 1), "s");
  out.figure(name + "_frozen_most", percentile(all.frozen, 1), "s");
  if (all.node.empty()) return;
  out.figure(name + "_node_killed_p50", median(all.node), "s");
  out.figure(name + "_node_killed_most", percentile(all.node, 1), "s");
  out.figure(name + "_node_killed_overlaps", all.overlaps, "");
}

std::string row(const std::string& name, const found& all) {
  return table_row({name, in_time(median(all.pair)), in_time(median(all.handoff_2)), in_time(median(all.handoff_8)),
                    in_time(all.fsync), in_seconds(all.killed, succession_limit),
                    in_seconds(all.frozen, succession_limit),
                    all.node.empty() ? "one node" : in_seconds(all.node, outage_limit)});
}

}  // namespace

report families(const run_options& how) {
  report out{"families", "kinds of lock beside one another; p50, lifetime of leases and sessions 5 s", sense::at_least};
  out.text(table_row({"", "pair", "hand-off of 2", "hand-off of 8", "fsync beside", "holder killed", "holder frozen",
                      "leader killed"}));
  out.text("|---|---|---|---|---|---|---|---|\n");
  double measured = 0;
  double wanted = 0;
  for (const auto& each : all_families()) {
    const std::string name = each->name();
    if (!name.starts_with(how.only)) continue;
    ++wanted;
    std::fprintf(stderr, "families: %s\n", name.c_str());
    try {
      const found all = measure(*each, how.rounds.value_or(3));
      out.text(row(name, all));
      add_figures(out, name, all);
      ++measured;
    } catch (const std::exception& problem) {
      each->stop();
      out.text(table_row({name, std::string{"not measured: "} + problem.what()}));
      out.note(name, problem.what());
    }
  }
  if (wanted == 0) throw std::runtime_error{"no family's name begins with '" + how.only + "'"};
  out.judge("families_measured", measured, wanted);
  return out;
}

}  // namespace holdfast::bench
