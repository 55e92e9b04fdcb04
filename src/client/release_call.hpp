// Gives a lock back, or takes a waiter off the queue: the release script, sent again while the link breaks under it.
//
// Awaited: on the caller's stack. Detached: on the heap, deletes itself when it has been answered or given up; for leases
// of coroutines, and to undo an acquire whose answer did not come.
#pragma once

#include "client/call.hpp"
#include "client/script_call.hpp"
#include "lock/flavour.hpp"
#include "lock/replies.hpp"
#include "runtime/timer_queue.hpp"

#include <holdfast/lease.hpp>

#include <optional>
#include <string>

namespace holdfast::detail {

class release_call final : public script_call, public call, private runtime::timer {
 public:
  // `with_note`: the lock may have been left, and its note goes with it.
  release_call(core& owner, std::string_view key, std::string_view id, std::string_view entry = {},
               bool with_note = false, lock::flavour_ptr what = lock::plain());
  ~release_call();

  // With the guard held. Ends after `limit` at the latest.
  void start(runtime::time_point now, runtime::duration limit);
  static void detach(core& owner, std::string_view key, std::string_view id, std::string_view entry,
                     runtime::duration limit, const lock::flavour_ptr& what);

  // Set for the coroutine forms; called with the guard held at the end.
  std::function<void(release_call&)> on_done;

  // After the end: the server's word, or why there is none.
  [[nodiscard]] const result<lock::release_reply>& outcome() const noexcept { return *outcome_; }
  // An earlier sending was not answered, so "not mine" may be our own doing.
  [[nodiscard]] bool repeated() const noexcept { return repeated_; }

 private:
  [[nodiscard]] std::string_view routed_by() const noexcept override { return key_; }
  void encode_values(std::string& out) override;
  void on_answer(const resp::value& reply, runtime::time_point now) override;
  void on_interrupted(const failure& why, runtime::time_point now) override;
  void on_refused(const failure& why, runtime::time_point now) override;
  void fire(runtime::time_point now) override;
  void end(result<lock::release_reply> how);

  std::string key_;
  std::string id_;
  std::string entry_;
  std::optional<result<lock::release_reply>> outcome_;
  lock::flavour_ptr what_;
  const bool with_note_;
  bool detached_ = false;
  bool repeated_ = false;
};

}  // namespace holdfast::detail
