// Values from a slow source, kept in Redis; on a miss one caller of the whole fleet loads, the others wait and read.
//
//   holdfast::cache<std::string> pages{redis};
//   auto page = pages.get_or_load("page:7", 60s, [] { return render_page(7); });   // std::optional<std::string>
//
//   what is kept      get_or_load                                        others meanwhile
//   fresh             returns it: one round trip                         the same
//   fresh, not long   returns it; one caller now and then loads early    are served the kept value
//   stale             whoever gets the lock loads                        are served the stale value
//   "nothing"         std::nullopt, for nothing_ttl                      the same
//   nothing at all    whoever gets the lock looks again, then loads      wait for the value, `wait` at most
//
//   the loader        what happens
//   returns a value   kept for ttl, all waiting callers are woken at once and read it
//   returns nullopt   "nothing" is kept for nothing_ttl
//   throws            its caller gets the exception, nothing is kept, what was kept stays, the next waiter loads
//   crashes, hangs    the next waiter loads: after load_ttl, or after max_load
//   loses its lock    its caller gets the value; it is not kept: somebody else is loading, or has loaded, a newer one
//
// A loaded value is kept only if the lock is still held and nobody has put or erased the key since the loader began: the
// fence tells. So a slow loader never overwrites a newer value, and erase() after a change of the source is never undone by
// a load that began before it.
//
// Early loading (`early`): a caller of a fresh value loads it again with a probability that grows towards its end, the
// sooner the longer loading takes (XFetch), and certainly in the last two loading times. It pays for the load, the others
// are served. So a key that is in use does not expire. The loader runs on its caller's thread, always.
//
// On a quorum a value is what a majority of its nodes keeps; whatever is less is a miss. load_ttl must not exceed max_ttl there; a
// value's ttl may. While too many nodes are young, put and erase fail with server_busy (docs/quorum_family.md).
//
// Values have types: codec.hpp, cache_json.hpp. Keys get the client's prefix and options' `prefix`.
// Thread safety: everything may be called from any thread. The client must outlive the cache.
#pragma once

#include <holdfast/client.hpp>
#include <holdfast/codec.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace holdfast {

struct cache_options {
  // Between the client's prefix and the key: keeps the locks of a cache apart from mutexes of the same names.
  std::string prefix = "cache:";

