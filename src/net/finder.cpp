#include "net/finder.hpp"

#include <utility>

namespace holdfast::net {

void direct_finder::start(std::function<void()> wake) {
  if (how_.transport != transport::unix_socket) resolver_.start(how_.host, how_.port, std::move(wake));
}

std::optional<result<found>> direct_finder::poll() {
  if (how_.transport == transport::unix_socket) {
    auto path = unix_address(how_.path);
    if (!path) return result<found>{path.failure()};
    return result<found>{found{{}, {*path}}};
  }
  auto addresses = resolver_.poll();
  if (!addresses) return std::nullopt;
  if (!*addresses) return result<found>{addresses->failure()};
  return result<found>{found{{how_.host, how_.port}, std::move(**addresses)}};
}

std::string direct_finder::unfinished() const { return "the name " + how_.host + " was not resolved in time"; }

}  // namespace holdfast::net
