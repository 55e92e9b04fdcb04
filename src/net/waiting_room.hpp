// Where requests wait that no node can take at the moment: each for a time, or until it is called.
//
// Place: beside the connections, as another carrier; used by topology/cluster.hpp. Guarded by the client's mutex.
#pragma once

#include "net/request.hpp"
#include "runtime/timer_queue.hpp"

#include <deque>
#include <functional>
#include <vector>

namespace holdfast::net {

class waiting_room final : public carrier, private runtime::timer {
 public:
  // `ready` is called for each whose time has come; it is not in here any more then.
  waiting_room(runtime::timer_queue& timers, std::function<void(request&, runtime::time_point)> ready)
      : timers_{timers}, ready_{std::move(ready)} {}
  ~waiting_room() { timers_.cancel(*this); }

  // `until` never: stays until it is taken out.
  void add(request& what, runtime::time_point now, runtime::time_point until);
  [[nodiscard]] bool empty() const noexcept { return inside_.empty(); }

  // Those for which `wanted(request, since when it is here)` holds leave, in the order in which they came. One at a time: what
  // `then` does may abandon others.
  void take_if(const std::function<bool(const request&, runtime::time_point)>& wanted,
               const std::function<void(request&)>& then);

  void abandon(request& what) noexcept override;
  void end_turn(const request& /*what*/, runtime::time_point /*now*/) override {}

 private:
  struct guest {
    request* who;
    runtime::time_point since;
    runtime::time_point until;
  };
  void fire(runtime::time_point now) override;
  void plan();

  runtime::timer_queue& timers_;
  const std::function<void(request&, runtime::time_point)> ready_;
  std::deque<guest> inside_;
};

}  // namespace holdfast::net
