// A holder is stopped (SIGSTOP) past its ttl and continued: the first thing it can observe, whichever way it looks, is
// the loss; and the lock has meanwhile gone to somebody else without an overlap.
//
// The holder is a child process that looks at its lease all the time, with the clock read before and after each look. A
// look that begins after the gap that the stop left in its life must tell the loss. Its interval in the history ends with
// the last look before the gap, because a stopped process does nothing.
#include <signal.h>

#include <cstdio>
#include <ostream>

#include "chaos/bystander.hpp"
#include "support/history.hpp"
#include "support/process.hpp"
#include "support/temp_dir.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

constexpr auto ttl = 600ms;
constexpr std::int64_t gap = 1'000'000'000;  // longer than any pause a busy machine makes, shorter than the stop

struct look {
  const char* name;
  bool (*tells_loss)(const lease&);
};
void PrintTo(const look& what, std::ostream* out) { *out << what.name; }

const look looks[] = {
    {"state", [](const lease& held) { return held.state() == lease_state::LOST; }},
    {"remaining", [](const lease& held) { return held.remaining() == 0ns; }},
    {"token", [](const lease& held) { return held.lost().stop_requested(); }},
    {"as_bool", [](const lease& held) { return !held; }},
};

// The child: 0 when the first look after the gap told the loss, 1 when it did not, 2 when the loss came without a gap.
int hold_and_look(const std::string& url, const std::string& history_path, bool (*tells_loss)(const lease&)) {
  history log{history_path};
  client redis{quick(url)};
  const lease held = redis.acquire("stopped", {.ttl = ttl});
  const auto start = boottime_ns();
  std::printf("held\n");
  std::fflush(stdout);
  for (auto last = start;;) {
    const auto before = boottime_ns();
    const bool lost = tells_loss(held);
    const auto after = boottime_ns();
    if (before - last > gap) {
      log.append({1, held.fence(), start, last});
      return lost ? 0 : 1;
    }
    if (after - before > gap) {  // stopped in the middle of a look: the next one counts
      log.append({1, held.fence(), start, before});
      return tells_loss(held) ? 0 : 1;
    }
    if (lost) return 2;
    last = after;
  }
}

class holder_stopped : public testing::TestWithParam<look> {};

TEST_P(holder_stopped, first_sees_the_loss) {
  temp_dir files;
  redis_server server;
  auto child = fork_child([&] { return hold_and_look(server.url(), files.file("history"), GetParam().tells_loss); });
  ASSERT_EQ(child.read_line(10s), "held");

  history log{files.file("history")};
  client redis{quick(server.url())};
  std::this_thread::sleep_for(ttl);  // lets it renew: the stop must not depend on the first lease
  child.pause();
  const auto stopped = boottime_ns();
  auto mine = redis.acquire("stopped", {.ttl = 5s, .wait = 10s});
  const auto start = boottime_ns();
  EXPECT_LE(std::chrono::nanoseconds{start - stopped}, ttl + 200ms);
  // The gap must be long enough to be told from a pause of the machine.
  std::this_thread::sleep_until(std::chrono::steady_clock::now() + 1500ms - std::chrono::nanoseconds{start - stopped});
  child.resume();
  EXPECT_EQ(child.wait(10s), (exit_status{.code = 0, .signal = 0}));
  EXPECT_EQ(mine.state(), lease_state::VALID) << "the former holder must not take it back";
  log.append({2, mine.fence(), start, boottime_ns()});
  EXPECT_EQ(mine.release(), release_outcome::released);

  const auto intervals = log.read();
  EXPECT_EQ(intervals.size(), 2u);
  EXPECT_EQ(find_violation(intervals), std::nullopt);
  expect_nothing_left(server, 3s);
}

INSTANTIATE_TEST_SUITE_P(, holder_stopped, testing::ValuesIn(looks),
                         [](const auto& shown) { return std::string{shown.param.name}; });

}  // namespace
}  // namespace holdfast::test
