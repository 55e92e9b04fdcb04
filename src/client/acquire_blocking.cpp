#include "client/acquire_blocking.hpp"

#include "client/acquire_call.hpp"
#include "client/lease_access.hpp"
#include "client/prepare.hpp"

#include <optional>
#include <stop_token>

namespace holdfast::detail {

// By value here, and copied in the calls below: the client may be destroyed while they wait.
result<lease> acquire_blocking(std::shared_ptr<core> owner, std::string_view name, const options& how,  // NOLINT
                               bool waits, lock::flavour_ptr what) noexcept try {
  if (owner->is_foreign()) return core::foreign();
  auto prepared = prepare(*owner, name, how, waits);
  if (!prepared) return prepared.failure();
  if (what == lock::plain()) what = prepared->what;
  auto guard = owner->lock();
  if (prepared->id.empty()) prepared->id = owner->make_owner();
  std::optional<acquire_call> call;
  call.emplace(*owner, std::move(prepared->key), std::move(prepared->id), prepared->terms, std::move(what));
  call->start(runtime::boot_clock::now());

  std::optional<std::stop_callback<std::function<void()>>> stopper;
  if (how.stop.stop_possible()) {
    // Registering may run the callback at once, and it takes the mutex.
    guard.unlock();
    stopper.emplace(how.stop, std::function<void()>{[&] {
                      auto inner = owner->lock();
                      call->cancel({errc::cancelled, "the stop_token ended the wait for " + std::string{name}});
                      owner->settle(inner);
                    }});
    guard.lock();
  }
  owner->wait(guard, *call);
  if (stopper) {
    guard.unlock();
    stopper.reset();  // waits for a callback that is running
    guard.lock();
  }
  if (!call->machine().won()) {
    const failure why = call->machine().lost();
    call.reset();
    return why;
  }
  lease made = lease_access::make(owner, *call, prepared->prefix, how.on_lost, false);
  call.reset();
  owner->settle(guard);
  return made;
} catch (const std::exception& problem) {
  return failure{errc::unreachable, problem.what()};
}

}  // namespace holdfast::detail
