#include "client/downgrade.hpp"

#include "client/outcomes.hpp"
#include "client/share_call.hpp"

namespace holdfast::detail {

result<void> downgrade(const std::shared_ptr<held_lease>& held, const scripts::script& how,
                       const std::vector<std::string>& extra) {
  const auto owner = held->owner();
  auto guard = owner->lock();
  std::vector<std::string> words{held->id(), ""};
  words.insert(words.end(), extra.begin(), extra.end());
  share_call call{*owner, how, held->key(), std::move(words)};
  call.start(runtime::boot_clock::now());
  owner->wait(guard, call);
  if (!call.problem() && call.reply() == 0) held->disproved(loss_cause::gone);
  const bool over = held->stopped();
  owner->settle(guard);
  if (call.problem()) return *call.problem();
  if (over) return is_lost(*held);
  return {};
}

}  // namespace holdfast::detail
