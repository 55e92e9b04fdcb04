// The four keys of a lock, in the order in which the scripts take them.
#pragma once

#include "lock/names.hpp"
#include "resp/writer.hpp"

#include <string>
#include <string_view>

namespace holdfast::detail {

inline void append_lock_keys(std::string& out, std::string_view key) {
  resp::append_bulk(out, key);
  resp::append_bulk(out, lock::waiters_key(key));
  resp::append_bulk(out, lock::seen_key(key));
  resp::append_bulk(out, lock::fence_key(key));
}

}  // namespace holdfast::detail
