// A node of the made-up world (quorum_world.hpp): in memory, what src/scripts/quorum_*.lua do in Redis. The owner of a plain lock is a writer
// among readers and writers.
#pragma once

#include "lock/quorum_replies.hpp"
#include "runtime/clock.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
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
  struct share {
    runtime::duration ends{};
    bool writes = true;
  };
  std::map<std::string, share> shares{};  // by owner
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
    std::erase_if(shares, [&](const auto& each) { return each.second.ends <= now; });
  }

  // `stead`: the reader that wants to be this writer.
  vote_reply acquire(runtime::duration now, const std::string& owner, runtime::duration ttl, std::uint64_t hint,
                     bool writes = true, const std::string& stead = {}) {
    if (const auto answer = not_seated(now)) return *answer;
    expire(now);
    if (!stead.empty() && !shares.contains(stead)) return {.what = vote_reply::kind::refused, .refusal = "lost"};
    for (const auto& [holder, held] : shares) {
      if (holder == owner || holder == stead || !(writes || held.writes)) continue;
      return {.what = vote_reply::kind::held,
              .left = std::chrono::milliseconds{1},
              .holder = holder,
              .rival = held.writes ? "" : "readers"};
    }
    share& mine = shares[owner];
    mine = {std::max(mine.ends, now + ttl), writes};
    counter = counter == 0 ? static_cast<std::uint64_t>(now / std::chrono::microseconds{1}) : counter + 1;
    counter = std::max(counter, hint);
    return {.what = vote_reply::kind::granted, .number = counter};
  }
  note_reply note(runtime::duration now, const std::string& owner, std::uint64_t number) {
    expire(now);
    if (!shares.contains(owner)) return shares.empty() ? note_reply::gone : note_reply::taken;
    counter = std::max(counter, number);
    return note_reply::noted;
  }
  keep_reply keep(runtime::duration now, const std::string& owner, runtime::duration ttl, bool writes = true) {
    if (not_seated(now)) return keep_reply::young;
    expire(now);
    const auto mine = shares.find(owner);
    if (mine == shares.end()) return shares.empty() ? keep_reply::gone : keep_reply::taken;
    mine->second = {now + ttl, mine->second.writes && writes};
    return keep_reply::kept;
  }
  bool give_back(const std::string& owner) { return shares.erase(owner) != 0; }
  bool downgrade(const std::string& owner) {
    const auto mine = shares.find(owner);
    if (mine != shares.end()) mine->second.writes = false;
    return mine != shares.end();
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
    shares.clear();
    counter = 0;
    seated = seated && with_file;
  }
};

}  // namespace holdfast::lock
