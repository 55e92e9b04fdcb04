// The texts of errc, lease_state, release_outcome and loss_cause: one place for all names.
#include <holdfast/error.hpp>
#include <holdfast/lease.hpp>
#include <holdfast/loss.hpp>

namespace holdfast {
namespace {

class holdfast_category final : public std::error_category {
 public:
  [[nodiscard]] const char* name() const noexcept override { return "holdfast"; }
  [[nodiscard]] std::string message(int code) const override { return std::string{to_string(static_cast<errc>(code))}; }
};

}  // namespace

std::string_view to_string(errc code) noexcept {
  switch (code) {
    case errc::held:
      return "held";
    case errc::timed_out:
      return "timed_out";
    case errc::cancelled:
      return "cancelled";
    case errc::lost:
      return "lost";
    case errc::not_owner:
      return "not_owner";
    case errc::unreachable:
      return "unreachable";
    case errc::refused:
      return "refused";
    case errc::server_busy:
      return "server_busy";
    case errc::read_only:
      return "read_only";
    case errc::out_of_memory:
      return "out_of_memory";
    case errc::wrong_type:
      return "wrong_type";
    case errc::bad_name:
      return "bad_name";
    case errc::bad_option:
      return "bad_option";
    case errc::bad_url:
      return "bad_url";
    case errc::protocol:
      return "protocol";
    case errc::forked:
      return "forked";
    case errc::deadlock:
      return "deadlock";
    case errc::not_replicated:
      return "not_replicated";
  }
  return "unknown";
}

std::string_view to_string(lease_state state) noexcept {
  switch (state) {
    case lease_state::VALID:
      return "VALID";
    case lease_state::JEOPARDY:
      return "JEOPARDY";
    case lease_state::LOST:
      return "LOST";
  }
  return "unknown";
}

std::string_view to_string(release_outcome outcome) noexcept {
  switch (outcome) {
    case release_outcome::released:
      return "released";
    case release_outcome::was_lost:
      return "was_lost";
    case release_outcome::unknown:
      return "unknown";
  }
  return "unknown";
}

std::string_view to_string(loss_cause cause) noexcept {
  switch (cause) {
    case loss_cause::expired:
      return "expired";
    case loss_cause::gone:
      return "gone";
    case loss_cause::taken:
      return "taken";
    case loss_cause::broken:
      return "broken";
    case loss_cause::max_hold:
      return "max_hold";
    case loss_cause::closed:
      return "closed";
    case loss_cause::failover:
      return "failover";
  }
  return "unknown";
}

const std::error_category& category() noexcept {
  static const holdfast_category the_one;
  return the_one;
}

std::error_code make_error_code(errc code) noexcept { return {static_cast<int>(code), category()}; }

error::error(const failure& what)
    : std::system_error{make_error_code(what.code), what.detail}, kind_{what.code}, sent_{what.sent} {}

}  // namespace holdfast
