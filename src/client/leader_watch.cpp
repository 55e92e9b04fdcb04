// Who leads: one look, and a watch that looks when a message hints at a change, when the leader's lease ends, and now and
// then. On a quorum a look asks every node, and lock::quorum_leader makes one answer of theirs.
#include <holdfast/elector.hpp>

#include "client/batch.hpp"
#include "client/lease_access.hpp"
#include "client/round_ballot.hpp"
#include "client/unexpected.hpp"
#include "client/watcher.hpp"
#include "lock/leader_record.hpp"
#include "lock/names.hpp"
#include "lock/quorum_leader.hpp"
#include "lock/transaction.hpp"
#include "runtime/quiet_thread.hpp"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

namespace holdfast {

using detail::core;
using runtime::boot_clock;
using std::chrono::milliseconds;

namespace {

// A message may be lost: the longest that this can hide a change.
constexpr milliseconds slow_look{5000};
// Somebody was elected and has not said so yet; or Redis cannot be asked.
constexpr milliseconds soon{100};
constexpr milliseconds unreachable_pause{500};
// Beyond the end of the leader's lease.
constexpr milliseconds slack{5};

// The first of a quorum's nodes tells of a change before the others have it.
constexpr milliseconds nodes_apart{2};

bool on_quorum(const core& owner) { return owner.where().deployment == deployment::quorum; }

class look_round final : public detail::node_round {
 public:
  explicit look_round(std::size_t nodes) : found{nodes} { impatient = true; }
  lock::quorum_leader found;

  bool answered(std::size_t /*node*/, const resp::value& reply, runtime::time_point /*now*/) override {
    const auto vote = lock::read_leader_vote(reply);
    vote ? found.answered(*vote) : found.failed(vote.failure());
    return found.decided();
  }
  bool failed(std::size_t /*node*/) override {
    found.failed({errc::unreachable, "it does not answer"});
    return found.decided();
  }
  void limit_passed(runtime::time_point /*now*/) override {}
};

// A look has no lease that runs out, so the nodes have longer than for a vote.
result<lock::leader_look> look_at_nodes(core& owner, detail::guard_type& guard, const std::string& key) {
  look_round asked{owner.nodes().size()};
  asked.run(owner, guard,
            {&scripts::quorum_leader_look, {key, lock::leader_key(key)}, {}, owner.where().command_timeout});
  auto answer = asked.found.answer();
  if (!answer) ++owner.counters().errors[static_cast<std::size_t>(answer.code())];
  return answer;
}

result<lock::leader_look> look(const std::shared_ptr<core>& owner, const std::string& key) {
  if (owner->is_foreign()) return core::foreign();
  auto guard = owner->lock();
  if (on_quorum(*owner)) return look_at_nodes(*owner, guard, key);
  detail::batch asked{*owner, true};
  asked.add_script(scripts::elector_look, {key, lock::leader_key(key)}, {});
  if (auto problem = asked.run(guard)) return *problem;
  return lock::read_leader_look(asked.reply(0));
}

}  // namespace

result<std::optional<leader>> leader_of(client& redis, std::string_view name) noexcept try {
  const auto owner = detail::lease_access::core_of(redis);
  if (!owner->where().scripts) return lock::needs_scripts("leader_of");
  const auto key = lock::make_key(owner->where().prefix, name);
  if (!key) return key.failure();
  auto seen = look(owner, *key);
  if (!seen) return seen.failure();
  return std::move(seen->who);
} catch (const std::exception& problem) {
  return detail::unexpected(problem);
}

struct leader_watch::state final : detail::watcher {
  state(std::shared_ptr<core> from, std::string lock_key, callback tell)
      : watcher{std::move(lock_key)}, owner{std::move(from)}, changed{std::move(tell)} {}

  void hint() override {
    {
      const std::lock_guard lock{mutex};
      hinted = true;
    }
    wake.notify_one();
  }

  // Tells if it is news.
  void note(std::optional<leader> now) {
    const bool same = told && told->has_value() == now.has_value() &&
                      (!now || ((*told)->term == now->term && (*told)->owner == now->owner));
    if (same) return;
    told = now;
    changed(now);
  }

  void run(const std::stop_token& stop) {
    auto known_until = boot_clock::now();
    while (!stop.stop_requested()) {
      const auto seen = look(owner, key);
      milliseconds next = slow_look;
      if (!seen) {
        if (seen.code() == errc::forked) return;
        // What cannot be asked is believed for as long as it was true.
        if (boot_clock::now() >= known_until && told && *told) note(std::nullopt);
        next = unreachable_pause;
      } else if (!seen->settled) {
        next = soon;
        if (boot_clock::now() >= known_until) note(std::nullopt);
      } else {
        known_until = boot_clock::now();
        if (seen->who) {
          known_until += seen->who->remaining;
          next = std::min(next, seen->who->remaining + slack);
        }
        note(seen->who);
      }
      std::unique_lock lock{mutex};
      wake.wait_for(lock, stop, next, [this] { return hinted; });
      if (hinted && on_quorum(*owner)) wake.wait_for(lock, stop, nodes_apart, [] { return false; });
      hinted = false;
    }
  }

  std::shared_ptr<core> owner;
  const callback changed;
  std::optional<std::optional<leader>> told{};
  std::mutex mutex{};
  std::condition_variable_any wake{};
  bool hinted = false;
  std::stop_source ends{};
  std::thread thread{};
};

leader_watch::leader_watch(client& redis, std::string_view name, callback changed) {
  const auto& owner = detail::lease_access::core_of(redis);
  if (owner->is_foreign()) throw error{core::foreign()};
  if (!owner->where().scripts) throw error{lock::needs_scripts("a leader_watch")};
  auto key = lock::make_key(owner->where().prefix, name).value();
  state_ = std::make_unique<state>(owner, std::move(key), std::move(changed));
  state_->thread = runtime::start_quiet_thread([at = state_.get(), stop = state_->ends.get_token()] { at->run(stop); });
  auto guard = owner->lock();
  owner->enlist(*state_);
}

leader_watch::~leader_watch() {
  if (state_->owner->is_foreign()) {
    static_cast<void>(state_.release());  // its thread does not exist here
    return;
  }
  {
    auto guard = state_->owner->lock();
    state_->owner->delist(*state_);
  }
  state_->ends.request_stop();
  state_->thread.join();
}

}  // namespace holdfast
