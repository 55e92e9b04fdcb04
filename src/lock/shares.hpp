// The flavours of what is held in shares: shared_mutex and semaphore (src/scripts/_shares.lua).
#pragma once

#include "lock/flavour.hpp"

#include <holdfast/result.hpp>

#include <cstdint>

namespace holdfast::lock {

// What a writer weighs, and the most permits of a semaphore. The scripts need sums of weights to stay below 1e9.
inline constexpr std::uint64_t most_shares = 100'000'000;

// The most permits of a semaphore on a quorum, whose nodes go over all holders with every request.
inline constexpr std::uint64_t most_slots = 10'000;

// A reader, a writer, and a reader that wants to be the writer; its lease is a writer's.
const flavour_ptr& reader();
const flavour_ptr& writer();
const flavour_ptr& upgrader();
// On a quorum: the writer that the reader `of` wants to be, under an owner of its own; and what makes a writer's votes a reader's.
flavour_ptr upgrader_of(std::string_view of);
const flavour_ptr& downgrader();

[[nodiscard]] inline bool is_read_write(const flavour_ptr& what) { return what == reader() || what == writer(); }

// So many permits of a semaphore that was made with `capacity`.
flavour_ptr permits(std::uint64_t count, std::uint64_t capacity);

// The same, won on a quorum: its lease is kept and released with the numbers of its slots (`3,4`).
flavour_ptr in_slots(const flavour& permits, std::string_view slots);

// bad_option unless there can be so many; `what` names them.
result<void> check_permits(std::uint64_t count, std::string_view what, std::uint64_t most = most_shares);

}  // namespace holdfast::lock
