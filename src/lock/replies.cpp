#include "lock/replies.hpp"

#include "lock/server_error.hpp"
#include "lock/take.hpp"

#include <optional>

namespace holdfast::lock {
namespace {

using resp::kind;
using resp::value;

// What is left of the holder's lease, and its id, which is the rest whatever bytes it has.
bool take_holder(std::string_view text, acquire_reply& out) {
  std::int64_t left = 0;
  if (!take_number(text, left)) return false;
  out.holds = std::chrono::milliseconds{left};
  out.holder = text;
  return true;
}

// Why a share cannot be had, now or later (share_acquire.lua).
std::optional<failure> read_refusal(std::string_view text) {
  if (text == "lost") return failure{errc::lost, "the share that was to be upgraded is over; acquire the lock again"};
  if (text == "deadlock") {
    return failure{errc::deadlock,
                   "another reader waits to be upgraded, and neither would give way; release this share and lock"};
  }
  if (text == "passed_over") {
    return failure{errc::deadlock, "those who wait were passed over by too many upgrades; release this share and lock"};
  }
  std::uint64_t capacity = 0;
  if (take_word(text, "too_many ") && is_whole_number(text, capacity)) {
    return failure{errc::bad_option,
                   "more permits than there are were asked for; the capacity is " + std::to_string(capacity)};
  }
  return std::nullopt;
}

}  // namespace

result<acquire_reply> read_acquire(const value& reply) {
  if (reply.is_error()) return server_error(reply.text);
  acquire_reply out;
  if (reply.type != kind::bulk) return odd_answer("acquire");
  std::string_view text = reply.text;
  if (take_word(text, "granted ")) {
    out.what = acquire_reply::kind::granted;
    if (is_whole_number(text, out.fence)) return out;
    // Of our own making (acquire_ballot): no server names slots here.
    if (take_number(text, out.fence) && text.find_first_not_of("0123456789,") == std::string_view::npos) {
      out.slots = text;
      if (!text.empty()) return out;
    }
  } else if (take_word(text, "queued ")) {
    out.what = acquire_reply::kind::queued;
    if (take_number(text, out.ticket) && take_number(text, out.rank) && out.rank >= 0 && take_holder(text, out)) {
      return out;
    }
  } else if (take_word(text, "held ")) {
    out.what = acquire_reply::kind::held;
    if (take_holder(text, out)) return out;
  } else if (take_word(text, "refused ")) {
    if (const auto why = read_refusal(text)) return *why;
  }
  return odd_answer("acquire");
}

result<renew_reply> read_renew(const value& reply) {
  if (reply.is_error()) return server_error(reply.text);
  if (reply.type == kind::bulk) {
    if (reply.text == "kept") return renew_reply::kept;
    if (reply.text == "gone") return renew_reply::gone;
    if (reply.text == "taken") return renew_reply::taken;
  }
  return odd_answer("renew");
}

result<release_reply> read_release(const value& reply) {
  if (reply.is_error()) return server_error(reply.text);
  if (reply.type != kind::integer || reply.integer < 0 || reply.integer > 2) return odd_answer("release");
  return static_cast<release_reply>(reply.integer);
}

result<grant_message> read_grant(std::string_view message) {
  grant_message out;
  if (take_number(message, out.waiter) && is_whole_number(message, out.ticket)) return out;
  return failure{errc::protocol, "a message in the inbox is not a grant"};
}

}  // namespace holdfast::lock
