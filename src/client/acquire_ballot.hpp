// One attempt to acquire on a quorum, the opening of a fresh one included: carries out what lock::quorum_acquire decides.
#pragma once

#include "client/ballot.hpp"
#include "lock/quorum_acquire.hpp"

#include <optional>

namespace holdfast::detail {

class acquire_ballot final : public ballot {
 public:
  acquire_ballot(core& owner, net::request& asker, matter what, const ballot* before);

 private:
  void begin(runtime::time_point now) override;
  [[nodiscard]] const scripts::script& script_for(purpose why) const noexcept override;
  void encode(purpose why, std::size_t node, bool by_text, std::string& out) override;
  void answered(purpose why, std::size_t node, const resp::value& reply, runtime::time_point now) override;
  void failed(purpose why, std::size_t node, bool sent, runtime::time_point now) override;
  void limit_passed(runtime::time_point now) override;
  [[nodiscard]] bool gathers() const noexcept override { return true; }
  // Won before all nodes were connected: one that comes up within its limit votes as well. A release would follow on its link.
  [[nodiscard]] runtime::time_point useful_until() const noexcept override {
    return machine_ && machine_->won() ? began_ + terms_.node_limit : runtime::time_point{};
  }

  void follow(lock::quorum_step step, runtime::time_point now);
  void leave_behind(runtime::time_point now);
  void append_vote(std::size_t node, bool by_text, std::string_view from_list, std::string_view hint,
                   const std::string& slots, std::string& out) const;
  void won(runtime::time_point now);
  // Nodes that gave other slots than those that were won: theirs are in the way of others.
  void call_back(const std::vector<std::size_t>& from, runtime::time_point now);
  // Whoever has the lock by the votes of others is not to be invited there, in the place of somebody who waits.
  void leave_lists(std::vector<std::size_t> at, runtime::time_point now);
  void give_back(const std::string& id, const std::string& from_list, std::vector<std::size_t> at,
                 runtime::time_point now);
  void refused(runtime::time_point now);
  void refused_for_good(runtime::time_point now);
  void tell_busy(std::string_view rank, std::chrono::milliseconds left, runtime::time_point now);
  [[nodiscard]] failure why_not() const;
  bool open_fresh(runtime::time_point now);
  void opened(runtime::time_point now);

  const lock::quorum_terms terms_;
  std::optional<lock::quorum_acquire> machine_;
  runtime::time_point began_{};
  std::string hint_;
  std::string wish_;                // which slots are asked for, if they have numbers
  std::vector<bool> may_have_;      // which nodes may have voted for us
  std::vector<bool> listed_;        // which have us on the list of those who wait, by this attempt
  std::vector<std::string> seats_;  // while a fresh quorum is opened: as they were seen
  std::size_t opening_ = 0;         // nodes that have not answered that
  bool tried_to_open_ = false;
  unsigned splits_ = 0;             // attempts in a row that ended in a split
  std::optional<failure> problem_;  // what a node refused it for
};

}  // namespace holdfast::detail
