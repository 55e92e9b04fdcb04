#include "lock/replies.hpp"

#include "lock/server_error.hpp"

#include <algorithm>
#include <charconv>

namespace holdfast::lock {
namespace {

using resp::kind;
using resp::value;

failure odd(std::string_view script) {
  return {errc::protocol, "the answer to the " + std::string{script} + " script is not of a form that it can return"};
}

bool is_number(const value& v) { return v.type == kind::integer; }

bool is_array(const value& v, std::size_t least) { return v.type == kind::array && v.items.size() >= least; }

}  // namespace

result<acquire_reply> read_acquire(const value& reply) {
  if (reply.is_error()) return server_error(reply.text);
  if (!is_array(reply, 2) || !is_number(reply.items[0])) return odd("acquire");
  const auto& items = reply.items;
  acquire_reply out;
  switch (items[0].integer) {
    case 1:
      if (!is_number(items[1]) || items[1].integer < 0) return odd("acquire");
      out.what = acquire_reply::kind::granted;
      out.fence = static_cast<std::uint64_t>(items[1].integer);
      return out;
    case 2:
      if (items.size() < 5 || !is_number(items[1]) || !is_number(items[2]) || !is_number(items[3]) ||
          !items[4].is_text() || items[1].integer < 0 || items[2].integer < 0) {
        return odd("acquire");
      }
      out.what = acquire_reply::kind::queued;
      out.ticket = static_cast<std::uint64_t>(items[1].integer);
      out.rank = items[2].integer;
      out.holds = std::chrono::milliseconds{items[3].integer};
      out.holder = items[4].text;
      return out;
    case 0:
      if (items.size() < 3 || !is_number(items[1]) || !items[2].is_text()) return odd("acquire");
      out.what = acquire_reply::kind::held;
      out.holds = std::chrono::milliseconds{items[1].integer};
      out.holder = items[2].text;
      return out;
    default:
      return odd("acquire");
  }
}

result<renew_reply> read_renew(const value& reply) {
  if (reply.is_error()) return server_error(reply.text);
  if (!is_array(reply, 1) || !is_number(reply.items[0])) return odd("renew");
  switch (reply.items[0].integer) {
    case 0:
      return renew_reply::gone;
    case 1:
      return renew_reply::kept;
    case 2:
      return renew_reply::taken;
    default:
      return odd("renew");
  }
}

result<release_reply> read_release(const value& reply) {
  if (reply.is_error()) return server_error(reply.text);
  if (!is_number(reply) || reply.integer < 0 || reply.integer > 2) return odd("release");
  return static_cast<release_reply>(reply.integer);
}

result<grant_message> read_grant(std::string_view message) {
  grant_message out;
  const char* const end = message.data() + message.size();
  const auto waiter = std::from_chars(message.data(), end, out.waiter);
  if (waiter.ec == std::errc{} && waiter.ptr != end && *waiter.ptr == ' ') {
    const auto ticket = std::from_chars(waiter.ptr + 1, end, out.ticket);
    if (ticket.ec == std::errc{} && ticket.ptr == end) return out;
  }
  return failure{errc::protocol, "a message in the inbox is not a grant"};
}

bool looks_like_ours(std::string_view owner) noexcept {
  if (owner.size() < 36 || owner[owner.size() - 33] != ':') return false;
  const auto hex = owner.substr(owner.size() - 32);
  return hex.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

}  // namespace holdfast::lock
