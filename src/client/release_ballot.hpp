// Giving a lock back on a quorum: to all nodes, or to those that may have voted for an attempt that failed. Other steps that all nodes are
// to take, and a majority must, go the same way (a semaphore's new capacity).
//
// The asker has its answer from a majority; the rest is asked in the background, again and again when links break, for as
// long as there is hope that it matters: later the vote has lapsed, or soon will.
#pragma once

#include "client/ballot.hpp"
#include "lock/quorum_release.hpp"

namespace holdfast::detail {

class release_ballot final : public ballot {
 public:
  release_ballot(core& owner, net::request* asker, matter what);

  // To these nodes only, where nobody waits for the answer.
  static void send(core& owner, matter what, std::vector<std::size_t> at, runtime::time_point now);

 private:
  ~release_ballot() override;
  void begin(runtime::time_point now) override;
  [[nodiscard]] const scripts::script& script_for(purpose why) const noexcept override;
  void encode(purpose why, std::size_t node, bool by_text, std::string& out) override;
  void answered(purpose why, std::size_t node, const resp::value& reply, runtime::time_point now) override;
  void failed(purpose why, std::size_t node, bool sent, runtime::time_point now) override;
  void limit_passed(runtime::time_point now) override { follow(machine_.timer(now), now); }
  // What is given back was held through connections that were there; a step of another kind may be the first of all.
  [[nodiscard]] bool gathers() const noexcept override { return by().acquire == nullptr; }
  [[nodiscard]] bool goes_on(runtime::time_point now) const noexcept override { return now < until_; }
  void follow(lock::quorum_outcome outcome, runtime::time_point now);

  lock::quorum_release machine_;
  runtime::time_point until_{};
  std::vector<std::size_t> only_;  // empty: all
};

}  // namespace holdfast::detail
