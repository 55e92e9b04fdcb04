// Merges what file, environment and URL say into one `settings`, and refuses contradictions in the outcome.
//
// Of several URLs only the last place's counts, whole: credentials that stood in an earlier URL belong to that server
// and are not sent to another one. The same holds for user and password beside a URL that does not count, in a place that
// has both. Other keys beside the URLs merge one by one, a later place over an earlier one.
// Pure, safe from any thread.
#pragma once

#include "topology/source.hpp"

#include <holdfast/settings_report.hpp>

#include <string>
#include <vector>

namespace holdfast::topology {

struct composed {
  settings values;
  bool private_server = false;  // nothing says where Redis is: transport and path are still to be filled in
  std::vector<setting_origin> origins;
};

// `places` from the weakest to the strongest.
[[nodiscard]] result<composed> compose(const std::vector<source>& places);

}  // namespace holdfast::topology
