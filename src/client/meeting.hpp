// What latch and barrier are made of: arriving, looking, waiting, on one name.
//
// Remembers which meeting of that name it has met: whatever it asks later is about that one, and ends with `lost` when the
// server has forgotten it, instead of beginning another and waiting for those who have already arrived.
// Thread safety: any thread; the client's guard must not be held.
#pragma once

#include "client/core.hpp"
#include "client/quorum_meeting.hpp"
#include "lock/meeting.hpp"

#include <holdfast/client.hpp>

#include <atomic>
#include <memory>
#include <optional>
#include <string>

namespace holdfast::detail {

class meeting {
 public:
  // Throws `error`: bad_name, bad_option.
  meeting(const client& redis, lock::meeting_kind kind, std::string_view name, std::ptrdiff_t expected,
          meeting_options how);

  // n = 0 looks. Tells the waiters if it completes the phase.
  result<lock::meet_reply> arrive(std::ptrdiff_t n, bool drops = false);
  result<void> wait(std::uint64_t made, std::uint64_t phase, std::optional<std::chrono::nanoseconds> limit);

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] std::ptrdiff_t expected() const noexcept { return expected_; }
  [[nodiscard]] std::optional<std::chrono::nanoseconds> usual_limit() const noexcept { return how_.wait; }

 private:
  [[nodiscard]] arrival make_arrival(std::ptrdiff_t n, bool drops) const;
  result<lock::meet_reply> send(std::ptrdiff_t n, bool drops);
  [[nodiscard]] runtime::duration longest_call() const noexcept;

  const std::shared_ptr<core> core_;
  const lock::meeting_kind kind_;
  const std::string name_;
  const std::ptrdiff_t expected_;
  const meeting_options how_;
  std::string key_;
  std::atomic<std::uint64_t> made_{0};        // 0: not met yet
  std::unique_ptr<quorum_meeting> quorum_{};  // null: elsewhere
};

// false when the limit passed; throws anything else.
inline bool in_time(const result<void>& waited) {
  if (waited) return true;
  if (waited.code() == errc::timed_out) return false;
  throw error{waited.failure()};
}

}  // namespace holdfast::detail
