#include "run/plan.hpp"

namespace holdfast::cli {

bool loss_plan::proven(boot_time deadline) noexcept {
  if (state_ != state::held || deadline_ == deadline) return false;
  deadline_ = deadline;
  return true;
}

loss_plan::act loss_plan::lost(boot_time now, loss_cause cause) noexcept {
  if (state_ != state::held) return act::nothing;
  if (policy_ == loss_policy::ignore) {
    state_ = state::left;
    return act::nothing;
  }
  state_ = state::ending;
  // Only time that ran out leaves the margin that was kept for stopping. In all other cases the lock may be another's.
  const bool by_time = cause == loss_cause::expired || cause == loss_cause::max_hold;
  if (!by_time || !deadline_) deadline_ = now - grace_;
  const act due = timer(now);
  return due == act::nothing ? act::signal : due;
}

loss_plan::act loss_plan::timer(boot_time now) noexcept {
  if (state_ != state::ending || now < *deadline_ + grace_) return act::nothing;
  state_ = state::killed;
  return act::kill;
}

std::optional<boot_time> loss_plan::wake_at() const noexcept {
  switch (state_) {
    case state::held:
      return deadline_;
    case state::ending:
      return *deadline_ + grace_;
    default:
      return std::nullopt;
  }
}

std::optional<boot_time> loss_plan::kill_at() const noexcept {
  if (policy_ == loss_policy::ignore || !deadline_) return std::nullopt;
  return *deadline_ + grace_;
}

}  // namespace holdfast::cli
