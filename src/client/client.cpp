#include <holdfast/client.hpp>

#include "client/acquire_blocking.hpp"
#include "client/acquire_call.hpp"
#include "client/core.hpp"
#include "client/lease_access.hpp"
#include "client/plain_call.hpp"
#include "client/prepare.hpp"
#include "client/release_call.hpp"
#include "client/unexpected.hpp"
#include "lock/names.hpp"

#include <optional>
#include <stop_token>

namespace holdfast {

using detail::core;
using runtime::boot_clock;

client::client() : client{settings::load().value()} {}
client::client(std::string_view url) : client{settings::load(url).value()} {}
client::client(settings where) : core_{core::make(std::move(where))} {}
client::client(client&&) noexcept = default;

client& client::operator=(client&& other) noexcept {
  if (this == &other) return *this;
  if (core_) core_->close();
  core_ = std::move(other.core_);
  return *this;
}

client::~client() {
  if (core_) core_->close();
}

lease client::acquire(std::string_view name, const options& how) { return acquire(std::nothrow, name, how).value(); }

result<lease> client::acquire(std::nothrow_t, std::string_view name, const options& how) noexcept {
  return detail::acquire_blocking(core_, name, how, true);
}

result<lease> client::try_acquire(std::string_view name, const options& how) noexcept {
  return detail::acquire_blocking(core_, name, how, false);
}

result<grant> client::try_acquire(std::string_view key, std::string_view owner, std::chrono::milliseconds ttl) noexcept
    try {
  const auto kept = core_;
  if (kept->is_foreign()) return core::foreign();
  if (auto checked = lock::check_owner(owner); !checked) return checked.failure();
  options how{
      .ttl = ttl, .stop_margin = std::chrono::milliseconds{0}, .prefix = std::string{}, .owner = std::string{owner}};
  auto prepared = detail::prepare(*kept, key, how, false);
  if (!prepared) return prepared.failure();
  auto guard = kept->lock();
  detail::acquire_call call{*kept, std::move(prepared->key), std::move(prepared->id), prepared->terms};
  call.start(boot_clock::now());
  kept->wait(guard, call);
  if (const auto& won = call.machine().won()) {
    return grant{won->fence, lock::deadline_of(won->held, {}) - boot_clock::now()};
  }
  return call.machine().lost();
} catch (const std::exception& problem) {
  return detail::unexpected(problem);
}

result<void> client::extend(std::string_view key, std::string_view owner, std::chrono::milliseconds ttl) noexcept try {
  const auto kept = core_;
  if (kept->is_foreign()) return core::foreign();
  if (auto checked = lock::check_owner(owner); !checked) return checked;
  if (auto checked = lock::check_ttl(ttl); !checked) return checked;
  if (auto why = detail::too_long(*kept, ttl)) return *why;
  const auto checked_key = lock::make_key({}, key);
  if (!checked_key) return checked_key.failure();
  auto guard = kept->lock();
  detail::extend_call call{*kept, *checked_key, owner, ttl, detail::noted::yes};
  call.start(boot_clock::now());
  kept->wait(guard, call);
  if (call.problem()) return *call.problem();
  switch (call.reply()) {
    case lock::renew_reply::kept:
      return {};
    case lock::renew_reply::gone:
      return failure{errc::not_owner, "nobody holds " + *checked_key};
    default:
      return failure{errc::not_owner, *checked_key + " is held under another owner id"};
  }
} catch (const std::exception& problem) {
  return detail::unexpected(problem);
}

result<void> client::release(std::string_view key, std::string_view owner) noexcept try {
  const auto kept = core_;
  if (kept->is_foreign()) return core::foreign();
  if (auto checked = lock::check_owner(owner); !checked) return checked;
  const auto checked_key = lock::make_key({}, key);
  if (!checked_key) return checked_key.failure();
  auto guard = kept->lock();
  detail::release_call call{*kept, *checked_key, owner, {}, true};
  call.start(boot_clock::now(), kept->where().command_timeout);
  kept->wait(guard, call);
  if (!call.outcome()) return call.outcome().failure();
  if (*call.outcome() != lock::release_reply::not_mine) return {};
  return failure{errc::not_owner, *checked_key + " is not held under this owner id",
                 call.repeated() ? delivery::unanswered : delivery::not_sent};
} catch (const std::exception& problem) {
  return detail::unexpected(problem);
}

result<std::chrono::nanoseconds> client::ping() noexcept try {
  const auto kept = core_;
  if (kept->is_foreign()) return core::foreign();
  auto guard = kept->lock();
  detail::ping_call call{*kept};
  call.start(boot_clock::now());
  kept->wait(guard, call);
  if (call.problem()) return *call.problem();
  return call.round_trip();
} catch (const std::exception& problem) {
  return detail::unexpected(problem);
}

stats client::stats() const {
  if (core_->is_foreign()) return {};
  auto guard = core_->lock();
  return core_->counters();
}

const settings& client::where() const noexcept { return core_->where(); }

}  // namespace holdfast
