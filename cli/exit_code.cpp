#include "exit_code.hpp"

namespace holdfast::cli {

int exit_code_of(errc code) noexcept {
  switch (code) {
    case errc::held:
    case errc::timed_out:
    case errc::not_owner:
      return exit_not_acquired;
    case errc::bad_name:
    case errc::bad_option:
    case errc::bad_url:
      return exit_usage;
    case errc::wrong_type:
      return exit_wrong_type;
    case errc::unreachable:
    case errc::server_busy:
    case errc::read_only:
    case errc::out_of_memory:
      return exit_unreachable;
    case errc::protocol:
      return exit_protocol;
    case errc::refused:
      return exit_refused;
    case errc::lost:
      return exit_lost;
    default:
      return exit_internal;
  }
}

}  // namespace holdfast::cli
