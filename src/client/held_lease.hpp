// A lease that is held: carries out what lock::lease_machine decides. Behind holdfast::lease, and in the core's list and
// timers until it is released or lost.
//
// Kept small: a process may hold a hundred thousand of them. Guarded by the client's mutex; the const members by nothing.
#pragma once

#include "client/script_call.hpp"
#include "lock/flavour.hpp"
#include "lock/lease_machine.hpp"
#include "runtime/timer_queue.hpp"

#include <holdfast/lease.hpp>
#include <holdfast/options.hpp>

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

namespace holdfast::detail {

class held_lease final : public script_call, private runtime::timer, public std::enable_shared_from_this<held_lease> {
 public:
  held_lease(std::shared_ptr<core> owner, std::string key, std::string id, std::size_t prefix, const lock::terms& how,
             const lock::acquisition& got, std::function<void(const loss&)> on_lost, bool detached,
             runtime::time_point now, lock::flavour_ptr what = lock::plain());
  ~held_lease();

  // With the guard held.
  void start();
  void on_up(runtime::time_point now);
  void on_moved(runtime::time_point now);  // another server has the key now, or should have
  void close();
  // Prepares an extension; returns what to ask the server for: the ttl, or less where max_hold ends before it.
  std::chrono::milliseconds extending(std::chrono::milliseconds ttl, runtime::time_point now);
  void extended(const lock::proof& fresh, runtime::time_point now);
  void disproved(loss_cause cause);
  void becomes(lock::flavour_ptr what) { what_ = std::move(what); }  // the scripts and the number of arguments stay
  void look_at_clock(runtime::time_point now);  // after a sleep the deadline may have passed without its timer
  void stop();                                  // released: no more renewals, no loss any more
  [[nodiscard]] lease_state state(runtime::time_point now) const noexcept;
  [[nodiscard]] const lock::lease_machine& machine() const noexcept { return machine_; }
  [[nodiscard]] bool stopped() const noexcept { return stopped_; }
  [[nodiscard]] loss what_happened() const;
  std::stop_token token();
  void add_callback(std::function<void(const loss&)> callback);

  // Constant.
  [[nodiscard]] const std::shared_ptr<core>& owner() const noexcept { return owner_; }
  [[nodiscard]] const std::string& key() const noexcept { return key_; }
  [[nodiscard]] const std::string& id() const noexcept { return id_; }
  [[nodiscard]] std::string_view name() const noexcept { return std::string_view{key_}.substr(prefix_); }
  [[nodiscard]] std::uint64_t fence() const noexcept { return fence_; }
  [[nodiscard]] bool detached() const noexcept { return detached_; }
  // Changed by becomes() alone, which is for the thread whose lease it is.
  [[nodiscard]] const lock::flavour_ptr& what() const noexcept { return what_; }

  // The core's.
  held_lease* next = nullptr;
  held_lease* previous = nullptr;
  bool listed = false;

 private:
  [[nodiscard]] std::string_view routed_by() const noexcept override { return key_; }
  void encode_values(std::string& out) override;
  void on_answer(const resp::value& reply, runtime::time_point now) override;
  void on_interrupted(const failure& why, runtime::time_point now) override;
  void on_refused(const failure& why, runtime::time_point now) override;
  void fire(runtime::time_point now) override;
  void follow(lock::lease_step step, runtime::time_point now);
  void lose();
  void reschedule();

  std::shared_ptr<core> owner_;
  const std::string key_;
  const std::string id_;
  lock::flavour_ptr what_;
  const std::uint64_t fence_;
  const std::uint32_t prefix_;
  const bool detached_;
  bool stopped_ = false;
  std::uint32_t asked_ms_ = 0;  // length that the renewal under way asks for
  lock::lease_machine machine_;
  std::unique_ptr<std::stop_source> stop_;  // made when somebody asks for the token
  std::unique_ptr<std::function<void(const loss&)>> on_lost_;
};

}  // namespace holdfast::detail