  // For how long "the source has nothing" is kept. 0: not at all.
  std::chrono::milliseconds nothing_ttl{5'000};

  // For how long beyond its ttl a value may be served while somebody loads it again. 0: not at all.
  std::chrono::milliseconds stale{0};

  // How eagerly values are loaded before their end: 1 as said above, 2 twice as early, 0 not at all.
  double early = 1;

  // How long to wait for the value that somebody else loads. None: as long as it takes.
  std::optional<std::chrono::milliseconds> wait{};

  // What a loader that crashed costs the others: the lease of its lock, renewed while it loads.
  std::chrono::milliseconds load_ttl{5'000};

  // What a loader that hangs costs the others. All users of a cache should say the same.
  std::chrono::milliseconds max_load{60'000};
};

// What one cache object has counted.
struct cache_stats {
  std::uint64_t hits = 0;    // served from Redis at once
  std::uint64_t stale = 0;   // … of those, beyond their ttl
  std::uint64_t waits = 0;   // calls that waited and were told of somebody else's load
  std::uint64_t loads = 0;   // loaders run
  std::uint64_t early = 0;   // … of those, before the end of the value
  std::uint64_t failed = 0;  // … of those, that threw
  std::uint64_t dropped =
      0;  // loaded values that were not kept: a newer one was there, the lock was lost, Redis refused
};

namespace detail {

// What get_or_load needs to know of the type.
struct cache_task {
  std::function<bool(std::string_view)> accept;                  // takes a kept value; false: cannot be read
  std::function<std::optional<std::string>(const lease&)> load;  // nothing: the source has nothing
};

enum class cache_answer : unsigned char {
  value,    // the task has taken it
  nothing,  // the source has none
  absent,   // nothing is kept
};

// The part without types.
class cache_engine {
 public:
  cache_engine(client& redis, cache_options how);
  ~cache_engine();
  // Never `absent`. Throws only what the loader throws.
  result<cache_answer> get_or_load(std::string_view key, std::chrono::milliseconds ttl, const std::stop_token& stop,
                                   const cache_task& task);
  result<cache_answer> get(std::string_view key, const cache_task& task) noexcept;
  result<void> put(std::string_view key, std::string_view text, std::chrono::milliseconds ttl) noexcept;
  result<void> erase(std::string_view key) noexcept;
  [[nodiscard]] cache_stats stats() const noexcept;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace detail

template <class T, codec_for<T> Codec = codec<T>>
class cache {
 public:
  // Throws `error` (bad_option).
  explicit cache(client& redis, cache_options how = {}) : engine_{redis, std::move(how)} {}

  // `load` returns T or std::optional<T>, and takes nothing, or a std::stop_token (requested when the lock is lost: what
  // it loads will not be kept), or the `const lease&`. Throws what `load` throws, and `error`: timed_out (wait), cancelled
  // (stop), unreachable, …
  template <class Loader>
  std::optional<T> get_or_load(std::string_view key, std::chrono::milliseconds ttl, Loader&& load,
                               const std::stop_token& stop = {}) {
    return get_or_load(std::nothrow, key, ttl, std::forward<Loader>(load), stop).value();
  }
  // Throws only what `load` throws.
  template <class Loader>
  result<std::optional<T>> get_or_load(std::nothrow_t, std::string_view key, std::chrono::milliseconds ttl,
                                       Loader&& load, const std::stop_token& stop = {}) {
    std::optional<T> found;
    detail::cache_task task = reading(found);
    task.load = [&](const lease& held) -> std::optional<std::string> {
      found = call(load, held);
      if (!found) return std::nullopt;
      return Codec::encode(*found);
    };
    return finish(engine_.get_or_load(key, ttl, stop, task), found);
  }

  // What is kept and fresh, without loading: a value, "nothing" (an empty inner optional), or not kept at all.
  result<std::optional<std::optional<T>>> get(std::string_view key) {
    std::optional<T> found;
    const auto got = engine_.get(key, reading(found));
    if (!got) return got.failure();
    if (*got == detail::cache_answer::absent) return std::optional<std::optional<T>>{};
    return std::optional<std::optional<T>>{std::move(found)};
  }

  // Keeps this value, whoever is loading: their older one is dropped.
  void put(std::string_view key, const T& value, std::chrono::milliseconds ttl) {
    engine_.put(key, Codec::encode(value), ttl).value();
  }

  // Forgets the key. What a loader that is under way brings is not kept either.
  void erase(std::string_view key) { engine_.erase(key).value(); }
  result<void> erase(std::nothrow_t, std::string_view key) noexcept { return engine_.erase(key); }

  [[nodiscard]] cache_stats stats() const noexcept { return engine_.stats(); }

 private:
  template <class Loader>
  static std::optional<T> call(Loader& load, const lease& held) {
    if constexpr (std::is_invocable_v<Loader&, const lease&>) {
      return load(held);
    } else if constexpr (std::is_invocable_v<Loader&, std::stop_token>) {
      return load(held.lost());
    } else {
      return load();
    }
  }
  static detail::cache_task reading(std::optional<T>& found) {
    return {[&found](std::string_view text) {
              try {
                found.emplace(Codec::decode(text));
                return true;
              } catch (const std::exception&) {
                found.reset();
                return false;
              }
            },
            {}};
  }
  static result<std::optional<T>> finish(const result<detail::cache_answer>& got, std::optional<T>& found) {
    if (!got) return got.failure();
    if (*got != detail::cache_answer::value) found.reset();
    return std::move(found);
  }

  detail::cache_engine engine_;
};

}  // namespace holdfast
