// std::shared_timed_mutex across machines: readers together, writers alone.
//
// Meets SharedLockable, SharedTimedLockable, Lockable and TimedLockable: works with std::shared_lock, std::unique_lock,
// std::lock_guard and std::scoped_lock. First come, first served: readers who stand next to one another in the queue go in together,
// a writer who has come to the head waits until those inside have left, and nobody behind it overtakes. So neither kind starves.
//
// Each hold is a lease of its own, with its own end on the server: a reader that crashes frees its own share when its ttl is over, and
// never another's.
//
//   the calling thread    has nothing                  reads                            writes
//   lock()                writes; waits for all        `deadlock`                       `deadlock`
//   lock_shared()         reads; waits for writers     `deadlock`                       `deadlock`
//   try_ forms            true, or false if in use     `deadlock`                       `deadlock`
//   unlock()              undefined                    undefined                        gives back; the next go in
//   unlock_shared()       undefined                    gives back; the next go in       undefined
//   upgrade()             `lost`                       writes; waits for other readers  writes, with a new fence
//   downgrade()           `lost`                       reads                            reads; readers behind it go in
//   fence, lost, …        0, requested, …              of this hold                     of this hold
//
// The forms without std::nothrow throw `error`; false from a try_ form only ever means "in use by others". unlock() and
// unlock_shared() are noexcept.
//
// Upgrade. A reader asks for the rest, before all who wait, and keeps its share meanwhile: what it has read stays true. Two who did so
// would wait for each other for ever; so the second is refused at once with `deadlock`, decided on the server, and keeps its share: it
// should give it back and lock(). If the wait ends otherwise (timed_out, cancelled, …) the share is kept, too. Those who wait are passed
// over at most 15 times; then an upgrade is refused in the same way.
//
// Fences. A writer's is larger than those of all writers and readers before it. A reader's is larger than those of all writers
// before it and smaller than those of all writers after it, so it tells which state of the data was read; two readers' say nothing about each
// other. Downgrade keeps the fence; upgrade draws a new one.
//
// On a quorum (docs/quorum_family.md) all of this holds with three differences: first come, first served is usual and not promised, though
// readers do not starve writers; an upgraded lease has another owner; of two who ask to be upgraded at the same instant both may be refused, and upgrades past
// those who wait are not counted.
//
// Thread safety: everything may be called from any number of threads of a process, and each thread's hold is its own: unlock where you
// locked. For holds that travel between threads use the leases below. A hold of which the lease was lost keeps nobody out: look
// at lost().
//
// Not the layout of `mutex`: a name belongs to one kind of lock. The other kind gets `wrong_type`.
#pragma once

#include <holdfast/client.hpp>
#include <holdfast/detail/read_write_lock.hpp>

namespace holdfast {

// Neither copyable nor movable. All members in the table but upgrade() are declared in detail/read_write_lock.hpp: lock(), lock_shared(),
// their try_ forms, fence() and the others.
class shared_mutex : public detail::read_write_lock {
 public:
  // Throws `error` (bad_name, bad_option). `how.wait` and `how.stop` apply to lock(), lock_shared() and upgrade(). `how.owner` must be
  // empty: every hold has an owner of its own.
  shared_mutex(client& redis, std::string_view name, options how = {});

  void upgrade();
  result<void> upgrade(std::nothrow_t) noexcept;
};

// The same lock by leases, which are not bound to a thread. They wait for options::wait at most; the try_ forms do not wait.
[[nodiscard]] lease acquire_shared(client& redis, std::string_view name, const options& how = {});
result<lease> acquire_shared(std::nothrow_t, client& redis, std::string_view name, const options& how = {}) noexcept;
result<lease> try_acquire_shared(client& redis, std::string_view name, const options& how = {}) noexcept;

[[nodiscard]] lease acquire_exclusive(client& redis, std::string_view name, const options& how = {});
result<lease> acquire_exclusive(std::nothrow_t, client& redis, std::string_view name, const options& how = {}) noexcept;
result<lease> try_acquire_exclusive(client& redis, std::string_view name, const options& how = {}) noexcept;

// From acquire_shared to acquire_exclusive, and back. `how` is for the wait and for the lease afterwards; its owner and prefix are those of
// the lease. After an upgrade the lease has a new fence, a new lost() and the on_lost of `how`. On failure it is as it was, unless
// the failure is `lost`.
result<void> upgrade(lease& shared, const options& how = {}) noexcept;
result<void> try_upgrade(lease& shared, const options& how = {}) noexcept;
result<void> downgrade(lease& exclusive) noexcept;

}  // namespace holdfast
