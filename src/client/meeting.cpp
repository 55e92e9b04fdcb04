#include "client/meeting.hpp"

#include "client/acquire_blocking.hpp"
#include "client/count_call.hpp"
#include "client/lease_access.hpp"
#include "lock/names.hpp"
#include "lock/transaction.hpp"

#include <algorithm>

namespace holdfast::detail {

using runtime::boot_clock;

namespace {

// Between two attempts of one wait to bring a quorum's nodes together.
constexpr std::chrono::milliseconds first_rest{50};
constexpr std::chrono::seconds last_rest{30};
// How often somebody who may not wait looks, when the nodes differ.
constexpr int most_last_looks = 3;

}  // namespace

meeting::meeting(const client& redis, lock::meeting_kind kind, std::string_view name, std::ptrdiff_t expected,
                 meeting_options how)
    : core_{lease_access::core_of(redis)}, kind_{kind}, name_{name}, expected_{expected}, how_{std::move(how)} {
  if (!core_->where().scripts) throw error{lock::needs_scripts("a latch or barrier")};
  lock::check_meeting(kind_, expected_, how_).value();
  key_ = lock::make_key(how_.prefix ? *how_.prefix : core_->where().prefix, name_).value();
  if (core_->where().deployment == deployment::quorum) quorum_ = std::make_unique<quorum_meeting>(core_, key_);
}

// Long enough to connect anew once and be answered.
runtime::duration meeting::longest_call() const noexcept {
  return core_->where().connect_timeout + core_->where().command_timeout;
}

arrival meeting::make_arrival(std::ptrdiff_t n, bool drops) const {
  return {.kind = kind_,
          .expected = expected_,
          .ttl = lock::meeting_ttl(how_, longest_call()),
          .remembered = lock::replay_window(longest_call()),
          .made = made_.load(),
          .count = n,
          .drops = drops};
}

result<lock::meet_reply> meeting::send(std::ptrdiff_t n, bool drops) {
  arrival what = make_arrival(n, drops);
  if (quorum_) return quorum_->count(what, longest_call());
  auto guard = core_->lock();
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
  const auto start = boot_clock::now();
  auto left = limit;
  auto next_settling = start;
  int last_looks = 0;
  for (runtime::duration rest = first_rest;;) {
    auto waited = wait_blocking(core_, key_, name_, lock::meeting_terms(lock::meeting_ttl(how_, longest_call()), left),
                                lock::meeting_flavour(kind_, expected_, made, phase), how_.stop);
    // On a quorum whose nodes differ (meet_ballot.hpp).
    if (!quorum_ || waited || waited.code() != errc::not_replicated) return waited;
    const bool last_look = left && *left <= std::chrono::nanoseconds{0};
    if (last_look && ++last_looks == most_last_looks) {
      return failure{errc::timed_out, "the wait limit passed; " + waited.failure().detail};
    }
    if (last_look || boot_clock::now() >= next_settling) {
      arrival look = make_arrival(0, false);
      look.made = made;
      quorum_->settle(look, longest_call());
      // What settling does not help with, such as a node without memory, is not tried all the time.
      next_settling = boot_clock::now() + rest;
      rest = std::min<runtime::duration>(rest * 2, last_rest);
    }
    if (limit) left = std::max<std::chrono::nanoseconds>(*limit - (boot_clock::now() - start), {});
  }
}

}  // namespace holdfast::detail
