// A latch or a barrier as one value, and what an arrival does to it: the rules of meet_count.lua, for a quorum, where no node's script can
// apply them because no node has the whole truth (docs/quorum_family.md). Pure.
#pragma once

#include "lock/meeting.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::lock {

// Whose arrival it is, and which of theirs: an object that speaks of a meeting, and a number that it counts up.
struct arrival_id {
  std::uint64_t object = 0;
  std::uint64_t number = 0;
  bool operator==(const arrival_id&) const = default;
};

struct meeting_state {
  struct remembered {
    arrival_id id;
    std::uint64_t phase = 0;  // that it counted for
    std::uint64_t until = 0;  // µs, by the nodes' clocks
    bool operator==(const remembered&) const = default;
  };

  meeting_kind kind{};
  std::uint64_t made = 0;      // the version of its first writing: tells it from a later one of the same name
  std::uint64_t expected = 0;  // what its maker said, and everybody has to say
  std::uint64_t members = 0;   // what a phase takes: expected, less those who dropped out
  std::uint64_t left = 0;      // what the phase still takes
  std::uint64_t drops = 0;     // how many of this phase's arrivals take part no more
  std::uint64_t phase = 0;     // the present one; a latch is open in phase 1
  std::vector<remembered> ids{};
  bool operator==(const meeting_state&) const = default;

  // Everybody has left a barrier: it goes soon.
  [[nodiscard]] bool is_over() const noexcept { return kind == meeting_kind::barrier && members == 0; }
};

// What one node has: quorum_meet_read.lua. Version 0: nothing.
struct meeting_copy {
  std::uint64_t clock = 0;  // µs
  std::uint64_t version = 0;
  bool more = false;  // waiters are still to be told
  meeting_state what{};
};
result<meeting_copy> read_copy(const resp::value& reply);
// The last arguments of quorum_meet_write.lua, from the kind on.
std::vector<std::string> write_fields(const meeting_state& what);

struct arrival_terms {
  meeting_kind kind{};
  std::uint64_t expected = 0;
  std::uint64_t made = 0;          // the meeting that the caller has met, 0: none yet
  std::uint64_t seen = 0;          // the greatest version of it that the caller has seen
  std::optional<arrival_id> id{};  // none: only looks
  std::uint64_t oldest = 0;        // of the object's arrivals, the first that may still be repeated
  std::uint64_t count = 0;
  bool drops = false;
  runtime::duration remembered{};  // for how long the id is
};

struct counted {
  meet_reply told{};
  bool changed = false;  // and has to be written
};

// Applies it to `state` (none: there is no meeting), which `version` read has; written, it will have `next`. `now` in µs.
result<counted> count(std::optional<meeting_state>& state, std::uint64_t version, const arrival_terms& what,
                      std::uint64_t next, std::uint64_t now);

}  // namespace holdfast::lock
