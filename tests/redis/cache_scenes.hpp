// What the scenes of the guarded cache share, on every deployment: the keys of its entry "k".
//
// Thread safety: that of deployment_under_test.
#pragma once

#include <optional>
#include <string>

#include "redis/deployment.hpp"

namespace holdfast::test {

struct cache_scenes : deployment_scenes {
  using kept = std::optional<std::optional<int>>;

  inline static const std::string lock_key = "cache:k";
  inline static const std::string value_key = "{cache:k}:value";

  // Somebody holds the loader's lock and so many wait for it.
  [[nodiscard]] bool waiting(long long count) { return servers.waiting(lock_key, count); }
  [[nodiscard]] bool only_the_value_is_left() { return servers.nothing_left_but({value_key}); }
};

}  // namespace holdfast::test
