// One hold for each thread: what the Lockable faces of the read-write locks keep.
//
// Thread safety: everything may be called from any thread. The map is guarded; a hold is touched by its own thread only, and stays
// where it is in memory.
#pragma once

#include <holdfast/lease.hpp>

#include <map>
#include <mutex>
#include <thread>

namespace holdfast::detail {

class thread_holds {
 public:
  // The calling thread's; null if it has none.
  [[nodiscard]] lease* mine() {
    const std::lock_guard lock{guard_};
    const auto found = holds_.find(std::this_thread::get_id());
    return found == holds_.end() ? nullptr : &found->second;
  }
  void keep(lease got) {
    const std::lock_guard lock{guard_};
    holds_.insert_or_assign(std::this_thread::get_id(), std::move(got));
  }
  release_outcome release() noexcept {
    std::unique_lock lock{guard_};
    auto taken = holds_.extract(std::this_thread::get_id());
    lock.unlock();
    return taken.empty() ? release_outcome::was_lost : taken.mapped().release();
  }

 private:
  std::mutex guard_;
  std::map<std::thread::id, lease> holds_;
};

}  // namespace holdfast::detail
