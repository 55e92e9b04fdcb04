// What the command line asks `run` or `elect` for, and what it comes to: checked, with every default filled in.
//
// A pure function between the two, so that each contradiction and each default has a test without a server.
#pragma once

#include "run/hold.hpp"
#include "run/plan.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::cli {

// The words as they were given.
struct run_request {
  std::string_view verb = "run";  // for the texts
  std::chrono::milliseconds usual_ttl{30'000};
  std::string name;
  std::vector<std::string> command;
  std::optional<std::string> unknown_option;  // found where the command should be
  std::optional<std::string> shell_text;      // -c
  bool shared = false;
  bool exclusive = false;
  std::optional<std::string> permits;  // "K/N"
  bool nonblock = false;
  std::optional<std::chrono::milliseconds> wait;
  std::optional<int> conflict_code;
  std::optional<std::chrono::milliseconds> ttl;
  bool no_renew = false;
  std::optional<std::chrono::milliseconds> max_hold;
  std::optional<std::chrono::milliseconds> min_hold;
  std::optional<std::chrono::milliseconds> once_per;
  std::string on_lost = "kill";
  std::optional<std::chrono::milliseconds> grace;
  std::optional<std::chrono::milliseconds> jitter;
  std::string owner;
  bool verbose = false;
  bool json = false;
};

struct run_terms {
  std::vector<std::string> command;  // `sh -c TEXT` where there was -c
  hold_kind hold{};
  bool waits = true;
  std::optional<std::chrono::milliseconds> wait;  // none: as long as it takes
  int not_acquired_code = 1;
  int already_ran_code = 0;
  std::chrono::milliseconds ttl{};
  loss_policy policy = loss_policy::stop;
  int stop_signal = 0;  // what the child is sent first
  std::chrono::milliseconds grace{};
  std::chrono::milliseconds stop_margin{};  // grace and the time that SIGKILL is given
  std::optional<std::chrono::milliseconds> min_hold;
};

// Throws `stop` (64) with a sentence that names the words and the numbers.
[[nodiscard]] run_terms check(const run_request& asked);

}  // namespace holdfast::cli
