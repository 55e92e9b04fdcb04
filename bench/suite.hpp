// What every suite is given and what it gives back. One .cpp per suite, named after it; main.cpp has the list.
#pragma once

#include "report.hpp"

#include <chrono>
#include <optional>
#include <string>

namespace holdfast::bench {

struct run_options {
  std::string url;                           // empty: a redis-server of our own
  std::optional<unsigned> rounds;            // none: the suite's own number, the official one
  std::optional<std::chrono::seconds> hold;  // renew only: how long the leases are held
  std::string only;                          // families only: those whose names begin so
};

report pair(const run_options& how);
report threads(const run_options& how);
report inflight(const run_options& how);
report handoff(const run_options& how);
report renew(const run_options& how);
report growth(const run_options& how);
report cli(const run_options& how);
report recursive(const run_options& how);
report cache(const run_options& how);
report shared(const run_options& how);
report semaphores(const run_options& how);
report quorum(const run_options& how);
report cluster(const run_options& how);
report failover(const run_options& how);
report families(const run_options& how);  // in builds with HOLDFAST_FAMILIES

}  // namespace holdfast::bench
