#include <holdfast/shared_mutex.hpp>

#include "client/lease_access.hpp"
#include "client/prepare.hpp"
#include "client/read_write_state.hpp"
#include "lock/shares.hpp"

namespace holdfast {
namespace {

class shares_state final : public detail::read_write_state {
 public:
  shares_state(std::shared_ptr<detail::core> connected, std::string_view name, options how)
      : read_write_state{std::move(connected), name, std::move(how), {lock::reader(), lock::writer()}} {}

 private:
  result<void> downgrade(lease& held) const override { return holdfast::downgrade(held); }
  [[nodiscard]] std::string_view ways_on() const noexcept override { return "upgrade() or downgrade()"; }
};

std::unique_ptr<shares_state> make_shares_state(client& redis, std::string_view name, options how) {
  const auto& core = detail::lease_access::core_of(redis);
  static_cast<void>(detail::prepare(*core, name, how, true, detail::unless_quorum(*core, "a shared_mutex")).value());
  if (!how.owner.empty()) throw error{{errc::bad_option, "owner is set, but every hold needs an owner of its own"}};
  return std::make_unique<shares_state>(core, name, std::move(how));
}

}  // namespace

shared_mutex::shared_mutex(client& redis, std::string_view name, options how)
    : read_write_lock{make_shares_state(redis, name, std::move(how))} {}

void shared_mutex::upgrade() { upgrade(std::nothrow).value(); }

result<void> shared_mutex::upgrade(std::nothrow_t) noexcept {
  return inner().with_mine([this](lease& held) { return holdfast::upgrade(held, inner().how()); });
}

}  // namespace holdfast
