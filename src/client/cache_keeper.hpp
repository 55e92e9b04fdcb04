// Where a cache's values are kept: beside the loader's lock, on one Redis or on the nodes of a quorum (quorum_keeper.hpp).
//
// Acts for cache.cpp, which decides. Any thread; those that take a guard need it locked.
#pragma once

#include "client/core.hpp"
#include "lock/cache_entry.hpp"

#include <holdfast/options.hpp>
#include <holdfast/result.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace holdfast::detail {

class cache_keeper {
 public:
  virtual ~cache_keeper() = default;

  virtual result<std::optional<lock::cache_entry>> read(guard_type& guard, const std::string& key) = 0;

  // What a loader brings.
  struct brought {
    const std::string& key;
    std::string_view owner;           // of the loader's lock
    std::chrono::milliseconds ttl{};  // 0: nothing is to be kept, for it is there already
    std::uint64_t number = 0;         // the newest that the loader knew of when it began
    std::string tail{};               // what to keep behind it (lock::write_entry_tail)
    runtime::time_point began{};      // the load
  };
  // Keeps it unless something newer is kept, gives back the lock, and wakes all who wait for the value. False: it was not kept, and
  // whether the lock was given back is not known.
  virtual bool store(guard_type& guard, const brought& what) = 0;

  // What is to be kept whoever is loading, instead of anything older.
  struct replacement {
    std::string_view name;  // of the key, for its lock
    const std::string& key;
    std::string tail{};                    // empty: forget it
    std::chrono::milliseconds ttl{};       // of a value
    std::chrono::milliseconds max_load{};  // how long an erasure may have to be remembered
  };
  virtual result<void> replace(const replacement& what) = 0;

  // Whether a loader can keep what it brings although something newer than its fence was kept before it began.
  [[nodiscard]] virtual bool renumbers() const noexcept = 0;
};

// `locks`: what the loaders' locks are taken with.
std::unique_ptr<cache_keeper> make_cache_keeper(const std::shared_ptr<core>& owner, const options& locks);

}  // namespace holdfast::detail
