// What one place (a config file, the environment) says: a URL, perhaps, and keys beside it.
//
// Plain data; the readers (config_file, environment) fill it and compose.hpp merges several.
#pragma once

#include "topology/url.hpp"

#include <optional>
#include <vector>

namespace holdfast::topology {

struct source {
  std::optional<parsed_url> url;
  std::vector<assignment> values;  // the keys beside the URL, not those inside it
};

// Refuses a key that the place gives twice, be it by its URL and beside it. Also tries each value's form.
[[nodiscard]] inline result<void> check(const source& place) {
  std::vector<assignment> all;
  if (place.url) all = place.url->values;
  all.insert(all.end(), place.values.begin(), place.values.end());
  for (settings scratch; const auto& value : all) {
    if (auto good = apply(value, scratch); !good) return good;
  }
  return refuse_repeated(all);
}

}  // namespace holdfast::topology
