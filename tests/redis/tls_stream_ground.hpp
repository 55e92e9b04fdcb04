// A redis-server with TLS, the certificates for it, and settings that trust it.
#pragma once

#include <memory>

#include "net/tls_context.hpp"
#include "redis/stream_ground.hpp"
#include "support/certificates.hpp"
#include "support/temp_dir.hpp"

namespace holdfast::net {

using test::identity;
using test::temp_dir;

class tls_stream_test : public ::testing::Test {
 protected:
  temp_dir home;
  test::certificates files = test::make_certificates(home.path().string());

  settings trusting() {
    settings how;
    how.transport = transport::tls;
    how.tls_ca = files.ca.cert;
    return how;
  }
  static std::unique_ptr<stream> open(const settings& how, std::uint16_t port) {
    auto context = make_tls_context(how);
    EXPECT_TRUE(context) << context.failure().detail;
    return context ? dial(how, loopback(port), *context) : nullptr;
  }
  redis_server server(const identity& which, bool clients_need_certificate = false,
                      std::vector<std::string> config = {}) {
    return redis_server{{.config = std::move(config),
                         .tls = test::tls_files{which.cert, which.key, files.ca.cert, clients_need_certificate}}};
  }
  // Expects that connecting is refused with `word` in the text.
  static void expect_refused(const settings& how, std::uint16_t port, const std::string& word) {
    auto over = open(how, port);
    ASSERT_EQ(connect(*over).what, io::failed);
    EXPECT_EQ(over->problem().code, errc::refused) << over->problem().detail;
    EXPECT_NE(over->problem().detail.find(word), std::string::npos) << over->problem().detail;
  }
};

}  // namespace holdfast::net
