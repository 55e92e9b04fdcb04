// A certificate authority for tests: keys and certificates written as PEM files into a directory of the test's own.
//
// Made with OpenSSL's C API, in some milliseconds (P-256). Thread safety: no shared state.
#pragma once

#include <string>

namespace holdfast::test {

// A certificate and its key, as paths of PEM files.
struct identity {
  std::string cert;
  std::string key;
};

struct certificates {
  identity ca;        // signs all of the following but other_ca
  identity other_ca;  // signs nothing here
  identity server;    // for localhost, 127.0.0.1 and ::1
  identity client;
  std::string locked_client_key;  // the client's key under a passphrase
  identity expired;               // as server, but its time ended yesterday
  identity stranger;              // a server certificate for stranger.invalid
};

// Throws std::runtime_error when a file cannot be written. `directory` must exist.
[[nodiscard]] certificates make_certificates(const std::string& directory);

}  // namespace holdfast::test
