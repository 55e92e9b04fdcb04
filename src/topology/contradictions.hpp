// What a deployment rules out, whatever place the settings came from.
//
// Pure, and safe from any thread.
#pragma once

#include <holdfast/settings.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace holdfast::topology {

// "database is 3, and a Redis Cluster has only 0" is {"database", "is 3, and …"}.
struct contradiction {
  std::string_view key;  // of keys.hpp; empty: the deployment itself, which the URL gives
  std::string why;
};

[[nodiscard]] std::optional<contradiction> find_contradiction(const settings& how);

// The same for a client that is made with settings by hand: `bad_option`.
[[nodiscard]] result<void> check_deployment(const settings& how);

}  // namespace holdfast::topology
