#include "lock/snapshot.hpp"

#include "lock/leader_record.hpp"
#include "lock/owner_text.hpp"
#include "lock/server_error.hpp"
#include "lock/take.hpp"

#include <algorithm>
#include <array>
#include <map>

namespace holdfast::lock {
namespace {

using resp::kind;
using resp::value;
using std::chrono::microseconds;
using std::chrono::milliseconds;

std::optional<lock_layout> read_layout(std::string_view word) noexcept {
  static constexpr std::array known{lock_layout::none,          lock_layout::plain,          lock_layout::redisson,
                                    lock_layout::redisson_read, lock_layout::redisson_write, lock_layout::shares,
                                    lock_layout::meeting,       lock_layout::other};
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
    // The entry of a share begins with its weight, `2*…`; with `1^…`, where a reader wants to be the writer.
    const std::string_view entry = items[i].text;
    std::uint64_t weight = 1;
    const auto mark = entry.find_first_not_of("0123456789");
    if (mark != std::string_view::npos && (entry[mark] == '*' || entry[mark] == '^')) {
      if (!is_whole_number(entry.substr(0, mark), weight)) weight = 1;
    }
    out.waiters.push_back({std::string{owner}, std::move(where.host), where.pid,
                           microseconds{std::max<std::int64_t>(now - ticket, 0)}, weight});
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

// Shares have their weight in front of the owner, and each its own end.
bool read_holders(const std::vector<value>& owners, const std::vector<value>& numbers, std::int64_t now,
                  lock_info& out) {
  const bool shares = out.layout == lock_layout::shares;
  if (!all_text(numbers) || (!numbers.empty() && numbers.size() != owners.size())) return false;
  for (std::size_t i = 0; i < owners.size(); ++i) {
    lock_holder who;
    std::string_view owner = owners[i].text;
    if (shares) {
      const auto colon = owner.find(':');
      if (colon == std::string_view::npos || !is_whole_number(owner.substr(0, colon), who.weight)) return false;
      owner.remove_prefix(colon + 1);
      out.in_use += who.weight;
    }
    if (!numbers.empty()) {
      std::int64_t number = 0;
      if (!is_whole_number(numbers[i].text, number) || number < 0) return false;
      if (shares) {
        who.remaining = milliseconds{std::max<std::int64_t>(number - now, 0) / 1000};
      } else {
        who.weight = static_cast<std::uint64_t>(number);
      }
    }
    place where = place_of(owner);
    who.owner = owner;
    who.host = std::move(where.host);
    who.pid = where.pid;
    out.held_by.push_back(std::move(who));
  }
  if (out.held_by.empty()) return true;
  out.holders = out.held_by.size();
  out.owner = out.held_by.front().owner;
  out.host = out.held_by.front().host;
  out.pid = out.held_by.front().pid;
  return true;
}

// What the script tells beyond what all locks have.
struct telling {
  std::string_view of(std::string_view word) const {
    for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
      if (items[i].text == word) return items[i + 1].text;
    }
    return {};
  }
  std::optional<std::uint64_t> number(std::string_view word) const {
    std::uint64_t out = 0;
    return is_whole_number(of(word), out) ? std::optional{out} : std::nullopt;
  }

  const std::vector<value>& items;
};

// '<term> <owner size> <owner><id>': of this holder; an older one's record means nothing.
bool read_leadership(std::string_view record, lock_info& out) {
  auto who = read_leader(record);
  if (!who || who->owner != out.owner) return false;
  out.fence = who->term;
  out.leader = std::move(who->id);
  return true;
}

// False: the meeting is not whole.
bool read_kind(const telling& words, lock_info& out) {
  switch (out.layout) {
    case lock_layout::plain:
      out.kind = read_leadership(words.of("leader"), out)                                         ? lock_kind::elector
                 : !words.of("value").empty() || std::string_view{out.name}.starts_with("cache:") ? lock_kind::cache
                                                                                                  : lock_kind::mutex;
      return true;
    case lock_layout::redisson:
    case lock_layout::redisson_fair:
      out.kind = lock_kind::recursive_mutex;
      out.fence = words.number("fence");
      return true;
    case lock_layout::redisson_read:
    case lock_layout::redisson_write:
      out.kind = lock_kind::shared_mutex;
      return true;
    case lock_layout::shares:
      out.capacity = words.number("capacity");
      out.kind = out.capacity ? lock_kind::semaphore : lock_kind::shared_mutex;
      return true;
    case lock_layout::meeting: {
      const auto expected = words.number("expected");
      const auto members = words.number("members");
      const auto missing = words.number("left");
      const auto phase = words.number("phase");
      if (!expected || !members || !missing || !phase) return false;
      out.kind = words.of("kind") == "latch" ? lock_kind::latch : lock_kind::barrier;
      out.meeting = {*expected, *members, *missing, *phase};
      return true;
    }
    default:
      return true;
  }
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
  if (!reply.is_list() || items.size() != 10 || !items[0].is_text() || !items[1].is_text() || !items[2].is_text() ||
      items[3].type != kind::integer || !items[4].is_list() || items[5].type != kind::integer || !items[6].is_list() ||
      !items[7].is_text() || items[5].integer < 0 || !all_text(items[4].items) || !items[8].is_list() ||
      !items[9].is_list() || !all_text(items[9].items)) {
    return odd_answer("inspect");
  }
  lock_info out;
  out.key = key;
  out.name = key.substr(std::min(prefix, key.size()));
  out.type = items[0].text;
  const auto layout = read_layout(items[1].text);
  std::int64_t now = 0;
  if (!layout || !is_whole_number(items[2].text, now)) return odd_answer("inspect");
  out.layout = *layout;
  out.held = !items[4].items.empty();
  const bool can_be_held =
      out.layout != lock_layout::none && out.layout != lock_layout::meeting && out.layout != lock_layout::other;
  if (out.held != can_be_held) return odd_answer("inspect");
  if (items[3].integer >= 0) out.remaining = milliseconds{items[3].integer};
  if (!read_holders(items[4].items, items[8].items, now, out)) return odd_answer("inspect");
  if (!read_kind({items[9].items}, out)) return odd_answer("inspect");
  if (out.held) read_note(items[7].text, now, out);
  out.waiting = static_cast<std::uint64_t>(items[5].integer);
  if (!read_waiters(items[6].items, now, out)) return odd_answer("inspect");
  return std::optional{std::move(out)};
}

void find_together(std::span<lock_info> found) {
  std::map<std::string_view, std::vector<lock_info*>> by_owner;
  for (lock_info& each : found) {
    if (each.kind == lock_kind::mutex && !inbox_of_owner(each.owner).empty()) by_owner[each.owner].push_back(&each);
  }
  for (const auto& [owner, all] : by_owner) {
    if (all.size() < 2) continue;
    for (lock_info* each : all) {
      each->kind = lock_kind::multi_lock;
      for (const lock_info* other : all) {
        if (other != each) each->together.push_back(other->name);
      }
    }
  }
}

failure changed_holder(std::string_view now) {
  return {errc::not_owner,
          "the holder has changed: now it is " + std::string{now} + "; nothing was broken, look again"};
}

failure nothing_to_break(std::string_view key) {
  return {errc::not_owner, "nobody holds " + std::string{key} + ": there is nothing to break"};
}

result<broken_lock> read_break(const value& reply, std::string_view key) {
  if (reply.is_error()) return server_error(reply.text);
  const auto& items = reply.items;
  if (!reply.is_list() || items.empty() || !items[0].is_text()) return odd_answer("break");
  const std::string& word = items[0].text;
  if (word == "broken") {
    if (items.size() != 5 || !items[1].is_text() || !items[2].is_text() || items[3].type != kind::integer ||
        items[4].type != kind::integer || items[4].integer < 1) {
      return odd_answer("break");
    }
    return broken_lock{items[1].text, items[2].text, items[3].integer >= items[4].integer,
                       static_cast<std::uint64_t>(items[4].integer)};
  }
  if (word == "changed" && items.size() == 2 && items[1].is_text()) {
    return changed_holder(items[1].text);
  }
  if (word == "none") return nothing_to_break(key);
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
