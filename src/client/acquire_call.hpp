// One acquire under way: carries out what lock::acquire_machine decides.
//
// On the caller's stack for the blocking forms; on the heap, completing through `on_done`, for the coroutine forms. In the
// core's list from start() to its end, and in its table of grants while it is queued.
#pragma once

#include "client/call.hpp"
#include "client/replicate_call.hpp"
#include "client/script_call.hpp"
#include "lock/acquire_machine.hpp"
#include "lock/checked_options.hpp"
#include "lock/flavour.hpp"
#include "runtime/timer_queue.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace holdfast::detail {

class acquire_call final : public script_call, public call, private runtime::timer {
 public:
  // `key` and `id` (the owner) are kept; `how` must be checked.
  acquire_call(core& owner, std::string key, std::string id, const lock::terms& how,
               lock::flavour_ptr what = lock::plain());
  ~acquire_call();

  // With the guard held.
  void start(runtime::time_point now);
  void cancel(const failure& why);
  void on_grant(std::uint64_t ticket, runtime::time_point now);
  void on_dismissal(std::uint64_t ticket, runtime::time_point now);
  void on_up(runtime::time_point now);

  [[nodiscard]] const lock::acquire_machine& machine() const noexcept { return machine_; }
  [[nodiscard]] const std::string& key() const noexcept { return key_; }
  [[nodiscard]] const std::string& id() const noexcept { return id_; }
  [[nodiscard]] const lock::terms& how() const noexcept { return how_; }
  [[nodiscard]] const lock::flavour_ptr& what() const noexcept { return what_; }

  // Set for the coroutine forms; called with the guard held, may destroy this.
  std::function<void(acquire_call&)> on_done;

  // Its number in this client: how a grant finds it.
  [[nodiscard]] std::uint64_t number() const noexcept { return number_; }

  // The core's.
  acquire_call* next = nullptr;
  acquire_call* previous = nullptr;
  bool listed = false;
  bool expecting = false;

 private:
  [[nodiscard]] std::string_view routed_by() const noexcept override { return key_; }
  [[nodiscard]] std::string_view listens_on() override;
  [[nodiscard]] bool may_queue() const;
  void encode_values(std::string& out) override;
  void on_answer(const resp::value& reply, runtime::time_point now) override;
  void on_interrupted(const failure& why, runtime::time_point now) override;
  void on_refused(const failure& why, runtime::time_point now) override;
  void fire(runtime::time_point now) override;
  void follow(lock::acquire_step step, runtime::time_point now);
  void end(runtime::time_point now);
  void write_entry();
  void prepare_attempt(runtime::time_point now);

  void replicate(runtime::time_point now);

  class type_query;
  void name_the_type(const failure& why, runtime::time_point now);

  std::string key_;
  std::string id_;
  std::uint64_t number_;
  bool queued_before_ = false;  // whether the server may know our entry already
  std::string entry_;           // how we stand in the queue; empty: no server can have seen it
  std::string channel_;         // of our inbox in the lock's slot; empty: the grant comes to the client's
  lock::terms how_;
  lock::flavour_ptr what_;
  lock::acquire_machine machine_;
  std::unique_ptr<type_query> type_;
  std::unique_ptr<replicate_call> replicating_;  // it is ours, and its replicas are waited for
  // On a quorum, whose nodes invite one by one:
  struct {
    std::size_t count = 0;
    runtime::time_point due = runtime::never;  // when to ask although not many have
    bool heeded = true;
  } invitations_;
  // Likewise those that have done what is waited for.
  struct {
    std::size_t count = 0;
    runtime::time_point due = runtime::never;
  } dismissals_;
  runtime::time_point attempted_{};                         // when it was last put to the vote
  std::optional<runtime::time_point> unreachable_since_{};  // no attempt since then reached a majority

  bool misunderstood_ = false;  // a link broke because of what the server sent
  bool unanswered_ = false;     // a link broke under a request that the server may have run
  bool unheard_ = false;        // it was sent without the entry, because nobody listens to that channel yet
  bool listens_ = false;        // so it has to be subscribed to
};

}  // namespace holdfast::detail
