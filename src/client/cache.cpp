// holdfast::cache without its types: reads, takes the loader's lock, runs the loader, keeps what it brought. What to do
// about what is kept is decided in lock/cache_entry.hpp.
#include <holdfast/cache.hpp>

#include "client/acquire_blocking.hpp"
#include "client/cache_keeper.hpp"
#include "client/lease_access.hpp"
#include "client/supported.hpp"
#include "client/unexpected.hpp"
#include "lock/cache_entry.hpp"
#include "lock/names.hpp"
#include "lock/transaction.hpp"

#include <algorithm>
#include <atomic>
#include <limits>

namespace holdfast::detail {

using lock::cache_entry;
using lock::cache_step;
using runtime::boot_clock;
using std::chrono::milliseconds;

namespace {

constexpr milliseconds longest_ttl{std::chrono::hours{24 * 365}};

failure wrong(std::string_view option, milliseconds given, std::string_view allowed) {
  return {errc::bad_option,
          std::string{option} + " is " + std::to_string(given.count()) + " ms; " + std::string{allowed}};
}

result<void> check(const cache_options& how) {
  const auto beyond = [](milliseconds given) { return given < milliseconds{0} || given > longest_ttl; };
  if (beyond(how.nothing_ttl)) return wrong("nothing_ttl", how.nothing_ttl, "it must be between 0 and 365 days");
  if (beyond(how.stale)) return wrong("stale", how.stale, "it must be between 0 and 365 days");
  if (!(how.early >= 0) || how.early > 1000) {
    return failure{errc::bad_option, "early is " + std::to_string(how.early) + "; it must be between 0 and 1000"};
  }
  if (how.max_load < how.load_ttl) {
    return wrong("max_load", how.max_load, "it must be at least load_ttl, in which a loader is known to be alive");
  }
  return {};
}

// On a quorum, whose nodes vote for no longer.
result<void> check_load_ttl(const core& owner, milliseconds load_ttl) {
  if (!too_long(owner, load_ttl)) return {};
  return wrong("load_ttl", load_ttl,
               "on this quorum it must not exceed max_ttl, " + std::to_string(owner.where().max_ttl.count()) + " ms");
}

result<void> check_value_ttl(milliseconds ttl) {
  if (ttl >= milliseconds{1} && ttl <= longest_ttl) return {};
  return wrong("ttl", ttl, "it must be between 1 ms and 365 days");
}

cache_answer answer_of(const cache_entry& kept) {
  return kept.what == cache_entry::kind::value ? cache_answer::value : cache_answer::nothing;
}

}  // namespace

struct cache_engine::state {
  using kept_type = std::optional<cache_entry>;

  std::shared_ptr<core> owner;
  const cache_options how;
  const std::string prefix;
  const std::unique_ptr<cache_keeper> keeper;

  std::atomic<std::uint64_t> hits{0};
  std::atomic<std::uint64_t> stale{0};
  std::atomic<std::uint64_t> waits{0};
  std::atomic<std::uint64_t> loads{0};
  std::atomic<std::uint64_t> early{0};
  std::atomic<std::uint64_t> failed{0};
  std::atomic<std::uint64_t> dropped{0};

  state(client& redis, cache_options with)
      : owner{lease_access::core_of(redis)},
        how{std::move(with)},
        prefix{owner->where().prefix + how.prefix},
        keeper{make_cache_keeper(owner, lock_options({}))} {}

  // One call of get_or_load.
  struct request {
    std::string_view name;
    std::string key;
    milliseconds ttl;
    const std::stop_token& stop;
    const cache_task& task;
    runtime::time_point limit;
  };

  result<kept_type> read(const std::string& key, double* dice = nullptr) {
    auto guard = owner->lock();
    auto kept = keeper->read(guard, key);
    if (dice != nullptr) {
      constexpr double range = static_cast<double>(std::numeric_limits<std::uint64_t>::max());
      *dice = (static_cast<double>(owner->random().number()) + 1) / (range + 1);
    }
    return kept;
  }

  // None: the value cannot be read by this program, and has to be loaded.
  std::optional<cache_answer> serve(const cache_entry& kept, const cache_task& task) {
    if (kept.what == cache_entry::kind::value && !task.accept(kept.text)) return std::nullopt;
    ++hits;
    if (kept.fresh <= milliseconds{0}) ++stale;
    return answer_of(kept);
  }

  options lock_options(const std::stop_token& stop) const {
    return {.ttl = how.load_ttl, .max_hold = how.max_load, .prefix = prefix, .stop = stop};
  }

  // True: it was kept, and the lock given back with it, so the lease is over.
  bool store(lease& held, const cache_keeper::brought& what) noexcept try {
    auto guard = owner->lock();
    if (!keeper->store(guard, what)) return false;
    lease_access::held(held)->stop();
    ++owner->counters().released;
    owner->settle(guard);
    return true;
  } catch (const std::exception&) {
    return false;  // what was loaded is not kept; the lease gives back the lock
  }

  // With the loader's lock. `seen`: the number of what is to be replaced, if anything is. None: begin anew.
  result<std::optional<cache_answer>> load(const request& what, lease held, std::optional<std::uint64_t> seen) {
    auto again = read(what.key);
    if (!again) return again.failure();
    const kept_type& kept = *again;
    const bool other = kept && kept->number != seen;
    if (other && lock::judge(kept, 0, 1) == cache_step::serve) {
      if (const auto answer = serve(*kept, what.task)) {
        static_cast<void>(store(held, {what.key, held.owner()}));  // the rest need not take turns to find it
        return answer;
      }
    }
    if (kept && kept->number > held.fence() && !keeper->renumbers()) return std::optional<cache_answer>{};
    if (seen && kept && kept->fresh > milliseconds{0}) ++early;
    ++loads;
    const auto began = boot_clock::now();
    std::optional<std::string> loaded;
    try {
      loaded = what.task.load(held);
    } catch (...) {
      ++failed;
      throw;  // the lease hands the lock to the next waiter
    }
    keep(what, held, loaded, std::max(held.fence(), kept ? kept->number : 0), began);
    return std::optional{loaded ? cache_answer::value : cache_answer::nothing};
  }

