#include "lock/snapshot.hpp"

#include "lock/owner_text.hpp"
#include "lock/server_error.hpp"
#include "lock/take.hpp"

#include <algorithm>
#include <array>

namespace holdfast::lock {
namespace {

using resp::kind;
using resp::value;
using std::chrono::microseconds;
using std::chrono::milliseconds;

failure odd(std::string_view script) {
  return {errc::protocol, "the answer to the " + std::string{script} + " script is not of a form that it can return"};
}

std::optional<lock_layout> read_layout(std::string_view word) noexcept {
  static constexpr std::array known{lock_layout::none,          lock_layout::plain,          lock_layout::redisson,
                                    lock_layout::redisson_read, lock_layout::redisson_write, lock_layout::shares,
                                    lock_layout::other};
  for (const lock_layout each : known) {
    if (to_string(each) == word) return each;
  }
  return std::nullopt;
}

bool all_text(const std::vector<value>& items) {
  return std::all_of(items.begin(), items.end(), [](const value& each) { return each.is_text(); });
}

bool read_waiters(const std::vector<value>& items, std::int64_t now, lock_info& out) {
  if (items.size() % 2 != 0 || !all_text(items)) return false;
  for (std::size_t i = 0; i < items.size(); i += 2) {
    const std::string_view owner = owner_of_entry(items[i].text);
    std::int64_t ticket = 0;
    if (!is_whole_number(items[i + 1].text, ticket)) return false;
    place where = place_of(owner);
    out.waiters.push_back(
        {std::string{owner}, std::move(where.host), where.pid, microseconds{std::max<std::int64_t>(now - ticket, 0)}});
  }
  return true;
}

// `<fence> <since µs> <owner>`, of this holder; an older one's note means nothing.
void read_note(std::string_view note, std::int64_t now, lock_info& out) {
  std::uint64_t fence = 0;
  std::int64_t since = 0;
  if (!take_number(note, fence) || !take_number(note, since) || note != out.owner) return;
  out.contact = contact::left;
  out.fence = fence;
  out.held_for = microseconds{std::max<std::int64_t>(now - since, 0)};
}

// `<weight>:<owner>` each: the sum of the weights, and the first one's owner.
bool read_shares(const std::vector<value>& items, lock_info& out) {
  for (const value& each : items) {
    const auto colon = each.text.find(':');
    std::uint64_t weight = 0;
    if (colon == std::string::npos || !is_whole_number(std::string_view{each.text}.substr(0, colon), weight))
      return false;
    out.in_use += weight;
  }
  out.owner = items.front().text.substr(items.front().text.find(':') + 1);
  return true;
}

std::string helper(std::string_view start, std::string_view key) {
  const bool tagged = key.find('{') != std::string_view::npos;
  return std::string{start}.append(tagged ? ":" : ":{").append(key).append(tagged ? "" : "}");
}

}  // namespace

result<std::optional<lock_info>> read_snapshot(const value& reply, std::string_view key, std::size_t prefix) {
  if (reply.is_error()) return server_error(reply.text);
  if (reply.is_null()) return std::optional<lock_info>{};
  const auto& items = reply.items;
  if (!reply.is_list() || items.size() != 8 || !items[0].is_text() || !items[1].is_text() || !items[2].is_text() ||
      items[3].type != kind::integer || !items[4].is_list() || items[5].type != kind::integer || !items[6].is_list() ||
      !items[7].is_text() || items[5].integer < 0 || !all_text(items[4].items)) {
    return odd("inspect");
  }
  lock_info out;
  out.key = key;
  out.name = key.substr(std::min(prefix, key.size()));
  out.type = items[0].text;
  const auto layout = read_layout(items[1].text);
  std::int64_t now = 0;
  if (!layout || !is_whole_number(items[2].text, now)) return odd("inspect");
  out.layout = *layout;
  out.held = !items[4].items.empty();
  const bool lock = out.layout != lock_layout::none && out.layout != lock_layout::other;
  if (out.held != lock) return odd("inspect");
  if (items[3].integer >= 0) out.remaining = milliseconds{items[3].integer};
  if (out.held) {
    out.owner = items[4].items.front().text;
    if (out.layout == lock_layout::shares && !read_shares(items[4].items, out)) return odd("inspect");
    out.holders = items[4].items.size();
    place where = place_of(out.owner);
    out.host = std::move(where.host);
    out.pid = where.pid;
    read_note(items[7].text, now, out);
  }
  out.waiting = static_cast<std::uint64_t>(items[5].integer);
  if (!read_waiters(items[6].items, now, out)) return odd("inspect");
  return std::optional{std::move(out)};
}

result<broken_lock> read_break(const value& reply, std::string_view key) {
  if (reply.is_error()) return server_error(reply.text);
  const auto& items = reply.items;
  if (!reply.is_list() || items.empty() || !items[0].is_text()) return odd("break");
  const std::string& word = items[0].text;
  if (word == "broken") {
    if (items.size() != 5 || !items[1].is_text() || !items[2].is_text() || items[3].type != kind::integer ||
        items[4].type != kind::integer || items[4].integer < 1) {
      return odd("break");
    }
    return broken_lock{items[1].text, items[2].text, items[3].integer >= items[4].integer,
                       static_cast<std::uint64_t>(items[4].integer)};
  }
  if (word == "changed" && items.size() == 2 && items[1].is_text()) {
    return failure{errc::not_owner,
                   "the holder has changed: now it is " + items[1].text + "; nothing was broken, look again"};
  }
  if (word == "none")
    return failure{errc::not_owner, "nobody holds " + std::string{key} + ": there is nothing to break"};
  return failure{errc::wrong_type,
                 "the key " + std::string{key} + " holds a " + word + " that is not a lock; it was left as it is"};
}

std::string redisson_queue(std::string_view key) { return helper("redisson_lock_queue", key); }
std::string redisson_channel(std::string_view key) { return helper("redisson_lock__channel", key); }
std::string redisson_read_write_channel(std::string_view key) { return helper("redisson_rwlock", key); }
std::string redisson_stem(std::string_view key) {
  if (key.find('{') != std::string_view::npos) return std::string{key};
  return std::string{"{"}.append(key).append("}");
}

}  // namespace holdfast::lock
