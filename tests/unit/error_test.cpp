// Errors: every errc has a name of its own, fits std::error_code, and the exception carries what the failure did.
#include <holdfast/error.hpp>
#include <holdfast/lease.hpp>
#include <holdfast/loss.hpp>
#include <holdfast/result.hpp>

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace holdfast {
namespace {

TEST(Error, EveryErrcHasANameOfItsOwn) {
  std::set<std::string_view> names;
  for (unsigned code = 1; code <= static_cast<unsigned>(errc::not_replicated); ++code) {
    const auto name = to_string(static_cast<errc>(code));
    EXPECT_NE(name, "unknown") << code;
    EXPECT_TRUE(names.insert(name).second) << name;
  }
  EXPECT_EQ(names.size(), 18U);
  EXPECT_EQ(to_string(static_cast<errc>(static_cast<unsigned>(errc::not_replicated) + 1)), "unknown")
      << "not_replicated is the last; a later errc belongs into this test and the guide";
}

TEST(Error, OtherEnumsHaveNames) {
  EXPECT_EQ(to_string(lease_state::VALID), "VALID");
  EXPECT_EQ(to_string(lease_state::JEOPARDY), "JEOPARDY");
  EXPECT_EQ(to_string(lease_state::LOST), "LOST");
  EXPECT_EQ(to_string(release_outcome::released), "released");
  EXPECT_EQ(to_string(release_outcome::was_lost), "was_lost");
  EXPECT_EQ(to_string(release_outcome::unknown), "unknown");
  std::set<std::string_view> causes;
  for (const auto cause : {loss_cause::expired, loss_cause::gone, loss_cause::taken, loss_cause::broken,
                           loss_cause::max_hold, loss_cause::closed, loss_cause::failover}) {
    EXPECT_TRUE(causes.insert(to_string(cause)).second);
  }
  EXPECT_FALSE(causes.contains("unknown"));
}

TEST(Error, ErrcConvertsToErrorCode) {
  const std::error_code code = errc::timed_out;
  EXPECT_EQ(code.category(), category());
  EXPECT_STREQ(code.category().name(), "holdfast");
  EXPECT_EQ(code.message(), "timed_out");
  EXPECT_EQ(code, errc::timed_out);
  EXPECT_TRUE(code) << "no errc is 0, which would mean success";
}

TEST(Error, TheExceptionCarriesCodeTextAndDelivery) {
  const error thrown{failure{errc::unreachable, "no answer from Redis", delivery::unanswered}};
  EXPECT_EQ(thrown.kind(), errc::unreachable);
  EXPECT_EQ(thrown.sent(), delivery::unanswered);
  EXPECT_EQ(thrown.code(), errc::unreachable);
  EXPECT_NE(std::string{thrown.what()}.find("no answer from Redis"), std::string::npos);
  EXPECT_NE(std::string{thrown.what()}.find("unreachable"), std::string::npos);
}

TEST(Error, AResultThrowsItsFailureWhenAskedForTheValue) {
  const result<int> good{7};
  EXPECT_TRUE(good);
  EXPECT_EQ(good.value(), 7);
  const result<int> bad{failure{errc::held, "by somebody"}};
  EXPECT_FALSE(bad);
  EXPECT_EQ(bad.code(), errc::held);
  try {
    static_cast<void>(bad.value());
    FAIL() << "value() must throw";
  } catch (const error& thrown) {
    EXPECT_EQ(thrown.kind(), errc::held);
  }
  const result<void> nothing;
  EXPECT_TRUE(nothing);
  EXPECT_NO_THROW(nothing.value());
  const result<void> failed{failure{errc::lost, "x"}};
  EXPECT_THROW(failed.value(), error);
  EXPECT_EQ(failed.code(), errc::lost);
}

}  // namespace
}  // namespace holdfast
