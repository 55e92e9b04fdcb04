// Looking at locks from outside, and forcing one open: what `holdfast status`, `list`, `watch` and `break` are made of.
//
//   auto seen = holdfast::inspect(redis, "invoice:42").value();
//   if (seen.held) std::cout << seen.owner << " for " << seen.waiters.size() << " waiters\n";
//
// Works on every kind of the family, and on every lock at a key, not only on ours: plain strings of the SET-NX family and Redisson's hashes are
// recognised, and anything else is named and left alone. Looking changes nothing on the server and takes nobody's lock.
// What the keys do not tell (since when, under which fence, whether the holder is well) is asked of the holder's client
// by a message; so the lock itself pays nothing for being watched. Names get the client's prefix.
//
// Thread safety: free functions on a client, which may be used from any thread. They block: for command_timeout per
// round trip at most, and for the patience with holders that do not answer.
#pragma once

#include <holdfast/client.hpp>
#include <holdfast/lease.hpp>
#include <holdfast/result.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast {

enum class lock_layout : unsigned char {
  none,            // nothing is at the key: the lock is free
  plain,           // a string with the owner: Holdfast, redis-py, redsync and others of the SET-NX family
  redisson,        // a hash of owner and hold count
  redisson_fair,   // the same, with a queue of its own
  redisson_read,   // Redisson's read-write lock, held by readers
  redisson_write,  // … by a writer
  shares,          // a sorted set of holders with a weight: shared_mutex, semaphore
  meeting,         // a hash of who is expected and missing: latch, barrier
  other,           // not a lock that we know; `type` says what it is
};
[[nodiscard]] std::string_view to_string(lock_layout layout) noexcept;

// What it is used as, as far as the keys tell.
enum class lock_kind : unsigned char {
  unknown,          // free, or not a lock that we know
  mutex,            // also locks of other libraries
  recursive_mutex,  // also Redisson's RLock
  shared_mutex,     // also Redisson's read-write lock
  semaphore,
  latch,
  barrier,
  elector,     // a mutex whose holder has announced itself as the leader
  cache,       // the mutex of a cache's loader: a value lies beside it, or its name begins with `cache:`
  multi_lock,  // a mutex that was taken together with others. Known to list() alone, and only where it sees two of them
};
[[nodiscard]] std::string_view to_string(lock_kind kind) noexcept;

// What is known of the holder beyond the lock's key.
enum class contact : unsigned char {
  unasked,   // nobody could be asked: a foreign holder, patience 0, or no right to publish
  answered,  // its client answered: the lock is alive in a running process
  silent,    // its client is connected and did not answer in time: stopped, stuck or busy
  absent,    // its client does not listen: the process is gone or cut off (or may not subscribe)
  left,      // it was left without a process on purpose (lease::leave, `holdfast acquire`)
};
[[nodiscard]] std::string_view to_string(contact how) noexcept;

struct lock_waiter {
  std::string owner;
  std::string host;  // empty: the owner's text does not tell
  std::optional<std::int64_t> pid{};
  std::optional<std::chrono::microseconds> waited{};  // by the server's clock; none in a foreign queue
  std::uint64_t weight = 1;                           // of the share that it waits for
};

// One of those who hold it.
struct lock_holder {
  std::string owner;
  std::string host;  // empty: the owner's text does not tell
  std::optional<std::int64_t> pid{};
  // Permits; of a reader 1, of a writer 100,000,000; in Redisson's layout how often it is held; of a plain lock 1.
  std::uint64_t weight = 1;
  std::optional<std::chrono::milliseconds> remaining{};  // none: as the whole lock, or for ever
};

// A latch, or a barrier in its present phase.
struct lock_meeting {
  std::uint64_t expected = 0;  // as its maker said
  std::uint64_t members = 0;   // less those who have dropped out
  std::uint64_t missing = 0;   // 0: a latch that is open, a barrier that all have left
  std::uint64_t phase = 0;     // from 0 on; of a latch 1 once it is open
};

