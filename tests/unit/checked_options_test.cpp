// options -> terms: the defaults, every bound from both sides, and that a refusal names the option.
#include "lock/checked_options.hpp"

#include <gtest/gtest.h>

namespace holdfast::lock {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

void refuses(const options& how, std::string_view word) {
  const auto checked = check(how);
  ASSERT_FALSE(checked) << word;
  EXPECT_EQ(checked.code(), errc::bad_option) << word;
  EXPECT_NE(checked.failure().detail.find(word), std::string::npos) << checked.failure().detail;
}

TEST(CheckedOptions, DefaultsAreFilledIn) {
  const auto terms = check({});
  ASSERT_TRUE(terms);
  EXPECT_EQ(terms->ttl, milliseconds{30'000});
  EXPECT_EQ(terms->stop_margin, milliseconds{1000}) << "a tenth of ttl, at most 1 s";
  EXPECT_EQ(terms->max_hold, runtime::duration{0});
  EXPECT_TRUE(terms->waits && terms->forever && terms->renew && terms->fence && terms->queue);
}

TEST(CheckedOptions, TheStopMarginFollowsAShortTtl) {
  options how;
  how.ttl = milliseconds{500};
  EXPECT_EQ(check(how)->stop_margin, milliseconds{50});
}

TEST(CheckedOptions, SwitchesAndLimitsAreCarriedOver) {
  options how;
  how.renew = how.fence = how.queue = false;
  how.wait = milliseconds{7};
  how.max_hold = milliseconds{700};
  how.stop_margin = milliseconds{0};
  how.retry = {milliseconds{3}, milliseconds{4}};
  const auto terms = check(how);
  ASSERT_TRUE(terms);
  EXPECT_FALSE(terms->renew || terms->fence || terms->queue || terms->forever);
  EXPECT_EQ(terms->wait, milliseconds{7});
  EXPECT_EQ(terms->max_hold, milliseconds{700});
  EXPECT_EQ(terms->stop_margin, milliseconds{0});
  EXPECT_EQ(terms->retry.first, milliseconds{3});
  EXPECT_EQ(terms->retry.most, milliseconds{4});
}

TEST(CheckedOptions, TtlIsBetween100MillisecondsAndAYear) {
  const auto ttl = [](milliseconds value) {
    options how;
    how.ttl = value;
    return how;
  };
  EXPECT_TRUE(check(ttl(milliseconds{100})));
  EXPECT_TRUE(check(ttl(hours{24 * 365})));
  for (const milliseconds bad : {milliseconds{99}, milliseconds{0}, milliseconds{-1}, milliseconds::max(),
                                 milliseconds::min(), milliseconds{hours{24 * 365}} + milliseconds{1}}) {
    refuses(ttl(bad), "ttl");
    EXPECT_EQ(check_ttl(bad).code(), errc::bad_option);
  }
}

TEST(CheckedOptions, StopMarginIsLessThanHalfOfTtl) {
  options how;
  how.ttl = milliseconds{1000};
  how.stop_margin = milliseconds{499};
  EXPECT_TRUE(check(how));
  for (const milliseconds bad : {milliseconds{500}, milliseconds{-1}, milliseconds::max(), milliseconds::min()}) {
    how.stop_margin = bad;
    refuses(how, "stop_margin");
  }
}

TEST(CheckedOptions, MaxHoldHasTheBoundsOfTtl) {
  options how;
  how.max_hold = milliseconds{100};
  EXPECT_TRUE(check(how));
  for (const milliseconds bad : {milliseconds{99}, milliseconds{0}, milliseconds{-5}, milliseconds::max()}) {
    how.max_hold = bad;
    refuses(how, "max_hold");
  }
}

TEST(CheckedOptions, WaitIsPositiveAndAtMostTenYears) {
  options how;
  how.wait = milliseconds{1};
  EXPECT_TRUE(check(how));
  for (const milliseconds bad : {milliseconds{0}, milliseconds{-1}, milliseconds::max(), milliseconds::min()}) {
    how.wait = bad;
    refuses(how, "wait");
  }
}

TEST(CheckedOptions, RetryMustMakeSense) {
  options how;
  for (const backoff bad : {backoff{milliseconds{0}, milliseconds{5}}, backoff{milliseconds{-1}, milliseconds{5}},
                            backoff{milliseconds{6}, milliseconds{5}}, backoff{milliseconds{1}, milliseconds::max()}}) {
    how.retry = bad;
    refuses(how, "retry");
  }
}

TEST(CheckedOptions, AnOwnerThatIsTooLongIsRefused) {
  options how;
  how.owner = std::string(256, 'o');
  EXPECT_TRUE(check(how));
  how.owner += 'o';
  refuses(how, "owner");
}

}  // namespace
}  // namespace holdfast::lock
