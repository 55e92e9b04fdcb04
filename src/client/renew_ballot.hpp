// One renewal on a quorum. Once a majority has kept the lock, nodes that do not know it are asked to take it again, for as
// long as the holder has not withdrawn: after its release that would leave a vote behind.
#pragma once

#include "client/ballot.hpp"
#include "lock/quorum_renew.hpp"

#include <optional>

namespace holdfast::detail {

class renew_ballot final : public ballot {
 public:
  static constexpr std::size_t common = 2;  // arguments: owner, ttl

  renew_ballot(core& owner, net::request& asker, matter what);

 private:
  void begin(runtime::time_point now) override;
  [[nodiscard]] const scripts::script& script_for(purpose why) const noexcept override;
  void encode(purpose why, std::size_t node, bool by_text, std::string& out) override;
  void answered(purpose why, std::size_t node, const resp::value& reply, runtime::time_point now) override;
  void failed(purpose why, std::size_t node, bool sent, runtime::time_point now) override;
  void limit_passed(runtime::time_point now) override { follow(machine_.timer(now), now); }
  void follow(lock::quorum_renewal outcome, runtime::time_point now);
  [[nodiscard]] failure why_not() const;

  const runtime::duration length_;
  lock::quorum_renew machine_;
  bool kept_ = false;
  std::optional<failure> problem_;  // what a node refused it for
};

}  // namespace holdfast::detail