struct lock_info {
  std::string name;
  std::string key;
  bool held = false;
  lock_layout layout = lock_layout::none;
  lock_kind kind = lock_kind::unknown;
  std::string type;  // as Redis calls it: "none", "string", "hash", …

  std::string owner;  // the first, where readers or permits are several
  std::string host;   // empty: the owner's text does not tell
  std::optional<std::int64_t> pid{};
  std::uint64_t holders = 0;                             // 1, or the number of readers, or of those with permits
  std::uint64_t in_use = 0;                              // shares: permits; 1 for a reader, 100,000,000 for a writer
  std::optional<std::chrono::milliseconds> remaining{};  // none: it never expires

  std::vector<lock_holder> held_by;         // the first to end in front; at most 256
  std::optional<std::uint64_t> capacity{};  // of a semaphore
  std::optional<lock_meeting> meeting{};    // of a latch or barrier, which nobody holds
  std::optional<std::string> leader{};  // of an elector: the id that it announced, perhaps empty; the term is the fence
  std::vector<std::string> together;    // multi_lock: the other names that list() saw

  holdfast::contact contact = contact::unasked;
  std::optional<std::uint64_t> fence{};                 // from the holder, or from the note of a lock that was left
  std::optional<std::chrono::microseconds> held_for{};  // likewise
  std::optional<lease_state> state{};                   // the holder's own view, if it answered

  std::vector<lock_waiter> waiters;  // in order, as many as were asked for
  std::uint64_t waiting = 0;         // all of them
};

struct inspect_options {
  // How long to wait for the holder's own answer. 0: do not ask. A client that has just made a call of its own looks at
  // its messages after 0.4 s at the latest.
  std::chrono::milliseconds patience{500};
  std::size_t most_waiters = 100;
};

// What is known of one lock, held or not. bad_name, unreachable, refused, …
result<lock_info> inspect(client& redis, std::string_view name, const inspect_options& how = {}) noexcept;

struct list_options {
  std::size_t most_locks = 1000;
  // Keys that the server walks over, at most. Bounds the cost on a Redis with many other keys.
  std::size_t most_keys = 200'000;
  // As above; one patience for all, and only for owners in the form that this library makes.
  std::chrono::milliseconds patience{500};
  std::size_t most_waiters = 10;  // of each lock
};

struct lock_list {
  std::vector<lock_info> locks;  // by name
  bool complete = true;          // false: a limit ended the walk, there may be more
  std::size_t keys = 0;          // walked over, as far as SCAN tells
};

// Locks whose name matches `pattern`, in the way of Redis's KEYS (`invoice:*`). Without a pattern, all that is
// recognisably a lock: an owner in our form, a queue, shares, a latch or barrier, or Redisson's hash. With one, also other strings that have an
// expiry. By SCAN: locks that come or go meanwhile may be missing.
result<lock_list> list(client& redis, std::string_view pattern = {}, const list_options& how = {}) noexcept;

struct broken_lock {
  std::string owner;       // who held it; the first, where readers or permits were several
  std::string next_owner;  // the waiter who has it now, or the first of several; empty: nobody, or not known (shares)
  bool told = false;       // the clients of all holders were listening. Not known, so false, for owners of another form
  std::uint64_t holders = 1;  // from how many it was taken
};

// Takes the lock from its holder: hands it to the first waiter, as a release does, or frees it. Where several hold it (a
// read-write lock, a semaphore), it is taken from all of them, and those who wait and fit come in. The old holders hear of
// it at once (loss_cause::broken). `expected_owner` guards against breaking another's lock than the one that was looked
// at, and must be one of the holders; empty: whoever it is. not_owner: nobody holds it, or another does by now (nothing
// was broken); wrong_type: no lock that we know.
result<broken_lock> break_lock(client& redis, std::string_view name, std::string_view expected_owner) noexcept;

}  // namespace holdfast
