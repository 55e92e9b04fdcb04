#include "client/recursive_hold.hpp"

#include "client/acquire_blocking.hpp"
#include "lock/owner_text.hpp"
#include "lock/snapshot.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <utility>

namespace holdfast::detail {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::steady_clock;

namespace {

// Kept to the end of the process: objects with static lifetime may still leave it.
struct directory {
  std::mutex guard;
  std::map<std::pair<const core*, std::string>, std::weak_ptr<recursive_hold>> holds;
};
directory& all_holds() {
  static auto* const made = new directory;
  return *made;
}

// Redisson's layout is for locks that are shared with Java; the nodes of a quorum vote for an owner, and how deep it is inside is its own
// affair in either layout.
lock::flavour_ptr recursive_flavour(const core& owner, std::string_view key) {
  if (owner.where().deployment == deployment::quorum) return lock::plain();
  return std::make_shared<const lock::flavour>(lock::flavour{.acquire = &scripts::recursive_acquire,
                                                             .release = &scripts::recursive_release,
                                                             .renew = &scripts::recursive_renew,
                                                             .extra = {lock::redisson_channel(key)}});
}

failure cancelled(std::string_view name) {
  return {errc::cancelled, "the stop_token ended the wait for " + std::string{name}};
}

failure over(std::string_view name) {
  return {errc::lost,
          "the lease of " + std::string{name} +
              " is over while the caller is still inside; unlock as often as it was locked, then lock again"};
}

}  // namespace

lock::visitor this_thread_as_visitor() {
  static std::atomic<std::uint64_t> last{0};
  thread_local const std::uint64_t number = ++last;
  return {number, {}};
}

std::shared_ptr<recursive_hold> recursive_hold::of(const std::shared_ptr<core>& owner, const std::string& key) {
  directory& all = all_holds();
  const std::pair where{static_cast<const core*>(owner.get()), key};
  // Whoever lets go last takes the entry off, unless a new one has taken its place meanwhile.
  const auto forget = [where](recursive_hold* gone) {
    delete gone;
    directory& from = all_holds();
    const std::lock_guard lock{from.guard};
    if (const auto found = from.holds.find(where); found != from.holds.end() && found->second.expired()) {
      from.holds.erase(found);
    }
  };
  const std::lock_guard lock{all.guard};
  auto& known = all.holds[where];
  if (auto there = known.lock()) return there;
  std::shared_ptr<recursive_hold> made{new recursive_hold{owner, key}, forget};
  known = made;
  return made;
}

recursive_hold::recursive_hold(std::shared_ptr<core> owner, const std::string& key)
    : owner_{std::move(owner)}, flavour_{recursive_flavour(*owner_, key)} {}

recursive_hold::admission recursive_hold::pass_gate(const lock::visitor& who, std::string_view name, const options& how,
                                                    std::optional<nanoseconds> limit) {
  std::unique_lock lock{guard_};
  const auto is_open = [&] { return inside_.open_to(who); };
  if (limit ? opened_.wait_for(lock, how.stop, *limit, is_open) : opened_.wait(lock, how.stop, is_open)) {
    if (inside_.is_inside(who) && lease_->state() == lease_state::LOST) return {.answer = over(name)};
    return {.ask = inside_.enter(who) == lock::entering::first};
  }
  if (how.stop.stop_requested()) return {.answer = cancelled(name)};
  const std::string busy = std::string{name} + " is held through this client, by another thread or owner";
  if (*limit <= nanoseconds{0}) return {.answer = failure{errc::held, busy}};
  return {.answer = failure{errc::timed_out, "the wait limit passed; " + busy}};
}

result<void> recursive_hold::ask_server(const lock::visitor& who, std::string_view name, options how,
                                        std::optional<nanoseconds> left) {
  how.wait.reset();
  const bool waits = !left || *left > nanoseconds{0};
  if (left && waits) {
    how.wait = std::min<milliseconds>(std::chrono::ceil<milliseconds>(*left), std::chrono::hours{24 * 3650});
  }
  if (who.owner.empty()) {
    // Another one for each acquisition: what was sent for an earlier one can never touch this.
    std::string digits;
    const auto guard = owner_->lock();
    owner_->random().append_hex(digits);
    how.owner = lock::redisson_owner(owner_->inbox(), digits, ::gettid());
  }
  auto got = acquire_blocking(owner_, name, how, waits, flavour_);
  if (!got) return got.failure();
  {
    const std::lock_guard lock{guard_};
    lease_ = std::make_shared<lease>(std::move(*got));
    inside_.arrived();
  }
  if (!who.owner.empty()) opened_.notify_all();  // other threads of the same owner
  return {};
}

result<void> recursive_hold::enter(const lock::visitor& who, std::string_view name, const options& how,
                                   std::optional<nanoseconds> limit) {
  if (owner_->is_foreign()) return core::foreign();
  const auto start = steady_clock::now();
  const admission gate = pass_gate(who, name, how, limit);
  if (!gate.ask) return gate.answer;
  if (limit) limit = std::max<nanoseconds>(*limit - (steady_clock::now() - start), nanoseconds{0});
  try {
    auto asked = ask_server(who, name, how, limit);
    if (!asked) open();
    return asked;
  } catch (...) {
    open();
    throw;
  }
}

release_outcome recursive_hold::leave(const lock::visitor& who) noexcept {
  std::shared_ptr<lease> held;
  {
    const std::lock_guard lock{guard_};
    held = lease_;
    switch (inside_.leave(who)) {
      case lock::leaving::absent:
        return release_outcome::was_lost;
      case lock::leaving::inner:
        return *held ? release_outcome::released : release_outcome::was_lost;
      case lock::leaving::last:
        break;
    }
  }
  const release_outcome outcome = held->release();
  open();
  return outcome;
}

void recursive_hold::open() noexcept {
  {
    const std::lock_guard lock{guard_};
    inside_.gone();
  }
  opened_.notify_one();
}

std::uint64_t recursive_hold::depth(const lock::visitor& who) const {
  const std::lock_guard lock{guard_};
  return inside_.is_inside(who) ? inside_.depth() : 0;
}

std::shared_ptr<lease> recursive_hold::current() const {
  const std::lock_guard lock{guard_};
  return lease_;
}

}  // namespace holdfast::detail
