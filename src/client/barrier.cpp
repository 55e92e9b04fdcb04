#include <holdfast/barrier.hpp>

#include "client/meeting.hpp"
#include "client/unexpected.hpp"

namespace holdfast {

barrier::barrier(client& redis, std::string_view name, std::ptrdiff_t expected, meeting_options how)
    : meeting_{std::make_unique<detail::meeting>(redis, lock::meeting_kind::barrier, name, expected, std::move(how))} {}
barrier::~barrier() = default;

barrier::arrival_token barrier::arrive(std::ptrdiff_t n) { return arrive(std::nothrow, n).value(); }

result<barrier::arrival_token> barrier::arrive(std::nothrow_t, std::ptrdiff_t n) noexcept try {
  if (n < 1) return failure{errc::bad_option, std::to_string(n) + " cannot arrive at a barrier; at least 1 must"};
  const auto met = meeting_->arrive(n);
  if (!met) return met.failure();
  return arrival_token{met->made, met->phase};
} catch (const std::exception& problem) {
  return detail::unexpected(problem);
}

void barrier::wait(const arrival_token& arrival) const { wait(std::nothrow, arrival).value(); }

result<void> barrier::wait(std::nothrow_t, const arrival_token& arrival) const noexcept try {
  return meeting_->wait(arrival.made, arrival.phase, meeting_->usual_limit());
} catch (const std::exception& problem) {
  return detail::unexpected(problem);
}

result<void> barrier::wait_for(std::nothrow_t, const arrival_token& arrival,
                               std::chrono::nanoseconds limit) const noexcept try {
  return meeting_->wait(arrival.made, arrival.phase, detail::to_limit(limit));
} catch (const std::exception& problem) {
  return detail::unexpected(problem);
}

bool barrier::wait_within(const arrival_token& arrival, std::chrono::nanoseconds limit) const {
  return detail::in_time(wait_for(std::nothrow, arrival, limit));
}

void barrier::arrive_and_wait() { arrive_and_wait(std::nothrow).value(); }

result<void> barrier::arrive_and_wait(std::nothrow_t) noexcept try {
  const auto met = meeting_->arrive(1);
  if (!met) return met.failure();
  if (met->present > met->phase) return {};
  return meeting_->wait(met->made, met->phase, meeting_->usual_limit());
} catch (const std::exception& problem) {
  return detail::unexpected(problem);
}

void barrier::arrive_and_drop() { arrive_and_drop(std::nothrow).value(); }

result<void> barrier::arrive_and_drop(std::nothrow_t) noexcept try {
  const auto met = meeting_->arrive(1, true);
  return met ? result<void>{} : result<void>{met.failure()};
} catch (const std::exception& problem) {
  return detail::unexpected(problem);
}

std::string_view barrier::name() const noexcept { return meeting_->name(); }
std::ptrdiff_t barrier::expected() const noexcept { return meeting_->expected(); }

}  // namespace holdfast
