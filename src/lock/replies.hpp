// What the scripts answer, read into structs. A reply of another shape is `protocol`: a server that answers what the
// script cannot return is not one to trust with a lock.
#pragma once

#include <holdfast/result.hpp>

#include "resp/value.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace holdfast::lock {

struct acquire_reply {
  enum class kind : unsigned char { granted, queued, held } what{};
  std::uint64_t fence = 0;              // granted
  std::string slots;                    // granted, of permits on a quorum: which (`3,4`)
  std::uint64_t ticket = 0;             // queued
  std::int64_t rank = 0;                // queued; 0 is next
  std::chrono::milliseconds holds{-1};  // queued, held: the holder's remaining time; -1 without expiry
  std::string holder;                   // queued, held
};

enum class renew_reply : unsigned char { gone, kept, taken };
enum class release_reply : unsigned char { not_mine, released, handed_over };

result<acquire_reply> read_acquire(const resp::value& reply);
result<renew_reply> read_renew(const resp::value& reply);
result<release_reply> read_release(const resp::value& reply);

// A grant as it comes through the inbox: `<waiter> <ticket>`. The ticket is also the fencing number.
struct grant_message {
  std::uint64_t waiter = 0;
  std::uint64_t ticket = 0;
};
result<grant_message> read_grant(std::string_view message);

}  // namespace holdfast::lock
