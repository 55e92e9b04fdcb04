// holdfast-bench SUITE: measures one property of the library and judges it by its bar.
//
// Exit status: 0 measured (with --check: and every bar holds), 1 a bar was missed (--check), 64 wrong use, 70 could not
// measure.
#include "suite.hpp"

#include <array>
#include <charconv>
#include <cstdio>
#include <exception>
#include <optional>
#include <string>
#include <string_view>

namespace {

using namespace holdfast::bench;

struct entry {
  const char* name;
  const char* measures;
  report (*run)(const run_options&);
};

constexpr std::array suites{
    entry{"pair", "lock+unlock of a lone thread, against raw hiredis", pair},
    entry{"threads", "64 threads on one client, against 64 hiredis connections", threads},
    entry{"inflight", "256 coroutines on one connection, against a hiredis pipeline", inflight},
    entry{"handoff", "2, 8 and 64 processes queueing on one lock, against PING", handoff},
    entry{"renew", "100,000 leases held: losses, processor time, memory", renew},
    entry{"growth", "lock+unlock beside 1,000,000 other locks, against an empty server", growth},
    entry{"cli", "holdfast run x -- true, against redis-cli set and redis-cli del", cli},
    entry{"recursive", "pairs and hand-offs of recursive_mutex, against those of mutex", recursive},
    entry{"cache", "64 processes missing one key of a cache: loads per expiry", cache},
    entry{"shared", "pairs and hand-offs of shared_mutex, against those of mutex", shared},
    entry{"cluster", "lock+unlock through a cluster client, against a single node", cluster},
    entry{"semaphore", "pairs and hand-offs of semaphore, against those of mutex", semaphores},
    entry{"quorum", "lock+unlock on five nodes, against raw hiredis gathering a majority", quorum},
    entry{"failover", "the primary is killed under 100 waiters: from its follower's first write to a grant", failover},
#ifdef HOLDFAST_FAMILIES
    entry{"families", "our locks beside those on PostgreSQL, ZooKeeper and etcd (a quarter of an hour)", families},
#endif
};

constexpr int usage_error = 64;
constexpr int internal_error = 70;

void print_usage(std::FILE* to) {
  std::fputs("holdfast-bench SUITE [--json] [--check] [--rounds N] [--seconds N] [--only NAME] [--url URL]\n\n", to);
  for (const entry& each : suites) std::fprintf(to, "  %-10s %s\n", each.name, each.measures);
  std::fputs(
      "\n  --json       one JSON object as the last line\n"
      "  --check      exit with 1 when a bar is missed\n"
      "  --rounds N   other than the suite's own number of rounds\n"
      "  --seconds N  renew: hold the leases this long instead of 60\n"
      "  --only NAME  families: those whose names begin so\n"
      "  --url URL    this Redis instead of one started for the measurement; nobody else should be using it\n",
      to);
}

int wrong_use(const std::string& why) {
  print_usage(stderr);
  std::fprintf(stderr, "\nholdfast-bench: %s\n", why.c_str());
  return usage_error;
}

std::optional<unsigned> positive(std::string_view text) {
  unsigned value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc{} || end != text.data() + text.size() || value == 0 || value > 100'000) return {};
  return value;
}

}  // namespace

int main(int argc, char** argv) try {
  const entry* chosen = nullptr;
  run_options how;
  bool json = false;
  bool check = false;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--help" || word == "-h" || word == "help") return print_usage(stdout), 0;
    if (word == "--json" || word == "--check") {
      (word == "--json" ? json : check) = true;
    } else if (word == "--url" || word == "--only" || word == "--rounds" || word == "--seconds") {
      if (++i == argc) return wrong_use(word + " needs a value");
      const auto number = positive(argv[i]);
      if (word == "--url") {
        how.url = argv[i];
      } else if (word == "--only") {
        how.only = argv[i];
      } else if (!number) {
        return wrong_use(word + " takes a whole number from 1 to 100000, not '" + argv[i] + "'");
      } else if (word == "--rounds") {
        how.rounds = number;
      } else {
        how.hold = std::chrono::seconds{*number};
      }
    } else if (word.starts_with("-")) {
      return wrong_use("there is no option '" + word + "'");
    } else if (chosen != nullptr) {
      return wrong_use("one suite at a time; '" + word + "' is the second");
    } else {
      for (const entry& each : suites) {
        if (word == each.name) chosen = &each;
      }
      if (chosen == nullptr && word == "families") {
        return wrong_use("'families' is not in this build; ./dev bench families makes one that has it");
      }
      if (chosen == nullptr) return wrong_use("there is no suite '" + word + "'");
    }
  }
  if (chosen == nullptr) return wrong_use("name a suite");

  const report found = chosen->run(how);
  std::fputs(found.table().c_str(), stdout);
  if (json) std::printf("%s\n", found.json().c_str());
  return check && !found.ok() ? 1 : 0;
} catch (const std::exception& problem) {
  std::fprintf(stderr, "holdfast-bench: %s\n", problem.what());
  return internal_error;
}
