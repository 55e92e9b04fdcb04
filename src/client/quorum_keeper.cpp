#include "client/quorum_keeper.hpp"

#include "client/acquire_blocking.hpp"
#include "client/release_ballot.hpp"
#include "lock/names.hpp"
#include "lock/quorum_cache.hpp"

namespace holdfast::detail {

using lock::cache_entry;
using lock::round_end;
using runtime::boot_clock;
using std::chrono::milliseconds;

namespace {

// Of writings that others overtake. Whoever does so writes at the same time, so that any of them may be the last.
constexpr int most_tries = 3;

std::vector<std::string> keys_of(const std::string& key) {
  return {key, lock::waiters_key(key), lock::value_key(key), lock::fence_key(key), std::string{lock::seat_key}};
}

}  // namespace

result<std::optional<cache_entry>> quorum_keeper::read(guard_type& guard, const std::string& key) {
  round_call asked{*core_, {scripts::quorum_cache_read, keys_of(key), {}}, lock::read_kept_word};
  const round_end end = asked.run(guard);
  if (end == round_end::unreachable) return refusal(asked);
  if (end != round_end::agreed) return std::optional<cache_entry>{};
  auto kept = lock::read_entries(asked.agreeing());
  if (kept && *kept) core_->saw_fence((*kept)->number);  // whoever loads over it has a greater one
  return kept;
}

bool quorum_keeper::store(guard_type& guard, const brought& what) {
  const bool keeps = what.ttl > milliseconds{0};
  round_call asked{*core_,
                   {scripts::quorum_cache_store,
                    keys_of(what.key),
                    {std::to_string(what.number), keeps ? std::to_string(what.ttl.count()) : std::string{}, what.tail,
                     std::string{what.owner}, std::to_string(lock::longest_age(boot_clock::now() - what.began))},
                    true},
                   lock::read_cache_word};
  if (asked.run(guard) != round_end::agreed || asked.round().word() != "stored") return false;
  // Where it did not arrive the lock is still there.
  ballot::matter back{&scripts::release,
                      {what.key, lock::waiters_key(what.key)},
                      {std::string{what.owner}, {}},
                      true,
                      lock::voting_on(scripts::release, {})};
  release_ballot::send(*core_, std::move(back), asked.round().unheard(), boot_clock::now());
  return true;
}

result<std::uint64_t> quorum_keeper::draw(guard_type& guard, const std::string& key) {
  round_call asked{
      *core_, {scripts::quorum_cache_draw, keys_of(key), {std::to_string(core_->fence_hint())}}, lock::read_cache_word};
  if (asked.run(guard) != round_end::agreed || asked.round().word() != "drawn") return refusal(asked);
  const std::uint64_t number = lock::greatest_number(asked.agreeing());
  core_->saw_fence(number);
  return number;
}

result<bool> quorum_keeper::write(guard_type& guard, const replacement& what, std::uint64_t number) {
  const bool forgets = what.tail.empty();
  // Until no lock of a loader can be left on the node: max_load by the loader's clock, and what a late renewal adds.
  const milliseconds marked = what.max_load + what.max_load / 50 + locks_.ttl;
  round_call asked{*core_,
                   {scripts::quorum_cache_write,
                    keys_of(what.key),
                    {std::to_string(number), std::to_string((forgets ? marked : what.ttl).count()),
                     forgets ? write_entry_tail(lock::erased_entry()) : what.tail},
                    true},
                   lock::read_cache_word};
  const round_end end = asked.run(guard);
  if (end == round_end::agreed && asked.round().word() == "stored") return true;
  core_->saw_fence(lock::greatest_number(asked.replies()));
  const std::size_t done = asked.round().saying("stored").size() + asked.round().saying("newer").size();
  if (done >= lock::majority_of(asked.round().size())) return false;
  failure why = refusal(asked);
  why.sent = delivery::unanswered;
  return why;
}

result<void> quorum_keeper::replace(const replacement& what) {
  auto guard = core_->lock();
  bool tried_to_open = false;
  for (int tries = 0; tries < most_tries;) {
    const auto number = draw(guard, what.key);
    if (!number && number.code() == errc::server_busy && !tried_to_open) {
      tried_to_open = true;
      guard.unlock();
      open_fresh(what.name);
      guard.lock();
      continue;
    }
    if (!number) return number.failure();
    const auto written = write(guard, what, *number);
    if (!written) return written.failure();
    if (*written) break;
    ++tries;
  }
  return {};
}

// A quorum on which nobody has voted yet is opened by the first who wants a lock, any lock.
void quorum_keeper::open_fresh(std::string_view name) {
  static_cast<void>(acquire_blocking(core_, name, locks_, false));
}

failure quorum_keeper::refusal(const round_call& asked) const {
  failure why = asked.problem();
  if (asked.round().end() != round_end::unreachable) {
    why = lock::not_seated(asked.replies(), core_->where().max_ttl).value_or(why);
  }
  ++core_->counters().errors[static_cast<std::size_t>(why.code)];
  return why;
}

}  // namespace holdfast::detail
