// Taking several locks: the atomic step, and where that is not possible one after the other in one order for everybody.
#include <holdfast/multi_lock.hpp>

#include "client/acquire_blocking.hpp"
#include "client/admission.hpp"
#include "client/batch.hpp"
#include "client/lease_access.hpp"
#include "client/multi_held.hpp"
#include "client/prepare.hpp"
#include "client/release_call.hpp"
#include "client/unexpected.hpp"
#include "lock/members.hpp"

#include <algorithm>
#include <mutex>

namespace holdfast {

using detail::core;
using runtime::boot_clock;
using std::chrono::milliseconds;

namespace {

// What is undone is undone within a claim window and a silence, or has lapsed by itself (acquire_call.cpp).
constexpr milliseconds undo_limit{6000};

class attempt {
 public:
  attempt(std::shared_ptr<core> owner, std::vector<std::string> names, options how, bool waits)
      : owner_{std::move(owner)}, names_{std::move(names)}, how_{std::move(how)}, waits_{waits} {
    limit_ = how_.wait ? runtime::after(boot_clock::now(), *how_.wait) : runtime::never;
    on_lost_ = std::exchange(how_.on_lost, {});
  }

  result<multi_lease> run() {
    for (const std::string& each : names_) {
      const auto kind = detail::unless_quorum(*owner_, "a lock on several names");
      auto checked = detail::prepare(*owner_, each, how_, waits_, kind);
      if (!checked) return checked.failure();
      prefix_ = checked->prefix;
      terms_ = checked->terms;
      keys_.push_back(std::move(checked->key));
    }
    if (how_.owner.empty()) {
      auto guard = owner_->lock();
      how_.owner = owner_->make_owner();
    }
    for (;;) {
      // Of this round: what is lost before all are taken is nobody's business.
      signal_ = std::make_shared<detail::loss_signal>();
      how_.on_lost = [signal = signal_](const loss& what) { signal->tell(what); };
      auto problem = take();
      const bool whole = !problem && std::all_of(members_.begin(), members_.end(),
                                                 [](const lease& each) { return each.state() != lease_state::LOST; });
      if (whole) return finish();
      give_back();
      if (problem) return *problem;
      if (!waits_) return failure{errc::lost, "a lock was lost while the others were taken"};
    }
  }

 private:
  // None: all were taken.
  std::optional<failure> take() {
    // Apart, or each of them waits for its replicas.
    if (!in_one_place() || terms_.replicas.value != 0) return one_by_one();
    auto step = at_once();
    if (step && !step->fences.empty()) return std::nullopt;
    if (!step) {
      // Without a connection waiting goes on below, where it is done for every lock.
      const bool passing = waits_ && step.failure().code == errc::unreachable;
      if (step.failure().sent == delivery::unanswered) unanswered_ = true;
      if (!passing) return step.failure();
    } else if (!waits_ && step->held) {
      return failure{errc::held, names_[step->which] + " is held by " + step->holder.substr(0, 120)};
    }
    return one_by_one();
  }

  // In a Cluster one step can only be about one slot.
  bool in_one_place() const {
    const auto kind = owner_->where().deployment;
    if (kind == deployment::quorum) return false;
    if (kind != deployment::cluster) return true;
    return std::all_of(keys_.begin(), keys_.end(),
                       [&](const std::string& each) { return lock::slot_of(each) == lock::slot_of(keys_.front()); });
  }

  result<lock::multi_reply> at_once() {
    std::vector<std::string> keys;
    for (const std::string& each : keys_) {
      keys.push_back(each);
      keys.push_back(lock::waiters_key(each));
      keys.push_back(lock::fence_key(each));
    }
    const auto ttl = std::chrono::duration_cast<milliseconds>(terms_.ttl).count();
    const std::vector<std::string> args{how_.owner, std::to_string(ttl), how_.fence ? "1" : "0"};
    auto guard = owner_->lock();
    detail::batch asked{*owner_, true};
    asked.add_script(scripts::multi_acquire, keys, args);
    if (auto problem = asked.run(guard)) return *problem;
    auto read = lock::read_multi(asked.reply(0), keys_.size());
    if (!read || read->fences.empty()) return read;
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      const lock::acquisition got{.fence = read->fences[i], .held = {asked.sent_at(0), terms_.ttl}};
      members_.push_back(detail::lease_access::make(owner_, keys_[i], how_.owner, prefix_, terms_, got, how_.on_lost));
      ++owner_->counters().attempts;
      ++owner_->counters().acquired;
    }
    owner_->settle(guard);
    return read;
  }

  std::optional<failure> one_by_one() {
    for (const std::string& each : names_) {
      options now = how_;
      now.wait.reset();
      if (limit_ != runtime::never) {
        const auto left = std::chrono::ceil<milliseconds>(limit_ - boot_clock::now());
        if (left <= milliseconds{0}) return failure{errc::timed_out, "the wait limit passed before " + each};
        now.wait = left;
      }
      auto got = detail::acquire_blocking(owner_, each, now, waits_);
      if (!got) return got.failure();
      members_.push_back(std::move(*got));
    }
    return std::nullopt;
  }

  void give_back() {
    signal_->silence();
    static_cast<void>(detail::release_all(members_));
    members_.clear();
    if (!unanswered_) return;
    // The atomic step may have been done without our hearing of it.
    auto guard = owner_->lock();
    for (const std::string& each : keys_) {
      if (!owner_->closing()) {
        detail::release_call::detach(*owner_, each, how_.owner, {}, undo_limit, lock::plain());
      }
    }
    owner_->settle(guard);
  }

