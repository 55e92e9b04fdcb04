// One script on every node of a quorum at once, and what most of them say (lock/quorum_round.hpp); for what is no lock.
//
// On the caller's stack, who waits for the decision and no longer: what is on its way to slower nodes by then is carried out there.
// Nothing is sent twice.
// The script's ARGV begin with the run id of the node's process and max_ttl, for _seat.lua. Guarded by the client's mutex.
#pragma once

#include "client/ballot.hpp"
#include "client/call.hpp"
#include "lock/quorum_round.hpp"

#include <holdfast/result.hpp>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::detail {

class round_ballot;

class round_call final : public call, private net::request {
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
  ~round_call();

  // Sends it and waits for the end.
  lock::round_end run(guard_type& guard);

  [[nodiscard]] const lock::quorum_round& round() const noexcept;
  // The answers that came before the end, by node, null: none; and those of the majority that agreed.
  [[nodiscard]] std::vector<const resp::value*> replies() const;
  [[nodiscard]] std::vector<const resp::value*> agreeing() const;
  // After UNREACHABLE: why.
  [[nodiscard]] failure problem() const;

 private:
  void encode(std::string& /*out*/) override {}  // carried by the ballot, never sent itself
  void on_reply(const resp::value& reply, runtime::time_point now) override;
  void on_interrupted(const failure& /*why*/, runtime::time_point /*now*/) override {}
  void on_refused(const failure& /*why*/, runtime::time_point /*now*/) override {}

  core& core_;
  round_ballot* ballot_;     // owned by the next
  ballot::pointer pointer_;  // withdraws it
};

}  // namespace holdfast::detail
