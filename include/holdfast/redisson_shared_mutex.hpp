// std::shared_timed_mutex across machines, in the layout of Redisson's RReadWriteLock: readers together, writers alone, and a Java
// service and this one on the same name are readers and writers of one lock, and wake each other.
//
// Where nobody in Java is concerned, take `shared_mutex`: it can upgrade, lets nobody starve and knows no longest ttl.
//
// Meets SharedLockable, SharedTimedLockable, Lockable and TimedLockable: works with std::shared_lock, std::unique_lock,
// std::lock_guard and std::scoped_lock.
//
//   the calling thread    has nothing                  reads                            writes
//   lock()                writes; waits for all        `deadlock`                       `deadlock`
//   lock_shared()         reads; waits for writers     `deadlock`                       `deadlock`
//   try_ forms            true, or false if in use     `deadlock`                       `deadlock`
//   unlock()              undefined                    undefined                        gives back; the next go in
//   unlock_shared()       undefined                    gives back; the next go in       undefined
//   downgrade()           `lost`                       reads                            reads; readers go in, too
//   fence, lost, …        0, requested, …              of this hold                     of this hold
//
// Redisson does what downgrade() does by taking the read lock while it has the write lock, and giving the latter back.
//
// The forms without std::nothrow throw `error`; false from a try_ form only ever means "in use by others". unlock() and
// unlock_shared() are noexcept.
//
// Each hold is a lease of its own. A reader's ends by its own timeout key: one that crashes frees its share when its ttl is over, and
// never another's. But Redisson's renewals are for all readers: while a reader in Java is renewed, so is ours that crashed.
//
// ttl is 30 s at most, for the same reason: with each renewal Redisson sets the end of every reader to its lockWatchdogTimeout
// (30 s unless configured), and would cut a longer lease short. Where Java's is configured to less, so must ttl be.
//
// Fairness. Among ours: first come, first served, readers who stand next to one another together; nobody behind a waiting writer
// overtakes. Java's waiters get every eighth turn. Java's readers do not know our queue and join whoever reads, as they do among
// themselves: so they can keep our writers waiting, as theirs, and our readers their writers.
//
// Fences. As those of shared_mutex; Java's holders have none.
//
// Thread safety: everything may be called from any number of threads of a process, and each thread's hold is its own: unlock where you
// locked. A hold of which the lease was lost keeps nobody out: look at lost().
//
// Not the layout of any other lock of ours: a name belongs to one kind. The other kind gets `wrong_type`. Redisson itself does not
// keep its own RLock and RReadWriteLock of one name apart.
#pragma once

#include <holdfast/client.hpp>
#include <holdfast/detail/read_write_lock.hpp>

namespace holdfast {

// Neither copyable nor movable. All members in the table are declared in detail/read_write_lock.hpp: lock(), lock_shared(), their try_
// forms, fence() and the others.
class redisson_shared_mutex : public detail::read_write_lock {
 public:
  // Throws `error` (bad_name, bad_option). `how.wait` and `how.stop` apply to lock() and lock_shared(). `how.owner` must be empty:
  // every hold has an owner of its own. The prefix counts as for all locks: to meet Java's getReadWriteLock("orders") without one, the
  // client has none, or `how.prefix` is "".
  redisson_shared_mutex(client& redis, std::string_view name, options how = {});
};

}  // namespace holdfast
