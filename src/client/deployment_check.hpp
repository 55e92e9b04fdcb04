// Looks, after connecting, at what endangers locks on this server, and warns: once per client for each finding.
//
// A little after, and not during, the connect: a short-lived client (a command) has its lock by then, or is gone.
#pragma once

#include "client/core.hpp"
#include "net/request.hpp"
#include "runtime/timer_queue.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace holdfast::detail {

// The findings in an answer to INFO: eviction, role, persistence. Judged by src/doctor, as in `examine`.
std::vector<warning> find_dangers(std::string_view info);

class deployment_check final : private net::request, private runtime::timer {
 public:
  explicit deployment_check(core& owner) : core_{owner} {}
  ~deployment_check();
  void schedule(runtime::time_point now);

 private:
  void fire(runtime::time_point now) override;
  void encode(std::string& out) override;
  void on_reply(const resp::value& reply, runtime::time_point now) override;
  void on_interrupted(const failure& /*why*/, runtime::time_point /*now*/) override {}
  void on_refused(const failure& /*why*/, runtime::time_point /*now*/) override {}

  core& core_;
  std::vector<std::string> told_;
};

}  // namespace holdfast::detail
