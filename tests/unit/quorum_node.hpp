// A node of the made-up world (quorum_world.hpp): in memory, what src/scripts/quorum_*.lua do in Redis.
#pragma once

#include "lock/quorum_replies.hpp"
#include "runtime/clock.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>

namespace holdfast::lock {

// Of every world.
inline constexpr std::chrono::milliseconds max_ttl{300};

// A clock that runs at its own speed, and began at its own time.
struct drifting_clock {
  double speed = 1;
  runtime::duration offset{};
  [[nodiscard]] runtime::duration read(runtime::duration real) const { return offset + scaled(real, speed); }
  [[nodiscard]] runtime::duration real_of(runtime::duration shown) const { return scaled(shown - offset, 1 / speed); }
  static runtime::duration scaled(runtime::duration what, double by) {
    return runtime::duration{std::llround(static_cast<double>(what.count()) * by)};
  }
};

// What src/scripts/quorum_*.lua do. Everything in it but the clock and the process is what a crash forgets.
struct quorum_node {
  drifting_clock clock;
  bool guard = true;
  unsigned process = 0;      // the run id
  runtime::duration born{};  // in real time
  std::string holder{};
  runtime::duration ends{};
  std::uint64_t counter = 0;
  bool seated = false;
  unsigned seat_process = 0;
  runtime::duration seat_from{};
  bool seat_fresh = false;

  [[nodiscard]] std::string seat() const {
    return std::to_string(seat_process) + ' ' + std::to_string(seat_from.count()) + (seat_fresh ? " none" : " run");
  }

  // Whether it may not vote: the answer, then.
  std::optional<vote_reply> not_seated(runtime::duration now) {
    if (!guard) return std::nullopt;
    if (!seated || seat_process != process) {
      seat_fresh = !seated;
      seated = true;
      seat_process = process;
      seat_from = now + max_ttl;
    }
    if (seat_from <= now) return std::nullopt;
    return vote_reply{.what = vote_reply::kind::young, .seat = seat(), .fresh = seat_fresh};
  }
  void expire(runtime::duration now) {
    if (ends <= now) holder.clear();
  }

  vote_reply acquire(runtime::duration now, const std::string& owner, runtime::duration ttl, std::uint64_t hint) {
    if (const auto answer = not_seated(now)) return *answer;
    expire(now);
    if (!holder.empty() && holder != owner)
      return {.what = vote_reply::kind::held, .left = std::chrono::milliseconds{1}, .holder = holder};
    holder = owner;
    ends = now + ttl;
    counter = counter == 0 ? static_cast<std::uint64_t>(now / std::chrono::microseconds{1}) : counter + 1;
    counter = std::max(counter, hint);
    return {.what = vote_reply::kind::granted, .number = counter};
  }
  note_reply note(runtime::duration now, const std::string& owner, std::uint64_t number) {
    expire(now);
    if (holder != owner) return holder.empty() ? note_reply::gone : note_reply::taken;
    counter = std::max(counter, number);
    return note_reply::noted;
  }
  keep_reply keep(runtime::duration now, const std::string& owner, runtime::duration ttl) {
    if (not_seated(now)) return keep_reply::young;
    expire(now);
    if (holder != owner) return holder.empty() ? keep_reply::gone : keep_reply::taken;
    ends = now + ttl;
    return keep_reply::kept;
  }
  bool give_back(const std::string& owner) {
    if (holder != owner) return false;
    holder.clear();
    return true;
  }
  bool open(runtime::duration now, const std::string& seen) {
    if (!seated || seat() != seen) return false;
    seat_from = now;
    return true;
  }

  // Keeps what an old file of its data had, or nothing.
  void crash(runtime::duration now, bool with_file) {
    ++process;
    born = now;
    holder.clear();
    counter = 0;
    seated = seated && with_file;
  }
};

}  // namespace holdfast::lock
