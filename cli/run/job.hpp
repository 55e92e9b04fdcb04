// One `holdfast run` from the first look at the lock to the exit code.
#pragma once

#include "run/report.hpp"
#include "run/terms.hpp"
#include "target.hpp"

namespace holdfast::cli {

class job {
 public:
  job(const run_request& asked, const target& where) : asked_{asked}, where_{where} { report_.name = asked.name; }

  // Does it, says how it went, and returns the exit code. Throws nothing that a user can cause.
  int run();

 private:
  class session;

  const run_request& asked_;
  const target& where_;
  run_report report_;
};

}  // namespace holdfast::cli
