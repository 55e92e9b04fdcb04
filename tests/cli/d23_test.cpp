// D23, `consul lock`: lost while the child runs, it exits with 0; `sh -c`, QUIT and HUP leave orphans. Not here.
#include <signal.h>

#include "cli/run_fixture.hpp"
#include "support/eventually.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

class D23 : public run_test {};

TEST_F(D23, ALossIsNeverASuccess) {
  // The command itself ends well, at once when it hears of the loss.
  auto running =
      start({"--ttl", "1s", "job", "--", "sh", "-c", "trap 'exit 0' TERM; echo started; while :; do sleep 0.01; done"});
  ASSERT_TRUE(running.running().read_line(20s));
  redis_.number({"DEL", "job"});
  EXPECT_EQ(running.finish().code(), 79);
}

TEST_F(D23, QuitHupAndKillLeaveNoOrphansUnderAShell) {
  for (const int number : {SIGQUIT, SIGHUP, SIGTERM, SIGKILL}) {
    command running{{"run", "job", "-c", "sh -c 'echo $$; while :; do sleep 0.01; done'; echo never"}, variables()};
    const auto line = running.running().read_line(20s);
    ASSERT_TRUE(line);
    const pid_t below = std::stoi(*line);
    EXPECT_TRUE(is_alive(below));
    running.running().signal(number);
    const outcome seen = running.finish();
    EXPECT_EQ(number == SIGKILL ? seen.status.signal : seen.code(), number == SIGKILL ? SIGKILL : 128 + number);
    EXPECT_TRUE(eventually(10s, [&] { return !is_alive(below); })) << "signal " << number;
    EXPECT_EQ(seen.out, "");
    redis_.number({"DEL", "job"});  // what a killed wrapper left
  }
}

}  // namespace
}  // namespace holdfast::test
