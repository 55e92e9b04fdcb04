// Says in words why TLS failed and which setting helps.
//
// Place: used by tls_stream when OpenSSL reports an error. No I/O, no state.
#pragma once

#include <holdfast/error.hpp>

#include <string>

namespace holdfast::net {

struct tls_error {
  unsigned long code = 0;    // the first entry of OpenSSL's error queue
  long verify_result = 0;    // SSL_get_verify_result()
  bool handshaking = false;  // not yet usable
};

// refused: our verification or the server's alert ended it, or the server does not speak TLS. protocol: what came after
// a good handshake was damaged.
[[nodiscard]] failure describe_tls_error(const tls_error& what, const std::string& peer, const std::string& name);

}  // namespace holdfast::net
