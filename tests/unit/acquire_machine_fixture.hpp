// What the tests of acquire_machine start from: terms, answers, and a machine.
#pragma once

#include "lock/acquire_machine.hpp"

#include <gtest/gtest.h>

#include <string>

namespace holdfast::lock {

using runtime::never;
using runtime::time_point;
using std::chrono::milliseconds;
using std::chrono::seconds;

inline constexpr time_point t0{seconds{1000}};
inline constexpr milliseconds patience{1000};
inline const std::string our_holder = "host:1:0123456789abcdef0123456789abcdef";

inline terms waiting(bool queue = true) {
  terms how;
  how.ttl = seconds{30};
  how.stop_margin = seconds{1};
  how.queue = queue;
  return how;
}
inline terms limited(milliseconds wait) {
  terms how = waiting();
  how.forever = false;
  how.wait = wait;
  return how;
}
inline terms trying() {
  terms how = waiting();
  how.waits = false;
  return how;
}

inline acquire_reply granted(std::uint64_t fence) {
  acquire_reply reply;
  reply.what = acquire_reply::kind::granted;
  reply.fence = fence;
  return reply;
}
inline acquire_reply queued(std::uint64_t ticket, std::int64_t rank = 0, milliseconds holds = seconds{20},
                            const std::string& holder = our_holder) {
  acquire_reply reply;
  reply.what = acquire_reply::kind::queued;
  reply.ticket = ticket;
  reply.rank = rank;
  reply.holds = holds;
  reply.holder = holder;
  return reply;
}
inline acquire_reply held(milliseconds holds = seconds{20}) {
  acquire_reply reply;
  reply.what = acquire_reply::kind::held;
  reply.holds = holds;
  reply.holder = our_holder;
  return reply;
}

struct AcquireMachine : testing::Test {
  runtime::random_source random;
  acquire_machine make(const terms& how) { return {how, patience, random}; }
};

}  // namespace holdfast::lock
