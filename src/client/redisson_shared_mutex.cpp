#include <holdfast/redisson_shared_mutex.hpp>

#include "client/downgrade.hpp"
#include "client/lease_access.hpp"
#include "client/outcomes.hpp"
#include "client/prepare.hpp"
#include "client/read_write_state.hpp"
#include "lock/owner_text.hpp"
#include "lock/read_write.hpp"

#include <unistd.h>

namespace holdfast {
namespace {

class redisson_state final : public detail::read_write_state {
 public:
  redisson_state(std::shared_ptr<detail::core> connected, std::string_view name, options how, std::string_view key)
      : read_write_state{
            std::move(connected), name, std::move(how), {lock::redisson_reader(key), lock::redisson_writer(key)}} {
    lock::check_ttl_of(*which().reader, this->how().ttl).value();
  }

 private:
  result<void> downgrade(lease& mine) const override {
    const std::shared_ptr<detail::held_lease> held = detail::lease_access::held(mine);
    if (!held) return detail::no_lease();
    if (held->owner()->is_foreign()) return detail::core::foreign();
    if (!mine) return detail::is_lost(*held);
    return detail::downgrade(held, scripts::read_write_downgrade, which().writer->extra);
  }

  // Another owner for each acquisition: what was sent for an earlier one can never touch this.
  [[nodiscard]] options next_options() const override {
    options made = how();
    std::string digits;
    const auto guard = owner().lock();
    owner().random().append_hex(digits);
    made.owner = lock::redisson_owner(owner().inbox(), digits, ::gettid());
    return made;
  }

  [[nodiscard]] std::string_view ways_on() const noexcept override { return "downgrade()"; }
};

std::unique_ptr<redisson_state> make_redisson_state(client& redis, std::string_view name, options how) {
  const auto& core = detail::lease_access::core_of(redis);
  if (core->where().deployment == deployment::quorum) {
    throw error{{errc::bad_option, "a redisson_shared_mutex does not work on a quorum (" + core->where().display() +
                                       "): it is there to meet Redisson, which has no such quorum; use shared_mutex"}};
  }
  const auto prepared = detail::prepare(*core, name, how, true).value();
  if (!how.owner.empty()) throw error{{errc::bad_option, "owner is set, but every hold needs an owner of its own"}};
  if (how.signal_prefix) {
    throw error{
        {errc::bad_option, "signal_prefix is for plain locks; a redisson_shared_mutex wakes Redisson's waiters"}};
  }
  return std::make_unique<redisson_state>(core, name, std::move(how), prepared.key);
}

}  // namespace

redisson_shared_mutex::redisson_shared_mutex(client& redis, std::string_view name, options how)
    : read_write_lock{make_redisson_state(redis, name, std::move(how))} {}

}  // namespace holdfast
