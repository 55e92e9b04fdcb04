// What happens to the child when the lease ends, decided without acting: `now` is passed in.
//
//   HELD ──lost──▶ ENDING ──kill_at──▶ KILLED        --on-lost=ignore: HELD ──lost──▶ LEFT, and nothing is done
//
//                 deadline             kill_at      end on the server, at the earliest
//   ── lease ────────┼───── grace ────────┼── kill margin ──┼
//                  signal              SIGKILL
//
// The deadline is the library's: it fires stop_margin = grace + kill margin before the lease can end on the server. The
// grace never outlives the lease: if the loss is learned late (we were stopped), what is left of it is given; if the
// server has already given the lock away, nothing is.
// Thread safety: none.
#pragma once

#include "run/boot_clock.hpp"

#include <holdfast/loss.hpp>

#include <chrono>
#include <optional>

namespace holdfast::cli {

enum class loss_policy : unsigned char { stop, ignore };

class loss_plan {
 public:
  enum class act : unsigned char { nothing, signal, kill };

  loss_plan(loss_policy policy, std::chrono::milliseconds grace) noexcept : policy_{policy}, grace_{grace} {}

  // The lease is valid until this deadline. True if that is news.
  bool proven(boot_time deadline) noexcept;
  act lost(boot_time now, loss_cause cause) noexcept;
  act timer(boot_time now) noexcept;

  // When timer() wants to be called, if ever: to look at the lease again, or to kill.
  [[nodiscard]] std::optional<boot_time> wake_at() const noexcept;
  // When the child must be killed if nobody says otherwise: what the guard is told.
  [[nodiscard]] std::optional<boot_time> kill_at() const noexcept;

  [[nodiscard]] bool is_lost() const noexcept { return state_ != state::held; }
  // The whole process group has to end, and has not been killed yet.
  [[nodiscard]] bool is_ending() const noexcept { return state_ == state::ending; }

 private:
  enum class state : unsigned char { held, ending, killed, left };

  loss_policy policy_;
  std::chrono::milliseconds grace_;
  state state_ = state::held;
  std::optional<boot_time> deadline_;
};

}  // namespace holdfast::cli
