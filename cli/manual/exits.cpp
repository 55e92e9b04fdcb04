#include "manual/exits.hpp"

#include "manual/option_view.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>

namespace holdfast::cli {
namespace {

struct shared_exit {
  manual::exit_status is;
  bool of_connection;  // only verbs that talk to Redis have it
  bool common;         // worth a place in --help
};

constexpr std::array<shared_exit, 7> shared{{
    {{"0", "done"}, false, true},
    {{"64", "wrong usage, or a wrong setting"}, false, true},
    {{"65", "the key holds something that is no lock"}, true, false},
    {{"69", "Redis unreachable"}, true, true},
    {{"70", "a failure of the system: no memory, a full disk"}, false, false},
    {{"76", "what answers is no Redis"}, true, false},
    {{"77", "refused: password, ACL or certificate"}, true, true},
}};

// "128+n" counts as 128.
int number(const manual::exit_status& each) { return std::atoi(std::string{each.code}.c_str()); }

}  // namespace

std::vector<manual::exit_status> exits_of(const manual& page, const CLI::App& app, bool all) {
  std::vector<manual::exit_status> codes = page.exits;
  for (const shared_exit& each : shared) {
    if ((each.of_connection && !connects(app)) || (!each.common && !all)) continue;
    const bool told = std::ranges::any_of(page.exits, [&](const auto& own) { return number(own) == number(each.is); });
    if (!told) codes.push_back(each.is);
  }
  std::ranges::stable_sort(codes, {}, number);
  return codes;
}

}  // namespace holdfast::cli
