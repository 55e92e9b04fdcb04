// One `holdfast elect` from the first campaign to the exit code.
//
//   CAMPAIGNING ── elected ──▶ LEADING ── the command ended ──▶ exit as the command; --again: a second later CAMPAIGNING
//        │  ▲                     │ the lease is in danger
//        │  └──────────────────── ENDING (run/plan.hpp); --once: exit 79
//        └── signal, -w ──▶ exit 128+n, 1
//
// Once Redis has answered, an outage does not end it: it campaigns until Redis is back.
// Thread safety: none.
#pragma once

#include "run/report.hpp"
#include "run/terms.hpp"
#include "target.hpp"

#include <string>

namespace holdfast::cli {

struct elect_request {
  elect_request() {
    work.verb = "elect";
    work.usual_ttl = std::chrono::seconds{10};
  }

  run_request work;
  std::string id;
  bool again = false;  // campaign when the command has ended
  bool once = false;   // do not campaign after a deposition
};

class candidate {
 public:
  candidate(const elect_request& asked, const target& where) : asked_{asked}, where_{where} {}

  // Does it, says how each term went, and returns the exit code. Throws nothing that a user can cause.
  int run();

 private:
  class session;

  void begin_report() {
    report_ = {};
    report_.name = asked_.work.name;
  }

  const elect_request& asked_;
  const target& where_;
  run_report report_;  // of the present term
};

}  // namespace holdfast::cli
