// TLS against real servers: who is trusted, who is refused, and what the refusal says.
#include <fstream>

#include "redis/tls_stream_ground.hpp"

namespace holdfast::net {
namespace {

TEST_F(tls_stream_test, ping_by_address) {
  const redis_server node = server(files.server);
  auto over = open(trusting(), node.tls_port());
  ASSERT_EQ(connect(*over).what, io::done) << over->problem().detail;
  EXPECT_EQ(over->wanted(), 0);
  EXPECT_EQ(ping(*over), "+PONG\r\n") << over->problem().detail;
  EXPECT_EQ(ask(*over, "QUIT\r\n", 100), "+OK\r\n");
  EXPECT_EQ(over->problem().code, errc::unreachable) << over->problem().detail;
}

TEST_F(tls_stream_test, ping_by_name) {
  const redis_server node = server(files.server);
  settings how = trusting();
  how.host = "localhost.";
  auto over = open(how, node.tls_port());
  ASSERT_EQ(connect(*over).what, io::done) << over->problem().detail;
  EXPECT_EQ(ping(*over), "+PONG\r\n");
}

TEST_F(tls_stream_test, one_two_is_spoken_and_one_one_is_refused) {
  const redis_server node = server(files.server, false, {"tls-protocols TLSv1.2"});
  auto over = open(trusting(), node.tls_port());
  ASSERT_EQ(connect(*over).what, io::done) << over->problem().detail;
  EXPECT_EQ(ping(*over), "+PONG\r\n");
  // Security level 0, or OpenSSL would not let the server speak it.
  const redis_server old = server(files.server, false, {"tls-protocols TLSv1.1", "tls-ciphers DEFAULT:@SECLEVEL=0"});
  expect_refused(trusting(), old.tls_port(), "TLS versions");
}

TEST_F(tls_stream_test, unknown_authority_is_refused) {
  const redis_server node = server(files.server);
  settings how = trusting();
  how.tls_ca = files.other_ca.cert;
  expect_refused(how, node.tls_port(), "tls_ca");
  how.tls_ca.clear();  // the system's store does not know it either
  expect_refused(how, node.tls_port(), "tls_ca");
}

TEST_F(tls_stream_test, wrong_name_is_refused_and_server_name_overrides) {
  const redis_server node = server(files.stranger);
  settings how = trusting();
  expect_refused(how, node.tls_port(), "127.0.0.1");
  how.host = "localhost";
  expect_refused(how, node.tls_port(), "tls_server_name");
  how.tls_server_name = "stranger.invalid";
  auto over = open(how, node.tls_port());
  ASSERT_EQ(connect(*over).what, io::done) << over->problem().detail;
  EXPECT_EQ(ping(*over), "+PONG\r\n");
}

TEST_F(tls_stream_test, expired_certificate_is_refused) {
  const redis_server node = server(files.expired);
  expect_refused(trusting(), node.tls_port(), "expired");
}

TEST_F(tls_stream_test, verification_can_be_switched_off) {
  const redis_server node = server(files.expired);
  settings how;
  how.transport = transport::tls;
  how.tls_verify = false;
  auto over = open(how, node.tls_port());
  ASSERT_EQ(connect(*over).what, io::done) << over->problem().detail;
  EXPECT_EQ(ping(*over), "+PONG\r\n");
}

TEST_F(tls_stream_test, client_certificate_is_given) {
  const redis_server node = server(files.server, true);
  settings how = trusting();
  how.tls_cert = files.client.cert;
  how.tls_key = files.client.key;
  auto over = open(how, node.tls_port());
  ASSERT_EQ(connect(*over).what, io::done) << over->problem().detail;
  EXPECT_EQ(ping(*over), "+PONG\r\n") << over->problem().detail;
}

TEST_F(tls_stream_test, missing_client_certificate_is_refused) {
  for (const char* version : {"TLSv1.2", "TLSv1.3"}) {
    const redis_server node = server(files.server, true, {std::string{"tls-protocols "} + version});
    auto over = open(trusting(), node.tls_port());
    if (connect(*over).what == io::done) {
      EXPECT_EQ(ping(*over), "");
    }
    EXPECT_EQ(over->problem().code, errc::refused) << version << ": " << over->problem().detail;
    EXPECT_NE(over->problem().detail.find("tls_cert"), std::string::npos) << over->problem().detail;
  }
}

TEST_F(tls_stream_test, missing_client_certificate_is_refused_to_a_writer_too) {
  const redis_server node = server(files.server, true);
  auto over = open(trusting(), node.tls_port());
  io_result last = connect(*over);
  for (const auto limit = clock::now() + generous; last.what == io::done && clock::now() < limit;) {
    last = over->write("PING\r\n");
  }
  EXPECT_EQ(last.what, io::failed);
  EXPECT_EQ(over->problem().code, errc::refused) << over->problem().detail;
}

TEST_F(tls_stream_test, server_that_answers_plainly_is_refused) {
  const listener plain;
  auto over = open(trusting(), plain.port);
  while (over->waiting_for().find("TLS") == std::string_view::npos) ASSERT_EQ(over->progress().what, io::again);
  const int peer = plain.accept();
  ASSERT_GT(::send(peer, "-ERR unknown command\r\n", 22, MSG_NOSIGNAL), 0);
  ASSERT_EQ(connect(*over).what, io::failed);
  EXPECT_EQ(over->problem().code, errc::refused);
  EXPECT_NE(over->problem().detail.find("is this port TLS?"), std::string::npos) << over->problem().detail;
  ::close(peer);
}

// A Redis port without TLS takes the greeting for the beginning of a command and waits for more, so that there is
// nothing to fail on; neither is there with a server that hangs.
TEST_F(tls_stream_test, silent_server_says_again_and_what_it_waits_for) {
  const redis_server node;
  const listener silent;
  for (const std::uint16_t port : {node.port(), silent.port}) {
    auto over = open(trusting(), port);
    while (over->waiting_for().find("TLS") == std::string_view::npos) ASSERT_EQ(over->progress().what, io::again);
    for (int i = 0; i < 20; ++i) {
      ASSERT_EQ(over->progress().what, io::again) << over->problem().detail;
      EXPECT_EQ(over->wanted(), POLLIN);
      pollfd ready{over->fd(), over->wanted(), 0};
      EXPECT_EQ(::poll(&ready, 1, 5), 0);
    }
  }
}

TEST_F(tls_stream_test, end_during_the_handshake_is_unreachable) {
  const listener rude;
  auto over = open(trusting(), rude.port);
  while (over->waiting_for().find("TLS") == std::string_view::npos) ASSERT_EQ(over->progress().what, io::again);
  ::close(rude.accept());
  ASSERT_EQ(connect(*over).what, io::failed);
  EXPECT_EQ(over->problem().code, errc::unreachable) << over->problem().detail;
}

TEST_F(tls_stream_test, port_without_listener_is_unreachable) {
  listener nobody;
  nobody.close();
  auto over = open(trusting(), nobody.port);
  ASSERT_EQ(connect(*over).what, io::failed);
  EXPECT_EQ(over->problem().code, errc::unreachable) << over->problem().detail;
}

TEST_F(tls_stream_test, name_is_sent_as_sni_and_an_address_is_not) {
  const std::vector<std::pair<std::string, bool>> cases{{"cache-1.invalid", true}, {"127.0.0.1", false}};
  for (const auto& [name, expected] : cases) {
    const listener curious;
    settings how = trusting();
    how.tls_server_name = name;
    auto over = open(how, curious.port);
    while (over->waiting_for().find("TLS") == std::string_view::npos) ASSERT_EQ(over->progress().what, io::again);
    const int peer = curious.accept();
    std::string greeting(4096, '\0');
    const ssize_t size = ::recv(peer, greeting.data(), greeting.size(), 0);
    ASSERT_GT(size, 0);
    greeting.resize(static_cast<std::size_t>(size));
    EXPECT_EQ(greeting.find(name) != std::string::npos, expected) << name;
    ::close(peer);
  }
}

TEST_F(tls_stream_test, bad_files_are_named) {
  const std::string rubbish = home.file("rubbish.pem");
  std::ofstream{rubbish} << "not a certificate\n";
  const std::string missing = home.file("missing.pem");
  const auto expect_named = [](const settings& how, const std::string& setting, const std::string& file) {
    const auto context = make_tls_context(how);
    ASSERT_FALSE(context);
    EXPECT_EQ(context.code(), errc::bad_option);
    EXPECT_NE(context.failure().detail.find(setting), std::string::npos) << context.failure().detail;
    EXPECT_NE(context.failure().detail.find(file), std::string::npos) << context.failure().detail;
  };
  for (const std::string& file : {rubbish, missing, home.path().string()}) {
    settings how = trusting();
    how.tls_ca = file;
    expect_named(how, "tls_ca", file);
    how = trusting();
    how.tls_cert = file;
    how.tls_key = files.client.key;
    expect_named(how, "tls_cert", file);
    how.tls_cert = files.client.cert;
    how.tls_key = file;
    expect_named(how, "tls_key", file);
  }
  settings how = trusting();
  how.tls_cert = files.client.cert;
  expect_named(how, "tls_key", "tls_cert");
  how.tls_key = files.server.key;
  expect_named(how, "not the key", files.server.key);
  how.tls_key = files.locked_client_key;
  expect_named(how, "passphrase", files.locked_client_key);
}

}  // namespace
}  // namespace holdfast::net
