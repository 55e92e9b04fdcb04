// D24, `etcdctl lock`: never notices that the lease ended, forwards no signals, has no limit on the wait. Not here.
#include <signal.h>

#include "cli/run_fixture.hpp"
#include "support/eventually.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

class D24 : public run_test {};

TEST_F(D24, NoticesThatTheLeaseEnded) {
  auto running = start({"--ttl", "1s", "job", "--", "sleep", "1000"});
  ASSERT_TRUE(eventually(20s, [&] { return redis_.number({"EXISTS", "job"}) == 1; }));
  redis_.pause();
  const outcome seen = running.finish(20s);
  redis_.resume();
  EXPECT_EQ(seen.code(), 79) << seen.err;
}

TEST_F(D24, ForwardsSignals) {
  auto running =
      start({"job", "--", "sh", "-c", "trap 'echo got it; exit 9' USR1; echo started; while :; do sleep 0.01; done"});
  ASSERT_TRUE(running.running().read_line(20s));
  running.running().signal(SIGUSR1);
  const outcome seen = running.finish();
  EXPECT_EQ(seen.out, "got it\n");
  EXPECT_EQ(seen.code(), 9);
}

TEST_F(D24, LimitsTheWait) {
  redis_.text({"SET", "job", "somebody"});
  const outcome seen = run({"-w", "0.3", "job", "--", "true"});
  EXPECT_EQ(seen.code(), 1);
  EXPECT_LT(seen.took, 5s);
}

}  // namespace
}  // namespace holdfast::test