  multi_lease finish() {
    auto held = std::make_unique<detail::multi_held>();
    held->names = std::move(names_);
    held->members = std::move(members_);
    held->signal = signal_;
    if (on_lost_) signal_->add(std::move(on_lost_));
    return multi_lease{std::move(held)};
  }

  std::shared_ptr<core> owner_;
  std::vector<std::string> names_;
  options how_;
  const bool waits_;
  runtime::time_point limit_;
  std::function<void(const loss&)> on_lost_;
  std::shared_ptr<detail::loss_signal> signal_;
  std::vector<std::string> keys_;
  std::size_t prefix_ = 0;
  lock::terms terms_;
  std::vector<lease> members_;
  bool unanswered_ = false;
};

result<multi_lease> take_all(client& redis, const std::vector<std::string>& names, const options& how,
                             bool waits) noexcept try {
  const auto owner = detail::lease_access::core_of(redis);
  if (owner->is_foreign()) return core::foreign();
  auto ordered = lock::order_members(names);
  if (!ordered) return ordered.failure();
  return attempt{owner, std::move(*ordered), how, waits}.run();
} catch (const std::exception& problem) {
  return detail::unexpected(problem);
}

}  // namespace

multi_lease acquire_all(client& redis, const std::vector<std::string>& names, const options& how) {
  return acquire_all(std::nothrow, redis, names, how).value();
}
result<multi_lease> acquire_all(std::nothrow_t, client& redis, const std::vector<std::string>& names,
                                const options& how) noexcept {
  return take_all(redis, names, how, true);
}
result<multi_lease> try_acquire_all(client& redis, const std::vector<std::string>& names, const options& how) noexcept {
  return take_all(redis, names, how, false);
}

// ---- the Lockable

struct multi_lock::state_type {
  state_type(client& from, std::vector<std::string> of, options with)
      : redis{from}, names{std::move(of)}, how{std::move(with)} {}

  client& redis;
  const std::vector<std::string> names;
  const options how;
  detail::admission door{};
  mutable std::mutex guard{};
  multi_lease current{};

  // Zero limit: one try. None: as long as it takes.
  result<void> take(std::optional<std::chrono::nanoseconds> limit) {
    const auto start = boot_clock::now();
    if (!door.enter(limit, how.stop)) {
      if (how.stop.stop_requested()) return failure{errc::cancelled, "the stop_token ended the wait"};
      const bool once = *limit <= std::chrono::nanoseconds{0};
      return failure{once ? errc::held : errc::timed_out, "held through this very object, by another thread"};
    }
    options now = how;
    now.wait.reset();
    bool waits = true;
    if (limit) {
      const auto left = std::chrono::ceil<milliseconds>(*limit - (boot_clock::now() - start));
      waits = left > milliseconds{0};
      if (waits) now.wait = std::min<milliseconds>(left, std::chrono::hours{24 * 3650});
    }
    auto got = take_all(redis, names, now, waits);
    if (!got) {
      door.leave();
      return got.failure();
    }
    const std::lock_guard lock{guard};
    current = std::move(*got);
    return {};
  }
};

multi_lock::multi_lock(client& redis, std::vector<std::string> names, options how) {
  auto ordered = lock::order_members(std::move(names)).value();
  for (const std::string& each : ordered) {
    const auto& core = detail::lease_access::core_of(redis);
    static_cast<void>(detail::prepare(*core, each, how, true, detail::unless_quorum(*core, "a multi_lock")).value());
  }
  state_ = std::make_unique<state_type>(redis, std::move(ordered), std::move(how));
}
multi_lock::~multi_lock() = default;

void multi_lock::lock() { lock(std::nothrow).value(); }

result<void> multi_lock::lock(std::nothrow_t) noexcept try {
  if (state_->how.wait) return state_->take(*state_->how.wait);
  return state_->take({});
} catch (const std::exception& problem) {
  return detail::unexpected(problem);
}

bool multi_lock::try_lock() { return try_lock_within({}); }

result<void> multi_lock::try_lock(std::nothrow_t) noexcept try {
  return state_->take(std::chrono::nanoseconds{0});
} catch (const std::exception& problem) {
  return detail::unexpected(problem);
}

bool multi_lock::try_lock_within(std::chrono::nanoseconds limit) {
  const auto done = state_->take(limit);
  if (done) return true;
  if (done.code() == errc::held || done.code() == errc::timed_out || done.code() == errc::lost) return false;
  throw error{done.failure()};
}

void multi_lock::unlock() noexcept { static_cast<void>(release()); }

release_outcome multi_lock::release() noexcept {
  const release_outcome outcome = state_->current.release();
  state_->door.leave();
  return outcome;
}

std::uint64_t multi_lock::fence(std::string_view name) const noexcept {
  const std::lock_guard lock{state_->guard};
  return state_->current.fence(name);
}
std::stop_token multi_lock::lost() const {
  const std::lock_guard lock{state_->guard};
  return state_->current.lost();
}
lease_state multi_lock::state() const noexcept {
  const std::lock_guard lock{state_->guard};
  return state_->current.state();
}
std::chrono::nanoseconds multi_lock::remaining() const noexcept {
  const std::lock_guard lock{state_->guard};
  return state_->current.remaining();
}

}  // namespace holdfast
