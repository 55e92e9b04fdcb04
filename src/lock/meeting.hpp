// What a latch and a barrier have in common, decided without I/O: their options, the answer of meet_count.lua, and the
// flavour under which a wait goes through the queue of src/lock/acquire_machine.hpp.
#pragma once

#include "lock/checked_options.hpp"
#include "lock/flavour.hpp"
#include "resp/value.hpp"

#include <holdfast/meeting_options.hpp>
#include <holdfast/result.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace holdfast::lock {

enum class meeting_kind : unsigned char { latch, barrier };
[[nodiscard]] std::string_view to_string(meeting_kind kind) noexcept;

struct meet_reply {
  std::uint64_t made = 0;     // which meeting of this name
  std::uint64_t phase = 0;    // the one that the arrival counted for
  std::uint64_t present = 0;  // the one that is under way now
  std::uint64_t left = 0;     // what it still takes
  bool more = false;          // waiters are still to be told
};
result<meet_reply> read_meet(const resp::value& reply);

result<void> check_meeting(meeting_kind kind, std::ptrdiff_t expected, const meeting_options& how);
result<void> check_arrivals(std::ptrdiff_t n);

// For how long the id of an arrival is remembered, when the call that carries it may take `longest`.
runtime::duration replay_window(runtime::duration longest) noexcept;
// The ttl on the server: not shorter than ids are remembered, which live beside the count.
runtime::duration meeting_ttl(const meeting_options& how, runtime::duration longest) noexcept;

// A wait for the end of `phase`. `limit` none: as long as it takes; not positive: one look.
terms meeting_terms(runtime::duration ttl, std::optional<runtime::duration> limit);
flavour_ptr meeting_flavour(meeting_kind kind, std::ptrdiff_t expected, std::uint64_t made, std::uint64_t phase);

// What is at the key is something else: `wrong_type`, with what to do.
failure not_a_meeting(std::string_view key, meeting_kind kind);
// A failed wait in the words of a meeting; `missing` is what the server last said, such as "2 of 3".
failure meeting_failure(failure why, std::string_view name, std::string_view missing);

}  // namespace holdfast::lock
