// What comes through the inbox: grants for our waiters, and what other clients and operators want of us.
#include "client/core.hpp"

#include "client/acquire_call.hpp"
#include "client/answers.hpp"
#include "client/held_lease.hpp"
#include "client/question.hpp"
#include "client/watcher.hpp"
#include "lock/messages.hpp"
#include "lock/replies.hpp"

#include <algorithm>

namespace holdfast::detail {

using runtime::time_point;

held_lease* core::find_lease(std::string_view key, std::string_view owner) const noexcept {
  for (held_lease* each = leases_; each != nullptr; each = each->next) {
    if (each->id() == owner && each->key() == key) return each;
  }
  return nullptr;
}

void core::on_message(std::string_view payload, bool to_all, time_point now) {
  // Grants first: somebody waits for them. They name a waiter of one client, so they cannot be meant for all.
  if (!to_all) {
    if (const auto grant = lock::read_grant(payload)) {
      const auto whose = queued_.find(grant->waiter);
      if (whose != queued_.end()) whose->second->on_grant(grant->ticket, now);
      return;
    }
    if (const auto dismissal = lock::read_dismissal(payload)) {
      const auto whose = queued_.find(dismissal->waiter);
      if (whose != queued_.end()) whose->second->on_dismissal(dismissal->ticket, now);
      return;
    }
  }
  if (const auto broken = lock::read_broken(payload)) {
    // One owner may hold a lock more than once: "two calls with the same owner are the same acquisition".
    for (held_lease* each = leases_; each != nullptr;) {
      held_lease* const following = each->next;
      if (each->id() == broken->owner && each->key() == broken->key) each->disproved(loss_cause::broken);
      each = following;
    }
  } else if (const auto key = to_all ? lock::read_leader_change(payload) : std::nullopt) {
    for (watcher* each : watchers_) {
      if (each->key == *key) each->hint();
    }
  } else if (const auto ask = lock::read_ask(payload)) {
    answers_->answer(*ask, leases_, now);
  } else if (const auto told = lock::read_told(payload)) {
    for (question* each : questions_) {
      for (const lock::told_item& item : *told) each->told(item);
    }
  }
}

void core::enlist(question& what) { questions_.push_back(&what); }
void core::delist(question& what) noexcept { std::erase(questions_, &what); }

}  // namespace holdfast::detail
