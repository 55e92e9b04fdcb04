// Whether to look for an answer for a moment before going to sleep over it.
//
// A round trip to a Redis nearby is mostly sleep: two processors that have to be woken, 30 µs each in a virtual machine, a
// few on bare metal. A caller that looks instead is back as soon as the answer is, and sleeps over it only when it does not
// come within the time that such a round trip takes. Where answers are never that quick, looks are in vain, and the more of
// them in a row, the more answers are slept over until the next look: what is left is below 2 µs per answer.
// Thread safety: none; it is the reader's.
#pragma once

#include <algorithm>
#include <chrono>

namespace holdfast::net {

class spin {
 public:
  // How long one look takes at most.
  static constexpr std::chrono::microseconds longest{100};

  explicit spin(bool allowed) noexcept : allowed_{allowed} {}

  // Asked once per answer.
  [[nodiscard]] bool worthwhile() noexcept {
    if (!allowed_) return false;
    if (slept_over_ == 0) return true;
    --slept_over_;
    return false;
  }

  // How a look ended.
  void ended(bool in_time) noexcept {
    in_vain_ = in_time ? 0 : std::min(2 * in_vain_ + 1, most_slept_over);
    slept_over_ = in_vain_;
  }

 private:
  static constexpr int most_slept_over = 63;

  bool allowed_;
  int in_vain_ = 0;     // answers to sleep over after the last look: 1, 3, 7, … while looks are in vain
  int slept_over_ = 0;  // of these, still to come
};

}  // namespace holdfast::net
