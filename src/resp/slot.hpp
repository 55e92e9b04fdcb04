// Overwriting values in place, so that a stream of small replies needs no memory of its own for each.
//
// Used by `reader` only, on the tree it builds. Which values are reused and which freed is the reader's decision.
//
// Thread safety: none.
#pragma once

#include <cstddef>
#include <utility>

#include "resp/value.hpp"

namespace holdfast::resp::slot {

// Makes `v` a value of that kind. Its capacities stay.
inline void become(value& v, kind type) {
  v.type = type;
  v.integer = 0;
  v.real = 0;
  v.text.clear();
  if (!v.items.empty()) v.items.clear();
}

// Member by member: faster than std::swap, which moves whole values three times.
inline void swap(value& a, value& b) noexcept {
  std::swap(a.type, b.type);
  std::swap(a.integer, b.integer);
  std::swap(a.real, b.real);
  a.text.swap(b.text);
  a.items.swap(b.items);
}

// Assigning an empty value would not do: a string that is assigned a short one keeps its memory.
inline void release(value& v) noexcept {
  value empty;
  swap(v, empty);
}

inline value* item_at(value& list, std::size_t index) {
  if (index == list.items.size()) list.items.emplace_back();
  return &list.items[index];
}

}  // namespace holdfast::resp::slot
