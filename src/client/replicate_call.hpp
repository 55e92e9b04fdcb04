// Makes sure that enough replicas have a lock that was just granted, before its caller gets it.
//
// On the connection for WAIT (nodes::waiting), since WAIT blocks its connection. It covers what its own connection wrote; so
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
  // `done` may destroy this.
  replicate_call(core& owner, std::string_view key, std::string_view id, runtime::duration ttl, replica_count wanted,
                 lock::flavour_ptr what, std::function<void(const result<lock::proof>&, runtime::time_point)> done);
  ~replicate_call();
  void start(runtime::time_point now);

 private:
  void encode(std::string& out) override;
  void on_reply(const resp::value& reply, runtime::time_point now) override;
  void on_interrupted(const failure& why, runtime::time_point now) override;
  void on_refused(const failure& why, runtime::time_point now) override;
  void judge(runtime::time_point now);
  void fail(failure why, runtime::time_point now);
  [[nodiscard]] bool asks_role() const noexcept { return wanted_ == majority; }

  core& core_;
  std::string_view key_;
  std::string_view id_;
  runtime::duration ttl_;
  replica_count wanted_;
  lock::flavour_ptr what_;
  std::function<void(const result<lock::proof>&, runtime::time_point)> done_;
  std::chrono::milliseconds limit_;
  std::size_t answer_ = 0;  // which one comes next
  int asked_for_ = 0;
  int had_ = 0;
  bool repeated_ = false;
  std::optional<failure> problem_;
};

}  // namespace holdfast::detail
