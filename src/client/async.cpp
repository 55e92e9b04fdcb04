// The operations behind holdfast/asio.hpp. Each is an object that keeps itself alive until its completion was called: it
// holds the call under way, is told of its end with the guard held, and completes after unlocking (deferred).
#include <holdfast/detail/async.hpp>

#include "client/acquire_call.hpp"
#include "client/deferred.hpp"
#include "client/lease_access.hpp"
#include "client/outcomes.hpp"
#include "client/plain_call.hpp"
#include "client/prepare.hpp"
#include "client/release_call.hpp"

#include <memory>
#include <optional>

namespace holdfast::detail {

using runtime::boot_clock;

namespace {

class async_acquire final : public deferred, public cancellable, public std::enable_shared_from_this<async_acquire> {
 public:
  async_acquire(std::shared_ptr<core> owner, std::unique_ptr<completion<result<lease>>> done)
      : owner_{std::move(owner)}, done_{std::move(done)} {}

  void start(prepared what, std::function<void(const loss&)> on_lost) {
    auto guard = owner_->lock();
    if (what.id.empty()) what.id = owner_->make_owner();
    self_ = shared_from_this();
    call_.emplace(*owner_, std::move(what.key), std::move(what.id), what.terms, std::move(what.what));
    call_->on_done = [this, prefix = what.prefix, callback = std::move(on_lost)](acquire_call& call) {
      if (call.machine().won()) {
        outcome_.emplace(lease_access::make(owner_, call, prefix, callback, true));
      } else {
        outcome_.emplace(call.machine().lost());
      }
      owner_->complete_later(std::move(self_));
    };
    call_->start(boot_clock::now());
    owner_->nudge();
    owner_->settle(guard);
  }

  void cancel() override {
    auto guard = owner_->lock();
    if (outcome_) return;
    call_->cancel({errc::cancelled, "the operation was cancelled"});
    owner_->nudge();
  }

  void run() override {
    {
      auto guard = owner_->lock();
      call_.reset();
    }
    done_->complete(std::move(*outcome_));
  }

 private:
  std::shared_ptr<core> owner_;
  std::unique_ptr<completion<result<lease>>> done_;
  std::shared_ptr<async_acquire> self_;
  std::optional<acquire_call> call_;
  std::optional<result<lease>> outcome_;
};

class async_release final : public deferred, public std::enable_shared_from_this<async_release> {
 public:
  async_release(std::shared_ptr<held_lease> held, std::unique_ptr<completion<release_outcome>> done)
      : held_{std::move(held)}, done_{std::move(done)} {}

  // With the guard held.
  void start() {
    core& owner = *held_->owner();
    self_ = shared_from_this();
    call_.emplace(owner, held_->key(), held_->id(), std::string_view{}, false, held_->what());
    call_->on_done = [this](release_call& call) {
      outcome_ = judge(call);
      held_->owner()->complete_later(std::move(self_));
    };
    call_->start(boot_clock::now(), owner.where().command_timeout);
    owner.nudge();
  }

  void run() override {
    {
      auto guard = held_->owner()->lock();
      call_.reset();
    }
    done_->complete(outcome_);
  }

 private:
  std::shared_ptr<held_lease> held_;
  std::unique_ptr<completion<release_outcome>> done_;
  std::shared_ptr<async_release> self_;
  std::optional<release_call> call_;
  release_outcome outcome_ = release_outcome::unknown;
};

class async_extend final : public deferred, public std::enable_shared_from_this<async_extend> {
 public:
  async_extend(std::shared_ptr<held_lease> held, std::chrono::milliseconds ttl,
               std::unique_ptr<completion<result<void>>> done)
      : held_{std::move(held)}, ttl_{ttl}, done_{std::move(done)} {}

  // With the guard held.
  void start() {
    core& owner = *held_->owner();
    self_ = shared_from_this();
    call_.emplace(owner, held_->key(), held_->id(), held_->extending(ttl_, boot_clock::now()), noted::no,
                  held_->what());
    call_->on_done = [this] {
      outcome_ = apply_extend(*held_, *call_);
      held_->owner()->complete_later(std::move(self_));
    };
    call_->start(boot_clock::now());
    owner.nudge();
  }

  void run() override {
    {
      auto guard = held_->owner()->lock();
      call_.reset();
    }
    done_->complete(outcome_);
  }

 private:
  std::shared_ptr<held_lease> held_;
  std::chrono::milliseconds ttl_;
  std::unique_ptr<completion<result<void>>> done_;
  std::shared_ptr<async_extend> self_;
  std::optional<extend_call> call_;
  result<void> outcome_;
};

}  // namespace

std::weak_ptr<cancellable> start_acquire(client& redis, std::string_view name, const options& how, bool waits,
                                         std::unique_ptr<completion<result<lease>>> done) {
  const auto& owner = lease_access::core_of(redis);
  if (owner->is_foreign()) return done->complete(core::foreign()), std::weak_ptr<cancellable>{};
  auto checked = prepare(*owner, name, how, waits);
  if (!checked) return done->complete(checked.failure()), std::weak_ptr<cancellable>{};
  auto started = std::make_shared<async_acquire>(owner, std::move(done));
  started->start(std::move(*checked), how.on_lost);
  return started;
}

void start_release(lease held, std::unique_ptr<completion<release_outcome>> done) {
  const auto inner = std::move(lease_access::held(held));
  if (!inner || inner->owner()->is_foreign()) return done->complete(release_outcome::was_lost);
  auto guard = inner->owner()->lock();
  inner->look_at_clock(boot_clock::now());
  if (inner->stopped()) {
    guard.unlock();
    return done->complete(release_outcome::was_lost);
  }
  inner->stop();
  std::make_shared<async_release>(inner, std::move(done))->start();
  inner->owner()->settle(guard);
}

void start_extend(lease& held, std::chrono::milliseconds ttl, std::unique_ptr<completion<result<void>>> done) {
  const auto inner = lease_access::held(held);
  if (!inner) return done->complete(no_lease());
  if (inner->owner()->is_foreign()) return done->complete(core::foreign());
  if (auto checked = lock::check_ttl(ttl); !checked) return done->complete(checked);
  if (auto why = too_long(*inner->owner(), ttl)) return done->complete(*why);
  auto guard = inner->owner()->lock();
  inner->look_at_clock(boot_clock::now());
  if (inner->stopped()) {
    guard.unlock();
    return done->complete(is_lost(*inner));
  }
  std::make_shared<async_extend>(inner, ttl, std::move(done))->start();
  inner->owner()->settle(guard);
}

}  // namespace holdfast::detail
