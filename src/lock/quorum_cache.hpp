// What the nodes of a quorum answer about a cache (src/scripts/quorum_cache_*.lua), and what it comes to (docs/quorum_family.md).
//
// The words are those by which lock::quorum_round tells whether nodes agree. Pure, safe from any thread.
#pragma once

#include <holdfast/result.hpp>

#include "lock/cache_entry.hpp"
#include "resp/value.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace holdfast::lock {

// Answers of several nodes; null: none.
using node_replies = std::vector<const resp::value*>;

// quorum_cache_read: the whole text that is kept; empty: nothing.
result<std::string> read_kept_word(const resp::value& reply);
// The others: "drawn", "stored", "newer", "lost", "unsure", "young", "refused".
result<std::string> read_cache_word(const resp::value& reply);

// Of nodes that keep the same: with the least time left among them.
result<std::optional<cache_entry>> read_entries(const node_replies& same);

// The greatest number that any of them names ("drawn", "newer").
std::uint64_t greatest_number(const node_replies& all);

// Why too few of them did it: nodes that are young, or another max_ttl. None: neither.
std::optional<failure> not_seated(const node_replies& all, std::chrono::milliseconds max_ttl);

// How long ago the load began at the most, in µs, by any clock that runs within 1 % of ours (A2).
std::int64_t longest_age(std::chrono::nanoseconds by_our_clock) noexcept;

}  // namespace holdfast::lock
