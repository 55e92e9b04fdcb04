// Streams without TLS against real servers, over TCP and a Unix socket, and each way in which connecting can fail.
#include <fcntl.h>
#include <netinet/tcp.h>

#include <array>
#include <csignal>

#include "redis/stream_ground.hpp"

namespace holdfast::net {
namespace {

TEST(plain_stream_test, ping_over_tcp) {
  const redis_server server;
  auto over = dial({}, loopback(server.port()));
  ASSERT_EQ(connect(*over).what, io::done) << over->problem().detail;
  EXPECT_EQ(over->wanted(), 0);
  EXPECT_EQ(ping(*over), "+PONG\r\n");
}

TEST(plain_stream_test, ping_over_unix_socket) {
  const redis_server server;
  settings how;
  how.transport = transport::unix_socket;
  auto over = dial(how, *unix_address(server.unix_path()));
  ASSERT_EQ(connect(*over).what, io::done) << over->problem().detail;
  EXPECT_EQ(ping(*over), "+PONG\r\n");
}

TEST(plain_stream_test, socket_is_tuned) {
  const listener silent;
  const auto option = [](const stream& over, int level, int name) {
    int value = -1;
    socklen_t size = sizeof value;
    EXPECT_EQ(::getsockopt(over.fd(), level, name, &value, &size), 0);
    return value;
  };
  settings how;
  const auto usual = dial(how, loopback(silent.port));
  EXPECT_NE(option(*usual, IPPROTO_TCP, TCP_NODELAY), 0);
  EXPECT_NE(option(*usual, SOL_SOCKET, SO_KEEPALIVE), 0);
  EXPECT_EQ(option(*usual, IPPROTO_TCP, TCP_USER_TIMEOUT), 5000);
  EXPECT_NE(::fcntl(usual->fd(), F_GETFD) & FD_CLOEXEC, 0);
  EXPECT_NE(::fcntl(usual->fd(), F_GETFL) & O_NONBLOCK, 0);
  how.command_timeout = 4s;
  EXPECT_EQ(option(*dial(how, loopback(silent.port)), IPPROTO_TCP, TCP_USER_TIMEOUT), 12000);
  how.command_timeout = std::chrono::milliseconds::max();
  EXPECT_GT(option(*dial(how, loopback(silent.port)), IPPROTO_TCP, TCP_USER_TIMEOUT), 12000);
}

TEST(plain_stream_test, end_of_stream_is_closed) {
  const redis_server server;
  auto over = dial({}, loopback(server.port()));
  ASSERT_EQ(connect(*over).what, io::done);
  EXPECT_EQ(ask(*over, "QUIT\r\n", 100), "+OK\r\n");
  std::array<char, 8> rest{};
  EXPECT_EQ(over->read(rest).what, io::closed);
  EXPECT_EQ(over->problem().code, errc::unreachable);
}

TEST(plain_stream_test, port_without_listener_is_unreachable) {
  listener nobody;
  nobody.close();
  auto over = dial({}, loopback(nobody.port));
  ASSERT_EQ(connect(*over).what, io::failed);
  EXPECT_EQ(over->problem().code, errc::unreachable);
  EXPECT_NE(over->problem().detail.find(std::to_string(nobody.port)), std::string::npos) << over->problem().detail;
  EXPECT_NE(over->problem().detail.find("refused"), std::string::npos) << over->problem().detail;
}

TEST(plain_stream_test, missing_unix_socket_is_unreachable) {
  settings how;
  how.transport = transport::unix_socket;
  auto over = dial(how, *unix_address("/nonexistent/redis.sock"));
  ASSERT_EQ(over->progress().what, io::failed);
  EXPECT_EQ(over->problem().code, errc::unreachable);
  EXPECT_NE(over->problem().detail.find("/nonexistent/redis.sock"), std::string::npos) << over->problem().detail;
}

TEST(plain_stream_test, unix_path_too_long_is_a_bad_option) {
  EXPECT_TRUE(unix_address("/" + std::string(106, 'x')));
  const auto too_long = unix_address("/" + std::string(107, 'x'));
  ASSERT_FALSE(too_long);
  EXPECT_EQ(too_long.code(), errc::bad_option);
  EXPECT_FALSE(unix_address(""));
}

TEST(plain_stream_test, write_is_partial_when_the_peer_does_not_read) {
  const listener silent;
  auto over = dial({}, loopback(silent.port));
  ASSERT_EQ(connect(*over).what, io::done);
  const int peer = silent.accept();
  std::string text(64U << 20U, '\0');
  for (std::size_t i = 0; i < text.size(); ++i) text[i] = static_cast<char>(i * 31 / 7);
  std::size_t sent = 0;
  io_result last;
  while ((last = over->write(std::string_view{text}.substr(sent))).what == io::done && sent < text.size()) {
    sent += last.bytes;
  }
  EXPECT_EQ(last.what, io::again);
  ASSERT_LT(sent, text.size());
  ASSERT_GT(sent, 0U);
  std::string arrived(sent, '\0');
  EXPECT_EQ(::recv(peer, arrived.data(), sent, MSG_WAITALL), static_cast<ssize_t>(sent));
  EXPECT_TRUE(arrived == text.substr(0, sent));
  EXPECT_EQ(over->write("x").what, io::done);
  ::close(peer);
}

TEST(plain_stream_test, writing_to_a_dead_server_fails_without_sigpipe) {
  std::signal(SIGPIPE, SIG_DFL);
  redis_server server;
  auto over = dial({}, loopback(server.port()));
  ASSERT_EQ(connect(*over).what, io::done);
  server.kill();
  io_result last{io::done, 0};
  for (const auto limit = clock::now() + generous; last.what == io::done && clock::now() < limit;) {
    last = over->write("PING\r\n");
  }
  EXPECT_EQ(last.what, io::failed);
  EXPECT_EQ(over->problem().code, errc::unreachable);
}

}  // namespace
}  // namespace holdfast::net
