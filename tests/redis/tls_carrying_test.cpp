// TLS once it is connected: partial writes, two threads at once, what poll(2) cannot show, and a server that dies.
#include <array>
#include <atomic>
#include <csignal>
#include <thread>

#include "redis/tls_stream_ground.hpp"

namespace holdfast::net {
namespace {

class tls_carrying_test : public tls_stream_test {};

TEST_F(tls_carrying_test, write_is_partial_while_the_server_sleeps_and_nothing_is_lost) {
  redis_server node = server(files.server);
  auto over = open(trusting(), node.tls_port());
  ASSERT_EQ(connect(*over).what, io::done) << over->problem().detail;
  ASSERT_EQ(ping(*over), "+PONG\r\n");
  std::string value(32U << 20U, '\0');
  for (std::size_t i = 0; i < value.size(); ++i) value[i] = static_cast<char>(i * 31 / 7);
  const std::string size = std::to_string(value.size());
  const std::string command = "*2\r\n$4\r\nECHO\r\n$" + size + "\r\n" + value + "\r\n";
  node.pause();
  std::size_t sent = 0;
  io_result last;
  while (sent < command.size() && (last = over->write(std::string_view{command}.substr(sent))).what == io::done) {
    EXPECT_LE(last.bytes, 16384U);
    sent += last.bytes;
  }
  node.resume();
  ASSERT_EQ(last.what, io::again);
  ASSERT_LT(sent, command.size());
  const std::string moved = command.substr(sent);  // other memory, same bytes
  const std::string expected = "$" + size + "\r\n" + value + "\r\n";
  EXPECT_TRUE(ask(*over, moved, expected.size()) == expected) << over->problem().detail;
}

TEST_F(tls_carrying_test, one_thread_reads_while_another_writes) {
  const redis_server node = server(files.server);
  auto over = open(trusting(), node.tls_port());
  ASSERT_EQ(connect(*over).what, io::done) << over->problem().detail;
  constexpr int count = 5000;
  std::string questions;
  std::string answers;
  for (int i = 0; i < count; ++i) {
    const std::string word = std::to_string(100000 + i);
    questions += "ECHO " + word + "\r\n";
    answers += "$6\r\n" + word + "\r\n";
  }
  std::atomic<bool> written{false};
  std::thread writer{[&] {
    std::string_view left = questions;
    for (const auto limit = clock::now() + generous; !left.empty() && clock::now() < limit;) {
      const io_result sent = over->write(left.substr(0, 100));
      if (sent.what == io::failed) return;
      left.remove_prefix(sent.bytes);
      if (sent.what == io::done) continue;
      pollfd ready{over->fd(), static_cast<short>(POLLOUT | over->wanted()), 0};
      ::poll(&ready, 1, 100);
    }
    written = left.empty();
  }};
  const std::string heard = ask(*over, "", answers.size());
  writer.join();
  EXPECT_TRUE(written) << over->problem().detail;
  EXPECT_EQ(heard, answers);
}

TEST_F(tls_carrying_test, pending_tells_what_poll_cannot_show) {
  const redis_server node = server(files.server);
  auto over = open(trusting(), node.tls_port());
  ASSERT_EQ(connect(*over).what, io::done) << over->problem().detail;
  ASSERT_EQ(over->write("PING\r\n").bytes, 6U);
  std::array<char, 1> one{};
  std::string answer;
  for (const auto limit = clock::now() + generous; answer.size() < 7 && clock::now() < limit;) {
    const io_result got = over->read(one);
    if (got.what == io::done) {
      answer += one[0];
      EXPECT_EQ(over->pending(), answer.size() < 7) << answer;
    } else {
      ASSERT_EQ(got.what, io::again) << over->problem().detail;
      EXPECT_FALSE(over->pending());
      pollfd ready{over->fd(), POLLIN, 0};
      ::poll(&ready, 1, 100);
    }
  }
  EXPECT_EQ(answer, "+PONG\r\n");
  EXPECT_EQ(over->read(one).what, io::again);
  EXPECT_FALSE(over->pending());
}

TEST_F(tls_carrying_test, writing_to_a_dead_server_fails_without_sigpipe) {
  std::signal(SIGPIPE, SIG_DFL);
  redis_server node = server(files.server);
  auto over = open(trusting(), node.tls_port());
  ASSERT_EQ(connect(*over).what, io::done) << over->problem().detail;
  ASSERT_EQ(ping(*over), "+PONG\r\n");
  node.kill();
  io_result last{io::done, 0};
  for (const auto limit = clock::now() + generous; last.what == io::done && clock::now() < limit;) {
    last = over->write("PING\r\n");
  }
  EXPECT_EQ(last.what, io::failed);
  EXPECT_EQ(over->problem().code, errc::unreachable) << over->problem().detail;
}

}  // namespace
}  // namespace holdfast::net
