// Makes sure that enough replicas have a lock that was just granted, before its caller gets it.
//
// On the primary's connection for WAIT (nodes::waiting), since WAIT blocks its connection. It covers what that one wrote; so
// first a renewal of the lock goes there, which comes after the grant in the stream of replication, and is the lease's fresh
// proof at the same time. One at a time: each needs the connection to itself while it lasts, and its time limit counts from
// when it has it.
//
// Guarded by the client's mutex.
#pragma once

#include "client/core.hpp"
#include "lock/flavour.hpp"
#include "lock/proof.hpp"
#include "net/request.hpp"

#include <holdfast/replica_count.hpp>
#include <holdfast/result.hpp>

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace holdfast::detail {

class replicate_call final : public net::request {
 public:
  // What came of it: the fresh proof, or why not; then `passes` tells that asking for the lock again may help, because the
  // server or the lock changed under it.
  using outcome = std::function<void(const result<lock::proof>& how, bool passes, runtime::time_point now)>;

  // Waits until `limit` at most. `done` may destroy this.
  replicate_call(core& owner, std::string_view key, std::string_view id, runtime::duration ttl, replica_count wanted,
                 lock::flavour_ptr what, runtime::time_point limit, outcome done);
  ~replicate_call();
  void start(runtime::time_point now);

 private:
  [[nodiscard]] std::string_view routed_by() const noexcept override { return key_; }
  void encode(std::string& out) override;
  void on_reply(const resp::value& reply, runtime::time_point now) override;
  void on_interrupted(const failure& why, runtime::time_point now) override;
  void on_refused(const failure& why, runtime::time_point now) override;
  void judge(runtime::time_point now);
  void again(runtime::time_point now);
  void fail(failure why, runtime::time_point now, bool passes = false);
  [[nodiscard]] bool asks_role() const noexcept { return wanted_ == majority; }

  core& core_;
  std::string_view key_;
  std::string_view id_;
  runtime::duration ttl_;
  replica_count wanted_;
  lock::flavour_ptr what_;
  runtime::time_point limit_;
  outcome done_;
  std::chrono::milliseconds wait_{};  // what WAIT was given
  std::size_t answer_ = 0;            // which one comes next
  int asked_for_ = 0;
  int had_ = 0;
  bool repeated_ = false;
  bool gone_ = false;  // the renewal did not find the lock
};

}  // namespace holdfast::detail
