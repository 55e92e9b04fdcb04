// One look of somebody who waits at a latch or a barrier on a quorum, in place of meet_wait.lua: carries out what lock::quorum_meet_wait
// decides.
//
// Where the nodes go on differing, because a writer died or a node has come back with less, the wait ends with `not_replicated`, which is
// not for the caller: whoever waits brings them together and waits again (client/meeting.cpp).
#pragma once

#include "client/ballot.hpp"
#include "lock/quorum_meet_wait.hpp"

#include <optional>

namespace holdfast::detail {

class meet_ballot final : public ballot {
 public:
  meet_ballot(core& owner, net::request& asker, matter what, const ballot* before);

 private:
  void begin(runtime::time_point now) override;
  [[nodiscard]] const scripts::script& script_for(purpose why) const noexcept override;
  void encode(purpose why, std::size_t node, bool by_text, std::string& out) override;
  void answered(purpose why, std::size_t node, const resp::value& reply, runtime::time_point now) override;
  void failed(purpose why, std::size_t node, bool sent, runtime::time_point now) override;
  void limit_passed(runtime::time_point now) override { follow(machine_.timer(), now); }
  [[nodiscard]] bool gathers() const noexcept override { return true; }

  void follow(lock::meet_step step, runtime::time_point now);
  void passed(runtime::time_point now);
  void unsettled(runtime::time_point now);
  void tell_waiting(std::string_view rank, std::string_view left, runtime::time_point now);
  void leave_list(std::size_t node, runtime::time_point now);

  lock::quorum_meet_wait machine_;
  std::vector<bool> listed_;                            // which have us on the list of those who wait
  std::optional<runtime::time_point> unsettled_since_;  // no look since then was settled
  std::uint64_t lagged_at_ = 0;                         // the version at which a node had less, one look ago
  bool passed_ = false;
  std::optional<failure> problem_;  // what a node refused it for
};

}  // namespace holdfast::detail
