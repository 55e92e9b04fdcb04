// Merges what file, environment and URL say into one `settings`, and refuses contradictions in the outcome.
//
// Of several URLs only the last place's counts, whole: credentials that stood in an earlier URL belong to that server
// and are not sent to another one. Keys beside the URLs merge one by one, a later place over an earlier one.
// Pure, safe from any thread.
#pragma once

#include "topology/source.hpp"

#include <string>
#include <vector>

namespace holdfast::topology {

// For `holdfast config`: which value came from where.
struct setting_origin {
  std::string key;
  std::string value;   // a password as "***"
  std::string origin;  // "default", or as in assignment::origin
};

struct composed {
  settings values;
  bool private_server = false;  // nothing says where Redis is: transport and path are still to be filled in
  std::vector<setting_origin> origins;
};

// `places` from the weakest to the strongest.
[[nodiscard]] result<composed> compose(const std::vector<source>& places);

}  // namespace holdfast::topology
