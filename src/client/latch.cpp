#include <holdfast/latch.hpp>

#include "client/meeting.hpp"
#include "client/unexpected.hpp"

#include <algorithm>
#include <chrono>

namespace holdfast {

namespace {

// Phase 0 is the only one that a latch is waited in. A first look finds out which latch this is, or makes it.
result<void> wait_open(detail::meeting& what, std::optional<std::chrono::nanoseconds> limit) {
  const auto start = std::chrono::steady_clock::now();
  const auto seen = what.arrive(0);
  if (!seen) return seen.failure();
  if (seen->present > 0) return {};
  if (limit) limit = std::max<std::chrono::nanoseconds>(*limit - (std::chrono::steady_clock::now() - start), {});
  return what.wait(seen->made, 0, limit);
}

}  // namespace

latch::latch(client& redis, std::string_view name, std::ptrdiff_t expected, meeting_options how)
    : meeting_{std::make_unique<detail::meeting>(redis, lock::meeting_kind::latch, name, expected, std::move(how))} {}
latch::~latch() = default;

void latch::count_down(std::ptrdiff_t n) { count_down(std::nothrow, n).value(); }

result<void> latch::count_down(std::nothrow_t, std::ptrdiff_t n) noexcept try {
  const auto done = meeting_->arrive(n);
  return done ? result<void>{} : result<void>{done.failure()};
} catch (const std::exception& problem) {
  return detail::unexpected(problem);
}

bool latch::try_wait() const { return try_wait(std::nothrow).value(); }

result<bool> latch::try_wait(std::nothrow_t) const noexcept try {
  const auto seen = meeting_->arrive(0);
  if (!seen) return seen.failure();
  return seen->present > 0;
} catch (const std::exception& problem) {
  return detail::unexpected(problem);
}

void latch::wait() const { wait(std::nothrow).value(); }

result<void> latch::wait(std::nothrow_t) const noexcept try {
  return wait_open(*meeting_, meeting_->usual_limit());
} catch (const std::exception& problem) {
  return detail::unexpected(problem);
}

result<void> latch::wait_for(std::nothrow_t, std::chrono::nanoseconds limit) const noexcept try {
  return wait_open(*meeting_, detail::to_limit(limit));
} catch (const std::exception& problem) {
  return detail::unexpected(problem);
}

bool latch::wait_within(std::chrono::nanoseconds limit) const { return detail::in_time(wait_for(std::nothrow, limit)); }

void latch::arrive_and_wait(std::ptrdiff_t n) { arrive_and_wait(std::nothrow, n).value(); }

result<void> latch::arrive_and_wait(std::nothrow_t, std::ptrdiff_t n) noexcept try {
  const auto done = meeting_->arrive(n);
  if (!done) return done.failure();
  if (done->present > 0) return {};
  return meeting_->wait(done->made, 0, meeting_->usual_limit());
} catch (const std::exception& problem) {
  return detail::unexpected(problem);
}

std::string_view latch::name() const noexcept { return meeting_->name(); }
std::ptrdiff_t latch::expected() const noexcept { return meeting_->expected(); }

}  // namespace holdfast
