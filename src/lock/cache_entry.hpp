// What a cache keeps under its value key, and what a caller does about it; without I/O.
//
//   <number> <stale ms> <took µs> <kind> <bytes>        kind: v a value, n the source has nothing, e erased under a loader
//   1794777060182298 0 15230 v {"name": "Ada"}
//
// The key's expiry is ttl + stale, so what is left of the ttl is the rest of the expiry minus `stale`: no clock but the
// server's is involved. `took`: how long loading took, for loading early.
#pragma once

#include <holdfast/result.hpp>

#include "resp/value.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace holdfast::lock {

struct cache_entry {
  enum class kind : char { value = 'v', nothing = 'n', erased = 'e' } what = kind::value;
  std::uint64_t number = 0;  // a fence: of the loader, or drawn by whoever put or erased it
  std::chrono::milliseconds stale{};
  std::chrono::microseconds took{};
  std::chrono::milliseconds fresh{};  // left of the ttl; not positive: stale
  std::string text;
};

// The mark of an erasure.
cache_entry erased_entry();

// All but the number, with which the scripts put it together.
std::string write_entry_tail(const cache_entry& what);

// From the answers to GET and PTTL. None: there is nothing. A text that is not of the form above is `wrong_type`.
result<std::optional<cache_entry>> read_entry(const resp::value& got, const resp::value& left);

enum class cache_step : unsigned char {
  serve,    // return it
  refresh,  // load it if nobody else does, otherwise return it
  load,     // there is nothing to return: load, or wait for whoever does
};

// `dice`: drawn evenly from (0, 1]; 1 never loads early by chance. `early` as in cache_options.
cache_step judge(const std::optional<cache_entry>& kept, double early, double dice);

}  // namespace holdfast::lock
