#include "client/held_lease.hpp"

#include "lock/replies.hpp"

namespace holdfast::detail {

using lock::lease_step;
using runtime::time_point;
using std::chrono::duration_cast;
using std::chrono::milliseconds;

held_lease::held_lease(std::shared_ptr<core> owner, std::string key, std::string id, std::size_t prefix,
                       const lock::terms& how, const lock::acquisition& got, std::function<void(const loss&)> on_lost,
                       bool detached, time_point now, lock::flavour_ptr what)
    : script_call{*owner, *what->renew, 1, 3 + what->extra.size()},
      owner_{std::move(owner)},
      key_{std::move(key)},
      id_{std::move(id)},
      what_{std::move(what)},
      fence_{got.fence},
      prefix_{static_cast<std::uint32_t>(prefix)},
      detached_{detached},
      machine_{how, got, now} {
  if (on_lost) on_lost_ = std::make_unique<std::function<void(const loss&)>>(std::move(on_lost));
}

held_lease::~held_lease() = default;  // stop() or the loss took it off every list

void held_lease::start() {
  core_->enlist(*this);
  reschedule();
}

void held_lease::reschedule() { core_->timers().schedule(*this, machine_.wake_at()); }

void held_lease::fire(time_point now) { follow(machine_.timer(now), now); }

void held_lease::follow(lease_step step, time_point now) {
  if (step == lease_step::lost) return lose();
  if (step == lease_step::renew && !pending()) {
    // Never more than the server can hold and never less than a millisecond.
    asked_ms_ = static_cast<std::uint32_t>(
        std::min<std::int64_t>(duration_cast<milliseconds>(machine_.renewal_length(now)).count(), UINT32_MAX));
    if (asked_ms_ == 0) asked_ms_ = 1;
    submit(now);
  }
  reschedule();
}

void held_lease::encode_values(std::string& out) {
  resp::append_bulk(out, key_);
  resp::append_bulk(out, id_);
  resp::append_bulk(out, static_cast<std::int64_t>(asked_ms_));
  for (const std::string& each : what_->extra) resp::append_bulk(out, each);
}

void held_lease::on_answer(const resp::value& reply, time_point now) {
  const auto read = lock::read_renew(reply);
  if (!read) {
    machine_.renewal_failed(now);
    return follow(machine_.timer(now), now);
  }
  switch (*read) {
    case lock::renew_reply::kept: {
      auto& count = core_->counters();
      ++count.renewals;
      count.validity_at_renewal.record(std::max(machine_.deadline() - now, runtime::duration{0}));
      return follow(machine_.renewed(now, {sent_at(), milliseconds{asked_ms_}}), now);
    }
    case lock::renew_reply::gone:
      return follow(machine_.disproved(loss_cause::gone), now);
    case lock::renew_reply::taken:
      return follow(machine_.disproved(loss_cause::taken), now);
  }
}

// A renewal that did not go through is tried again, on the next link if need be: only silence until the deadline or the
// server's word is a loss.
void held_lease::on_interrupted(const failure& /*why*/, time_point now) {
  machine_.renewal_failed(now);
  follow(machine_.timer(now), now);
}

void held_lease::on_refused(const failure& /*why*/, time_point now) {
  machine_.renewal_failed(now);
  follow(machine_.timer(now), now);
}

void held_lease::on_up(time_point now) {
  machine_.verify_soon(now);
  reschedule();
}

void held_lease::on_moved(time_point now) {
  machine_.doubt(now);
  reschedule();
}

void held_lease::close() { follow(machine_.disproved(loss_cause::closed), runtime::boot_clock::now()); }

void held_lease::disproved(loss_cause cause) { follow(machine_.disproved(cause), runtime::boot_clock::now()); }

milliseconds held_lease::extending(milliseconds ttl, time_point now) {
  machine_.extending(now, ttl);
  reschedule();
  return std::max(duration_cast<milliseconds>(machine_.renewal_length(now)), milliseconds{1});
}

void held_lease::extended(const lock::proof& fresh, time_point now) { follow(machine_.renewed(now, fresh), now); }

void held_lease::look_at_clock(time_point now) {
  if (!stopped_ && now >= machine_.deadline()) follow(machine_.timer(now), now);
}

lease_state held_lease::state(time_point now) const noexcept {
  if (stopped_ && !machine_.cause()) return lease_state::LOST;
  const lease_state known = machine_.state(now);
  if (known == lease_state::VALID && !core_->nodes().reaches(key_)) return lease_state::JEOPARDY;
  return known;
}

loss held_lease::what_happened() const {
  return {machine_.cause().value_or(loss_cause::expired), std::string{name()}, fence_};
}

std::stop_token held_lease::token() {
  if (!stop_) {
    stop_ = std::make_unique<std::stop_source>();
    if (machine_.cause()) stop_->request_stop();  // nobody can have registered with it yet
  }
  return stop_->get_token();
}

void held_lease::add_callback(std::function<void(const loss&)> callback) {
  if (!on_lost_) {
    on_lost_ = std::make_unique<std::function<void(const loss&)>>(std::move(callback));
    return;
  }
  auto both = [first = std::move(*on_lost_), second = std::move(callback)](const loss& what) {
    first(what);
    second(what);
  };
  *on_lost_ = std::move(both);
}

void held_lease::stop() {
  if (stopped_) return;
  stopped_ = true;
  abandon();
  withdraw();
  core_->timers().cancel(*this);
  core_->delist(*this);
  core_->counters().hold.record(runtime::boot_clock::now() - machine_.since());
}

void held_lease::lose() {
  if (stopped_) return;
  const auto keep = shared_from_this();
  stop();
  ++core_->counters().lost[static_cast<std::size_t>(*machine_.cause())];
  if (!stop_ && !on_lost_) return;
  // The source is shared: whoever holds a token keeps hearing from it.
  core_->call_user(
      [self = keep, source = stop_ ? *stop_ : std::stop_source{std::nostopstate}, what = what_happened()]() mutable {
        source.request_stop();
        if (self->on_lost_) (*self->on_lost_)(what);
      });
}

}  // namespace holdfast::detail
