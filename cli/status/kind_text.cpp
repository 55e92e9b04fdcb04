#include "status/kind_text.hpp"

#include "duration.hpp"
#include "terminal.hpp"

#include <algorithm>

namespace holdfast::cli {
namespace {

constexpr std::uint64_t writer_weight = 100'000'000;

std::string counted(std::uint64_t count, std::string_view one, std::string_view many) {
  return std::to_string(count) + " " + std::string{count == 1 ? one : many};
}

bool is_written(const lock_info& lock) {
  if (lock.layout == lock_layout::redisson_write) return true;
  return lock.kind == lock_kind::shared_mutex && !lock.held_by.empty() && lock.held_by[0].weight == writer_weight;
}

// "2 of 16 are missing"
std::string missing_text(const lock_meeting& what) {
  return std::to_string(what.missing) + " of " + std::to_string(what.members) +
         (what.missing == 1 ? " is missing" : " are missing");
}

std::string meeting_text(const lock_info& lock) {
  const lock_meeting& what = *lock.meeting;
  if (lock.kind == lock_kind::latch) return what.missing == 0 ? "open" : "closed, " + missing_text(what);
  return "phase " + std::to_string(what.phase) + ", " + (what.members == 0 ? "all have left" : missing_text(what));
}

}  // namespace

std::string place_text(const std::string& host, const std::optional<std::int64_t>& pid, const std::string& owner) {
  return printable(pid ? host + ", pid " + std::to_string(*pid) : owner);
}

std::string state_text(const lock_info& lock) {
  if (lock.meeting) return meeting_text(lock);
  if (!lock.held) return lock.layout == lock_layout::other ? "not a lock, but a " + printable(lock.type) : "free";
  if (lock.kind == lock_kind::semaphore) {
    return std::to_string(lock.in_use) + " of " + std::to_string(lock.capacity.value_or(0)) + " permits are taken";
  }
  if (lock.kind == lock_kind::shared_mutex) {
    return is_written(lock) ? "held by a writer" : "held by " + counted(lock.holders, "reader", "readers");
  }
  if (lock.leader && !lock.leader->empty()) return "led by " + printable(*lock.leader);
  return lock.leader ? "led" : "held";
}

std::string share_text(const lock_info& lock, std::uint64_t weight) {
  if (lock.kind == lock_kind::semaphore) return counted(weight, "permit", "permits");
  if (lock.kind == lock_kind::shared_mutex && lock.layout == lock_layout::shares) {
    return weight == writer_weight ? "to write" : "to read";
  }
  return "";
}

std::vector<std::vector<std::string>> holder_rows(const lock_info& lock) {
  std::vector<std::vector<std::string>> rows;
  if (lock.kind != lock_kind::semaphore && lock.kind != lock_kind::shared_mutex) return rows;
  for (const lock_holder& each : lock.held_by) {
    std::string share = share_text(lock, each.weight);
    if (share.empty() && each.weight > 1) share = std::to_string(each.weight) + " times";
    rows.push_back({"    " + place_text(each.host, each.pid, each.owner), share,
                    each.remaining ? duration_text(*each.remaining) + " left" : "",
                    each.pid ? printable(each.owner) : ""});
  }
  return rows;
}

std::string kind_text(const lock_info& lock) {
  std::string out{to_string(lock.kind)};
  constexpr std::size_t most_names = 3;
  for (std::size_t i = 0; i < std::min(lock.together.size(), most_names); ++i) {
    out += (i == 0 ? " with " : ", ") + printable(lock.together[i]);
  }
  if (lock.together.size() > most_names) out += ", …";
  return out;
}

std::string_view layout_text(lock_layout layout) {
  switch (layout) {
    case lock_layout::none:
      return "nothing is at the key";
    case lock_layout::plain:
      return "plain string (Holdfast, redis-py and others)";
    case lock_layout::redisson:
      return "Redisson lock (hash)";
    case lock_layout::redisson_fair:
      return "Redisson fair lock (hash and queue)";
    case lock_layout::redisson_read:
      return "Redisson read-write lock, held by readers (hash)";
    case lock_layout::redisson_write:
      return "Redisson read-write lock, held by a writer (hash)";
    case lock_layout::shares:
      return "shares of a read-write lock or semaphore (sorted set)";
    case lock_layout::meeting:
      return "who is expected and who is missing (hash)";
    case lock_layout::other:
      return "not a lock";
  }
  return "";
}

bool is_closed(const lock_info& lock) { return lock.meeting ? lock.meeting->missing > 0 : lock.held; }

}  // namespace holdfast::cli
