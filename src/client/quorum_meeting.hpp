// A latch or a barrier on a quorum: one value on all nodes, which a short lock guards (docs/quorum_family.md).
//
//   look      one round without the lock: what a majority has in the same version
//   arrive    the guard; a round that reads under it; what lock::count says; a round that writes and gives the guard back
//
// Sent again until a majority has it or the time is over: the arrival's id makes a repetition count once.
// Thread safety: any thread; the client's guard must not be held.
#pragma once

#include "client/core.hpp"
#include "client/count_call.hpp"
#include "lock/meeting_state.hpp"

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>

namespace holdfast::detail {

class quorum_meeting {
 public:
  quorum_meeting(std::shared_ptr<core> owner, std::string key);

  // What count_call does on a single Redis; what.id is not used. Ends soon after `limit` at the latest.
  result<lock::meet_reply> count(const arrival& what, runtime::duration limit);
  // Brings the nodes together: all that can be reached have what a majority has, or, if none has the same, the newest of it.
  void settle(const arrival& what, runtime::duration limit);

 private:
  struct held_guard;
  struct reading;
  class open_number;
  using answer = std::optional<result<lock::meet_reply>>;  // none: to be tried again

  lock::arrival_terms terms_of(const arrival& what) const;
  std::uint64_t object();
  answer look(const arrival& what, bool write_back);
  answer attempt(const arrival& what, const lock::arrival_terms& terms, runtime::time_point until, bool& sent);
  result<held_guard> take_guard(runtime::time_point until);
  void give_back(const held_guard& what);
  reading read(const arrival& what, const held_guard* under);
  std::optional<bool> write(const arrival& what, const lock::meeting_state& state, std::uint64_t version,
                            const held_guard* under);
  void pause();
  void saw(std::uint64_t version) noexcept;

  const std::shared_ptr<core> core_;
  const std::string key_;
  const std::string guard_;
  std::uint64_t object_ =
      0;  // tells our arrivals from others'; made when it is first needed, guarded by the client's mutex
  std::atomic<std::uint64_t> seen_{0};  // the greatest version that a majority has had
  std::mutex numbers_guard_;
  std::set<std::uint64_t> open_;  // numbers of arrivals that may still be repeated
  std::uint64_t last_number_ = 0;
};

}  // namespace holdfast::detail
