#include "client/meeting.hpp"

#include "client/acquire_blocking.hpp"
#include "client/count_call.hpp"
#include "client/lease_access.hpp"
#include "client/supported.hpp"
#include "lock/names.hpp"
#include "lock/transaction.hpp"

namespace holdfast::detail {

using runtime::boot_clock;

meeting::meeting(const client& redis, lock::meeting_kind kind, std::string_view name, std::ptrdiff_t expected,
                 meeting_options how)
    : core_{lease_access::core_of(redis)}, kind_{kind}, name_{name}, expected_{expected}, how_{std::move(how)} {
  if (const auto why = unsupported(*core_, "a latch or barrier")) throw error{*why};
  lock::check_meeting(kind_, expected_, how_).value();
  key_ = lock::make_key(how_.prefix ? *how_.prefix : core_->where().prefix, name_).value();
}

// Long enough to connect anew once and be answered.
runtime::duration meeting::longest_call() const noexcept {
  return core_->where().connect_timeout + core_->where().command_timeout;
}

result<lock::meet_reply> meeting::send(std::ptrdiff_t n, bool drops) {
  auto guard = core_->lock();
  arrival what{.kind = kind_,
               .expected = expected_,
               .ttl = lock::meeting_ttl(how_, longest_call()),
               .remembered = lock::replay_window(longest_call()),
               .made = made_.load(),
               .count = n,
               .drops = drops};
  if (n > 0) what.id = core_->make_owner();
  count_call call{*core_, key_, std::move(what)};
  call.start(boot_clock::now(), longest_call());
  core_->wait(guard, call);
  return call.outcome();
}

result<lock::meet_reply> meeting::arrive(std::ptrdiff_t n, bool drops) {
  if (core_->is_foreign()) return core::foreign();
  if (auto checked = lock::check_arrivals(n); !checked) return checked.failure();
  auto met = send(n, drops);
  if (!met) return met;
  made_.store(met->made);
  // The arrival stands. If telling the rest fails here, their own heartbeats do it.
  for (bool more = met->more; more;) {
    const auto next = send(0, false);
    more = next && next->more;
  }
  return met;
}

result<void> meeting::wait(std::uint64_t made, std::uint64_t phase, std::optional<std::chrono::nanoseconds> limit) {
  return wait_blocking(core_, key_, name_, lock::meeting_terms(lock::meeting_ttl(how_, longest_call()), limit),
                       lock::meeting_flavour(kind_, expected_, made, phase), how_.stop);
}

}  // namespace holdfast::detail
