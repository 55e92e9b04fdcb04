// Sockets on 127.0.0.1 for the gate and the server launcher.
//
// Safe from any thread. All sockets are close-on-exec; failures throw std::system_error that names the step.
#pragma once

#include <cstdint>

#include "support/unique_fd.hpp"

namespace holdfast::test {

// A non-blocking TCP socket bound to 127.0.0.1:port (0: the kernel chooses). It does not listen yet: until then, the
// port is taken and connecting to it is refused.
[[nodiscard]] unique_fd bind_loopback(std::uint16_t port);

[[nodiscard]] std::uint16_t local_port(int socket);

// A port that was free a moment ago. Somebody else may take it before you do: whoever uses it must be ready to retry.
[[nodiscard]] std::uint16_t free_port();

// Starts a non-blocking connect to 127.0.0.1:port; an empty descriptor if it failed at once.
[[nodiscard]] unique_fd start_connect(std::uint16_t port);

void set_no_delay(int socket);

}  // namespace holdfast::test
