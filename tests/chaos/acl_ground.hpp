// A server with a user of few rights, two clients that are that user, and what a lock does, once.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "chaos/bystander.hpp"
#include "support/rights.hpp"

namespace holdfast::test {

using namespace std::chrono_literals;

inline std::string user_with(const std::vector<std::string>& rights) {
  std::string line = "user app on >app-secret resetkeys resetchannels -@all";
  for (const auto& each : rights) line += " " + each;
  return line;
}

inline std::vector<std::string> all_rights() {
  auto all = needed_rights;
  all.insert(all.end(), optional_rights.begin(), optional_rights.end());
  return all;
}

// Everything that a mutex can use, and these.
inline std::vector<std::string> all_rights_and(const std::vector<std::string>& more) {
  auto rights = all_rights();
  rights.insert(rights.end(), more.begin(), more.end());
  return rights;
}

class acl : public testing::TestWithParam<std::string> {
 protected:
  void start(const std::vector<std::string>& rights, int protocol = 0) {
    server_.emplace(redis_options{.users = {user_with(rights)}});
    auto where = quick(server_->url());
    where.user = "app";
    where.password = "app-secret";
    where.protocol = protocol;
    where.command_timeout = 1s;
    first_.emplace(where);
    second_.emplace(where);
  }

  // Everything a lock does, once: take, extend, be renewed, wait in vain, wait for longer than a second, hand over, give
  // back. Returns the first refusal.
  std::optional<failure> do_everything() {
    auto held = first_->try_acquire("app:lock", {.ttl = 5s});
    if (!held) return held.failure();
    if (const auto extended = held->extend(std::nothrow, 5s); !extended) return extended.failure();
    const auto in_vain = second_->acquire(std::nothrow, "app:lock", {.ttl = 600ms, .wait = 100ms});
    if (in_vain.code() != errc::timed_out) return in_vain.failure();
    // What a waiter does whose grant was lost on the way: it finds itself the owner, and leaves the queue.
    const options same_owner{.ttl = 5s, .wait = 1s, .owner = std::string{held->owner()}};
    const auto again = first_->acquire(std::nothrow, "app:lock", same_owner);
    if (!again) return again.failure();
    std::optional<result<lease>> next;
    std::jthread waiter{[&] { next.emplace(second_->acquire(std::nothrow, "app:lock", {.ttl = 900ms, .wait = 10s})); }};
    std::this_thread::sleep_for(1600ms);  // old enough for its heartbeats to be written down
    EXPECT_EQ(held->state(), lease_state::VALID);
    const auto released = first_->release("app:lock", held->owner());
    if (!released) {
      EXPECT_EQ(server_->text({"DEL", "app:lock"}), "1");  // so that the waiter need not wait for the expiry
      held->release();
    }
    waiter.join();
    if (!released) return released.failure();
    if (!*next) return next->failure();
    EXPECT_GT((*next)->fence(), held->fence());
    if (const auto last = second_->release("app:lock", (*next)->owner()); !last) return last.failure();
    expect_nothing_left(*server_, 3s);
    return std::nullopt;
  }

  std::optional<redis_server> server_;
  std::optional<client> first_;
  std::optional<client> second_;
};

}  // namespace holdfast::test
