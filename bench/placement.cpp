// sched_setaffinity; see placement.hpp.
#include "placement.hpp"

#include <sched.h>

namespace holdfast::bench {
namespace {

// What this process was allowed when it started.
const cpu_set_t& allowed() noexcept {
  static const cpu_set_t set = [] {
    cpu_set_t found;
    CPU_ZERO(&found);
    if (::sched_getaffinity(0, sizeof found, &found) != 0) CPU_ZERO(&found);
    return found;
  }();
  return set;
}

cpu_set_t first_core() noexcept {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (unsigned core = 0; core < CPU_SETSIZE; ++core) {
    if (!CPU_ISSET(core, &allowed())) continue;
    CPU_SET(core, &set);
    break;
  }
  return set;
}

void use(const cpu_set_t& set) noexcept {
  if (CPU_COUNT(&allowed()) > 1) static_cast<void>(::sched_setaffinity(0, sizeof set, &set));
}

}  // namespace

void place_server() noexcept { use(first_core()); }

void place_clients(placement where) noexcept {
  const cpu_set_t first = first_core();
  cpu_set_t others;
  CPU_XOR(&others, &allowed(), &first);
  if (where == placement::anywhere) use(allowed());
  if (where == placement::together) use(first);
  if (where == placement::apart) use(others);
}

}  // namespace holdfast::bench
