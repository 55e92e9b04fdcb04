// A transaction in place of a script, without a server: what it sends, what it makes of every answer.
#include "lock/transaction.hpp"

#include "lock/replies.hpp"

#include <gtest/gtest.h>

namespace holdfast::lock {
namespace {

using resp::kind;
using resp::value;

value made(kind type, std::string text, std::int64_t number = 0) {
  value out;
  out.type = type;
  out.text = std::move(text);
  out.integer = number;
  return out;
}
value bulk(std::string text) { return made(kind::bulk, std::move(text)); }
value whole(std::int64_t number) { return made(kind::integer, {}, number); }
value bad(std::string text) { return made(kind::error, std::move(text)); }
value list(std::vector<value> items) {
  value out;
  out.type = kind::array;
  out.items = std::move(items);
  return out;
}
const value ok = made(kind::simple, "OK");
const value queued = made(kind::simple, "QUEUED");
const value nothing{};
const value clock_now = list({bulk("1794777060"), bulk("182298")});

transaction acquire(const char* fence = "1") {
  return {scripts::acquire, {"k", "{k}:waiters", "{k}:seen", "f", "me", "5000", "entry", fence, "1"}, 4};
}
transaction release(bool note = false) {
  return note ? transaction{scripts::release, {"k", "w", "s", "f", "n", "me", ""}, 5}
              : transaction{scripts::release, {"k", "w", "s", "f", "me", ""}, 4};
}
transaction renew() { return {scripts::renew, {"k", "me", "5000"}, 1}; }

// Commands of the round, a line each.
std::string sent(const transaction& what) {
  std::string out;
  for (const auto& command : what.round()) {
    for (const auto& word : command) out += (out.empty() || out.back() == '\n' ? "" : " ") + word;
    out += '\n';
  }
  return out;
}
// What an acquire sees.
std::vector<value> sight(value holder, std::int64_t left = -2, value head = list({})) {
  return {ok, ok, std::move(holder), whole(left), std::move(head), clock_now};
}
std::string text_of(const std::optional<value>& answer) { return answer ? answer->text : "(goes on)"; }

TEST(Transaction, StandsInForThePlainLocksScriptsOnly) {
  EXPECT_TRUE(transaction::knows(scripts::acquire));
  EXPECT_FALSE(transaction::knows(scripts::share_acquire));
  EXPECT_TRUE(works_without_scripts(*plain()));
  EXPECT_FALSE(works_without_scripts(*signalling("list")));
  flavour elected;
  elected.release = &scripts::elector_release;
  EXPECT_FALSE(works_without_scripts(elected));
  EXPECT_EQ(needs_scripts("a latch").code, errc::bad_option);
}

TEST(Transaction, AcquireLooksThenSetsAndDrawsInOneStep) {
  transaction step = acquire();
  EXPECT_EQ(sent(step), "UNWATCH\nWATCH k {k}:waiters\nGET k\nPTTL k\nZRANGE {k}:waiters 0 0 WITHSCORES\nTIME\n");
  ASSERT_FALSE(step.answered(sight(nothing)));
  EXPECT_EQ(sent(step), "MULTI\nSET k me NX PX 5000\nSET f 1794777060182298 NX EX 604800\nINCR f\nEXEC\n");
  const auto done =
      step.answered(std::vector<value>{ok, queued, queued, queued, list({ok, ok, whole(1794777060182299)})});
  EXPECT_EQ(text_of(done), "granted 1794777060182299");
}

TEST(Transaction, WithoutAFenceNothingIsDrawn) {
  transaction step = acquire("0");
  ASSERT_FALSE(step.answered(sight(nothing)));
  EXPECT_EQ(sent(step), "MULTI\nSET k me NX PX 5000\nEXEC\n");
  EXPECT_EQ(text_of(step.answered(std::vector<value>{ok, queued, list({ok})})), "granted 0");
}

TEST(Transaction, AcquireTellsWhoHasIt) {
  EXPECT_EQ(text_of(acquire().answered(sight(bulk("you"), 700))), "held 700 you");
  EXPECT_EQ(text_of(acquire().answered(sight(bulk("you"), -1))), "held -1 you");
  EXPECT_EQ(text_of(acquire().answered(sight(bulk("you"), -2))), "held 0 you") << "ended since";
  EXPECT_EQ(text_of(acquire().answered(sight(bad("WRONGTYPE x")))), "WRONGTYPE x");
}

TEST(Transaction, AcquireDoesNotOvertakeTheQueue) {
  const value flat = list({bulk("3000:ff:1:first"), bulk("1794777060182000")});
  EXPECT_EQ(text_of(acquire().answered(sight(nothing, -2, flat))), "held 0 first");
  value score = made(kind::real, {});
  score.real = 1794777060182000.0;
  EXPECT_EQ(text_of(acquire().answered(sight(nothing, -2, list({list({bulk("3000:ff:1:first"), score})})))),
            "held 0 first")
      << "RESP3";
}

TEST(Transaction, WhatIsMineAlreadyIsGrantedAgainBelowThoseWhoWait) {
  transaction alone = acquire();
  ASSERT_FALSE(alone.answered(sight(bulk("me"), 100)));
  EXPECT_EQ(sent(alone), "MULTI\nPEXPIRE k 5000\nSET f 1794777060182298 NX EX 604800\nINCR f\nEXEC\n");
  transaction awaited = acquire();
  ASSERT_FALSE(awaited.answered(sight(bulk("me"), 100, list({bulk("3000:ff:1:x"), bulk("1794777060182000")}))));
  EXPECT_EQ(sent(awaited), "MULTI\nPEXPIRE k 5000\nEXEC\n");
  EXPECT_EQ(text_of(awaited.answered(std::vector<value>{ok, queued, list({whole(1)})})), "granted 1794777060181999");
}

TEST(Transaction, WhatChangedOrEndedMeanwhileIsLookedAtAgain) {
  transaction step = acquire();
  ASSERT_FALSE(step.answered(sight(nothing)));
  ASSERT_FALSE(step.answered(std::vector<value>{ok, queued, queued, queued, nothing}));
  EXPECT_EQ(step.round().front().front(), "UNWATCH");
  EXPECT_EQ(text_of(step.answered(sight(bulk("you"), 10))), "held 10 you");

  transaction ended = acquire("0");
  ASSERT_FALSE(ended.answered(sight(bulk("me"), 1)));
  ASSERT_FALSE(ended.answered(std::vector<value>{ok, queued, list({whole(0)})})) << "PEXPIRE found nothing";
  EXPECT_EQ(ended.round().front().front(), "UNWATCH");
}

TEST(Transaction, DoesNotGoOnForEver) {
  transaction step = release();
  for (int i = 0; i < 1000; ++i) {
    ASSERT_FALSE(step.answered(std::vector<value>{ok, ok, bulk("me")}));
    const auto end = step.answered(std::vector<value>{ok, queued, nothing});
    if (!end) continue;
    EXPECT_EQ(read_release(*end).code(), errc::server_busy);
    return;
  }
  FAIL() << "still going";
}

TEST(Transaction, ReleaseDeletesWhatIsMine) {
  transaction mine = release();
  EXPECT_EQ(sent(mine), "UNWATCH\nWATCH k\nGET k\n");
  ASSERT_FALSE(mine.answered(std::vector<value>{ok, ok, bulk("me")}));
  EXPECT_EQ(sent(mine), "MULTI\nDEL k\nEXEC\n");
  EXPECT_EQ(mine.answered(std::vector<value>{ok, queued, list({whole(1)})})->integer, 1);
  for (const value& other : {nothing, bulk("you"), bad("WRONGTYPE x")}) {
    EXPECT_EQ(release().answered(std::vector<value>{ok, ok, other})->integer, 0);
  }
  transaction noted = release(true);
  ASSERT_FALSE(noted.answered(std::vector<value>{ok, ok, bulk("me")}));
  EXPECT_EQ(sent(noted), "MULTI\nDEL k\nDEL n\nEXEC\n");
  EXPECT_EQ(noted.answered(std::vector<value>{ok, queued, queued, list({whole(1), whole(0)})})->integer, 1);
}

TEST(Transaction, RenewKeepsWhatIsMine) {
  transaction mine = renew();
  ASSERT_FALSE(mine.answered(std::vector<value>{ok, ok, bulk("me")}));
  EXPECT_EQ(sent(mine), "MULTI\nPEXPIRE k 5000\nEXEC\n");
  EXPECT_EQ(text_of(mine.answered(std::vector<value>{ok, queued, list({whole(1)})})), "kept");
  transaction ended = renew();
  ASSERT_FALSE(ended.answered(std::vector<value>{ok, ok, bulk("me")}));
  EXPECT_EQ(text_of(ended.answered(std::vector<value>{ok, queued, list({whole(0)})})), "gone");
  EXPECT_EQ(text_of(renew().answered(std::vector<value>{ok, ok, nothing})), "gone");
  EXPECT_EQ(text_of(renew().answered(std::vector<value>{ok, ok, bulk("you")})), "taken");
  EXPECT_EQ(text_of(renew().answered(std::vector<value>{ok, ok, bad("WRONGTYPE x")})), "taken");
}

TEST(Transaction, TellsTheFirstRefusal) {
  const value refused = bad("NOPERM no");
  EXPECT_EQ(text_of(renew().answered(std::vector<value>{ok, refused, bulk("me")})), "NOPERM no");
  transaction step = release();
  ASSERT_FALSE(step.answered(std::vector<value>{ok, ok, bulk("me")}));
  EXPECT_EQ(text_of(step.answered(std::vector<value>{ok, refused, bad("EXECABORT x")})), "NOPERM no");
  transaction exec = release();
  ASSERT_FALSE(exec.answered(std::vector<value>{ok, ok, bulk("me")}));
  const value aborted = bad("EXECABORT Transaction discarded because of: NOPERM no");
  EXPECT_EQ(text_of(exec.answered(std::vector<value>{ok, queued, aborted})), "NOPERM no");
}

TEST(Transaction, AnAcquireThatWentHalfWayIsUndone) {
  transaction step = acquire();
  ASSERT_FALSE(step.answered(sight(nothing)));
  const value failed = bad("ERR value is not an integer or out of range");
  ASSERT_FALSE(step.answered(std::vector<value>{ok, queued, queued, queued, list({ok, nothing, failed})}));
  EXPECT_EQ(sent(step), "UNWATCH\nWATCH k\nGET k\n");
  ASSERT_FALSE(step.answered(std::vector<value>{ok, ok, bulk("me")}));
  EXPECT_EQ(sent(step), "MULTI\nDEL k\nEXEC\n");
  EXPECT_EQ(text_of(step.answered(std::vector<value>{ok, queued, list({whole(1)})})), failed.text);
}

TEST(Transaction, AnswersOfAnotherFormAreNoLock) {
  EXPECT_EQ(read_acquire(*acquire().answered(sight(whole(3)))).code(), errc::protocol);
  EXPECT_EQ(read_acquire(*acquire().answered(sight(nothing, -2, bulk("x")))).code(), errc::protocol);
  EXPECT_EQ(read_acquire(*acquire().answered(std::vector<value>{ok})).code(), errc::protocol);
  auto no_clock = sight(nothing);
  no_clock.back() = bulk("late");
  EXPECT_EQ(read_acquire(*acquire().answered(no_clock)).code(), errc::protocol);
  transaction step = renew();
  ASSERT_FALSE(step.answered(std::vector<value>{ok, ok, bulk("me")}));
  EXPECT_EQ(read_renew(*step.answered(std::vector<value>{ok, queued, ok})).code(), errc::protocol);
}

}  // namespace
}  // namespace holdfast::lock
