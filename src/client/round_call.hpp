// What most nodes of a quorum say to one script (lock/quorum_round.hpp); for what is no lock.
//
// On the caller's stack, who waits for the decision and no longer. Nothing is sent twice.
// The script's ARGV begin with the run id of the node's process and max_ttl, for _seat.lua. Guarded by the client's mutex.
#pragma once

#include "client/round_ballot.hpp"
#include "lock/quorum_round.hpp"

#include <holdfast/result.hpp>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::detail {

class round_call final : private node_round {
 public:
  // What an answer says: nodes whose words are the same agree. A failure: nothing of use.
  using reader = std::function<result<std::string>(const resp::value&)>;

  struct question {
    const scripts::script& what;
    std::vector<std::string> keys;
    std::vector<std::string> args;
    bool lasting = false;  // a node that comes up within its limit, after the decision, is to do it as well
  };

  round_call(core& owner, question asked, reader read);

  // Sends it and waits for the end.
  lock::round_end run(guard_type& guard);

  [[nodiscard]] const lock::quorum_round& round() const noexcept { return round_; }
  // The answers that came before the end, by node, null: none; and those of the majority that agreed.
  [[nodiscard]] std::vector<const resp::value*> replies() const;
  [[nodiscard]] std::vector<const resp::value*> agreeing() const;
  // After UNREACHABLE: why.
  [[nodiscard]] failure problem() const;

 private:
  void begun(runtime::time_point now) override { round_.start(now); }
  bool answered(std::size_t node, const resp::value& reply, runtime::time_point now) override;
  bool failed(std::size_t node) override { return round_.failed(node) != lock::round_end::open; }
  void limit_passed(runtime::time_point now) override { round_.timer(now); }

  core& core_;
  question asked_;
  const reader read_;
  lock::quorum_round round_;
  std::vector<resp::value> replies_;
  std::optional<failure> problem_;  // what a node refused it for
};

}  // namespace holdfast::detail
