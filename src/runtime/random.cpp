#include "runtime/random.hpp"

#include <sys/random.h>

#include <cerrno>
#include <system_error>

namespace holdfast::runtime {

void random_source::fill() {
  auto* bytes = reinterpret_cast<char*>(block_.data());
  std::size_t have = 0;
  while (have < sizeof block_) {
    const ssize_t got = getrandom(bytes + have, sizeof block_ - have, 0);
    if (got > 0) have += static_cast<std::size_t>(got);
    // Without randomness there are no owner ids, and a guessable one could be released by a stranger.
    if (got < 0 && errno != EINTR) throw std::system_error{errno, std::generic_category(), "getrandom"};
  }
  used_ = 0;
}

std::uint64_t random_source::number() {
  if (used_ == block_.size()) fill();
  const std::uint64_t drawn = block_[used_];
  block_[used_++] = 0;  // an id that was given out does not stay in memory twice
  return drawn;
}

void random_source::append_hex(std::string& out) {
  static constexpr char digits[] = "0123456789abcdef";
  std::uint64_t bits = number();
  for (int i = 0; i < 16; ++i, bits >>= 4) out.push_back(digits[bits & 15]);
}

std::chrono::nanoseconds random_source::between(std::chrono::nanoseconds least, std::chrono::nanoseconds most) {
  if (most <= least) return least;
  const auto width = static_cast<std::uint64_t>((most - least).count()) + 1;
  return least + std::chrono::nanoseconds{static_cast<std::int64_t>(number() % width)};
}

}  // namespace holdfast::runtime
