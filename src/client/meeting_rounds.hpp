// The two rounds of a meeting on a quorum: reading it from all nodes, and writing it to them. What the answers come to is lock::quorum_read's and
// lock::quorum_write's.
#pragma once

#include "client/round_ballot.hpp"
#include "lock/meeting_state.hpp"
#include "lock/quorum_value.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace holdfast::detail {

class read_round final : public node_round {
 public:
  // Listens until `until`: later the guard may be another's.
  read_round(std::size_t nodes, runtime::time_point until) : machine{nodes}, copies{nodes}, until_{until} {}

  lock::quorum_read machine;
  lock::quorum_reading how = lock::quorum_reading::failed;
  std::vector<std::optional<lock::meeting_copy>> copies;  // of the nodes that told theirs
  std::optional<failure> problem;                         // what a node refused it for
  bool unseated = false;                                  // a node answered that it may not vote, or not for us

  bool answered(std::size_t node, const resp::value& reply, runtime::time_point now) override {
    if (now >= until_) return ends(machine.failed(node));
    auto read = lock::read_copy(reply);
    if (!read) {
      if (reply.is_error()) problem = read.failure();
      unseated = unseated || !reply.is_error();
      return ends(machine.failed(node));
    }
    const std::uint64_t version = read->version;
    copies[node] = std::move(*read);
    return ends(machine.answered(node, version));
  }
  bool failed(std::size_t node) override { return ends(machine.failed(node)); }
  void limit_passed(runtime::time_point /*now*/) override { ends(machine.timer()); }

 private:
  bool ends(lock::quorum_reading step) {
    if (step == lock::quorum_reading::wait) return false;
    how = step;
    return true;
  }

  runtime::time_point until_;
};

class write_round final : public node_round {
 public:
  // Counts what comes before `until`. With nothing to count it ends when all have answered.
  write_round(std::size_t nodes, runtime::time_point until, bool counts)
      : machine{nodes}, until_{until}, due_{nodes}, counts_{counts} {}

  lock::quorum_write machine;
  bool written = false;
  bool more = false;

  bool answered(std::size_t node, const resp::value& reply, runtime::time_point now) override {
    const bool counted = !reply.is_error() && reply.text.starts_with("written ") && now < until_;
    more = more || reply.text == "written 1";
    return ends(machine.answered(node, counted));
  }
  bool failed(std::size_t node) override { return ends(machine.failed(node)); }
  void limit_passed(runtime::time_point /*now*/) override { ends(machine.timer()); }

 private:
  bool ends(lock::quorum_writing step) {
    written = written || step == lock::quorum_writing::written;
    --due_;
    return counts_ ? step != lock::quorum_writing::wait : due_ == 0;
  }

  runtime::time_point until_;
  std::size_t due_;
  bool counts_;
};

}  // namespace holdfast::detail