  void keep(const request& what, lease& held, std::optional<std::string>& loaded, std::uint64_t newest,
            runtime::time_point began) {
    cache_entry made;
    made.what = loaded ? cache_entry::kind::value : cache_entry::kind::nothing;
    made.stale = loaded ? how.stale : milliseconds{0};
    made.took = std::chrono::duration_cast<std::chrono::microseconds>(boot_clock::now() - began);
    if (loaded) made.text = std::move(*loaded);
    const milliseconds ttl = loaded ? what.ttl + how.stale : how.nothing_ttl;
    if (ttl <= milliseconds{0}) return;
    const bool kept = held && store(held, {what.key, held.owner(), ttl, newest, write_entry_tail(made), began});
    if (!kept) ++dropped;
  }

  // The lock of a miss: waits. None: somebody has loaded meanwhile.
  result<std::optional<lease>> take(const request& what) {
    options with = lock_options(what.stop);
    if (what.limit != runtime::never) {
      const auto left = std::chrono::ceil<milliseconds>(what.limit - boot_clock::now());
      if (left <= milliseconds{0}) {
        return failure{errc::timed_out, "the wait limit passed while somebody else was loading " + what.key};
      }
      with.wait = left;
    }
    auto got = acquire_blocking(owner, what.name, with, true);
    if (got) return std::optional<lease>{std::move(*got)};
    if (got.code() == errc::held) return std::optional<lease>{};
    return got.failure();
  }

  // Puts a value, or with an empty `entry` forgets it.
  result<void> replace(std::string_view name, milliseconds ttl, std::string entry) {
    if (owner->is_foreign()) return core::foreign();
    const auto key = lock::make_key(prefix, name);
    if (!key) return key.failure();
    return keeper->replace({name, *key, std::move(entry), ttl, how.max_load});
  }

  result<cache_answer> run(const request& what) {
    for (bool waited = false;; waited = true) {
      double dice = 1;
      auto found = read(what.key, &dice);
      if (!found) return found.failure();
      const kept_type& kept = *found;
      const cache_step step = lock::judge(kept, how.early, dice);
      std::optional<std::uint64_t> seen;
      if (kept && kept->what != cache_entry::kind::erased) seen = kept->number;
      if (step == cache_step::refresh) {
        auto tried = acquire_blocking(owner, what.name, lock_options(what.stop), false);
        if (tried) {
          auto answer = load(what, std::move(*tried), seen);
          if (!answer) return answer.failure();
          if (*answer) return **answer;
          continue;
        }
      }
      if (step != cache_step::load) {
        if (const auto answer = serve(*kept, what.task)) return *answer;
      }
      auto got = take(what);
      if (!got) return got.failure();
      if (*got) {
        auto answer = load(what, std::move(**got), seen);
        if (!answer) return answer.failure();
        if (*answer) return **answer;
      } else if (!waited) {
        ++waits;
      }
    }
  }
};

cache_engine::cache_engine(client& redis, cache_options how) {
  const core& owner = *lease_access::core_of(redis);
  if (!owner.where().scripts) throw error{lock::needs_scripts("a cache")};
  check(how).value();
  check_load_ttl(owner, how.load_ttl).value();
  state_ = std::make_unique<state>(redis, std::move(how));
}
cache_engine::~cache_engine() = default;

result<cache_answer> cache_engine::get_or_load(std::string_view key, milliseconds ttl, const std::stop_token& stop,
                                               const cache_task& task) {
  if (state_->owner->is_foreign()) return core::foreign();
  if (auto checked = check_value_ttl(ttl); !checked) return checked.failure();
  auto made = lock::make_key(state_->prefix, key);
  if (!made) return made.failure();
  const auto limit = state_->how.wait ? runtime::after(boot_clock::now(), *state_->how.wait) : runtime::never;
  return state_->run({key, std::move(*made), ttl, stop, task, limit});
}

result<cache_answer> cache_engine::get(std::string_view key, const cache_task& task) noexcept try {
  if (state_->owner->is_foreign()) return core::foreign();
  const auto made = lock::make_key(state_->prefix, key);
  if (!made) return made.failure();
  const auto found = state_->read(*made);
  if (!found) return found.failure();
  if (lock::judge(*found, 0, 1) != cache_step::serve) return cache_answer::absent;
  return state_->serve(**found, task).value_or(cache_answer::absent);
} catch (const std::exception& problem) {
  return unexpected(problem);
}

result<void> cache_engine::put(std::string_view key, std::string_view text, milliseconds ttl) noexcept try {
  if (auto checked = check_value_ttl(ttl); !checked) return checked;
  cache_entry made;
  made.stale = state_->how.stale;
  made.text = text;
  return state_->replace(key, ttl + made.stale, write_entry_tail(made));
} catch (const std::exception& problem) {
  return unexpected(problem);
}

result<void> cache_engine::erase(std::string_view key) noexcept try {
  return state_->replace(key, milliseconds{0}, {});
} catch (const std::exception& problem) {
  return unexpected(problem);
}

cache_stats cache_engine::stats() const noexcept {
  const state& from = *state_;
  return {from.hits, from.stale, from.waits, from.loads, from.early, from.failed, from.dropped};
}

}  // namespace holdfast::detail
