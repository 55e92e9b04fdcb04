#include "client/acquire_blocking.hpp"

#include "client/acquire_call.hpp"
#include "client/lease_access.hpp"
#include "client/prepare.hpp"
#include "client/supported.hpp"
#include "client/unexpected.hpp"
#include "lock/meeting.hpp"
#include "lock/transaction.hpp"

#include <optional>
#include <stop_token>

namespace holdfast::detail {

namespace {

// Starts the call and waits for its end, which `stop` may bring about. With the guard held, before and after.
void carry_out(const std::shared_ptr<core>& owner, guard_type& guard, acquire_call& call, const std::stop_token& stop,
               std::string_view name) {
  call.start(runtime::boot_clock::now());
  std::optional<std::stop_callback<std::function<void()>>> stopper;
  if (stop.stop_possible()) {
    // Registering may run the callback at once, and it takes the mutex.
    guard.unlock();
    stopper.emplace(stop, std::function<void()>{[&] {
                      auto inner = owner->lock();
                      call.cancel({errc::cancelled, "the stop_token ended the wait for " + std::string{name}});
                      owner->settle(inner);
                    }});
    guard.lock();
  }
  owner->wait(guard, call);
  if (!stopper) return;
  guard.unlock();
  stopper.reset();  // waits for a callback that is running
  guard.lock();
}

}  // namespace

// By value here, and copied in the calls below: the client may be destroyed while they wait.
result<lease> acquire_blocking(std::shared_ptr<core> owner, std::string_view name, const options& how,  // NOLINT
                               bool waits, lock::flavour_ptr what) noexcept try {
  if (owner->is_foreign()) return core::foreign();
  auto prepared = prepare(*owner, name, how, waits);
  if (!prepared) return prepared.failure();
  if (what == lock::plain()) what = prepared->what;
  if (auto why = unsupported(*owner, *what)) return *why;
  auto guard = owner->lock();
  if (prepared->id.empty()) prepared->id = owner->make_owner();
  std::optional<acquire_call> call;
  call.emplace(*owner, std::move(prepared->key), std::move(prepared->id), prepared->terms, std::move(what));
  carry_out(owner, guard, *call, how.stop, name);
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
  return unexpected(problem);
}

result<void> wait_blocking(std::shared_ptr<core> owner, std::string_view key, std::string_view name,  // NOLINT
                           const lock::terms& how, lock::flavour_ptr what, const std::stop_token& stop) noexcept try {
  if (owner->is_foreign()) return core::foreign();
  if (auto why = unsupported(*owner, *what)) return *why;
  auto guard = owner->lock();
  acquire_call call{*owner, std::string{key}, owner->make_owner(), how, std::move(what)};
  carry_out(owner, guard, call, stop, name);
  if (call.machine().won()) return {};
  return lock::meeting_failure(call.machine().lost(), name, call.machine().holder());
} catch (const std::exception& problem) {
  return unexpected(problem);
}

}  // namespace holdfast::detail
