// Streams against real servers: TCP, Unix socket and TLS, and each way in which connecting can fail.
//
// Each test starts the redis-server it needs, on a free loopback port and in a directory of its own, so that tests may
// run side by side.
#include "net/dial.hpp"
#include "net/resolver.hpp"
#include "net/tls_context.hpp"
#include "support/certificates.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace holdfast::net {
namespace {

using namespace std::chrono_literals;
using clock = std::chrono::steady_clock;
using test::identity;

constexpr auto generous = 30s;

class directory {
 public:
  directory() {
    std::string pattern = (std::filesystem::temp_directory_path() / "holdfast-stream-XXXXXX").string();
    if (::mkdtemp(pattern.data()) != nullptr) path = pattern;
  }
  ~directory() {
    std::error_code ignored;
    if (!path.empty()) std::filesystem::remove_all(path, ignored);
  }
  directory(const directory&) = delete;
  directory& operator=(const directory&) = delete;
  std::string path;
};

// A socket on a free loopback port; listening or, after close(), a port that is very likely unused.
class listener {
 public:
  listener() : fd_{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)} {
    sockaddr_in any{};
    any.sin_family = AF_INET;
    any.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof any;
    if (::bind(fd_, reinterpret_cast<sockaddr*>(&any), size) != 0 || ::listen(fd_, 8) != 0) std::abort();
    if (::getsockname(fd_, reinterpret_cast<sockaddr*>(&any), &size) != 0) std::abort();
    port = ntohs(any.sin_port);
  }
  ~listener() { close(); }
  listener(const listener&) = delete;
  listener& operator=(const listener&) = delete;
  [[nodiscard]] int accept() const { return ::accept4(fd_, nullptr, nullptr, SOCK_CLOEXEC); }
  void close() {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }
  std::uint16_t port = 0;

 private:
  int fd_;
};

address loopback(std::uint16_t port) { return *numeric_address("127.0.0.1", port); }

io_result connect(stream& over) {
  const auto limit = clock::now() + generous;
  for (;;) {
    const io_result step = over.progress();
    if (step.what != io::again || clock::now() > limit) return step;
    pollfd ready{over.fd(), over.wanted(), 0};
    ::poll(&ready, 1, 100);
  }
}

// Sends all and returns the first `size` bytes of the answer; fewer when the stream ended.
std::string ask(stream& over, std::string_view question, std::size_t size) {
  const auto limit = clock::now() + generous;
  std::string answer;
  std::vector<char> part(65536);
  while (answer.size() < size && clock::now() < limit) {
    if (!question.empty()) {
      const io_result sent = over.write(question);
      if (sent.what == io::failed) break;
      question.remove_prefix(sent.bytes);
    }
    const io_result got = over.read(part);
    if (got.what == io::done) answer.append(part.data(), got.bytes);
    if (got.what == io::closed || got.what == io::failed) break;
    if (got.what != io::again || over.pending()) continue;
    const auto output = static_cast<short>(question.empty() ? 0 : POLLOUT);
    pollfd ready{over.fd(), static_cast<short>(POLLIN | output | over.wanted()), 0};
    ::poll(&ready, 1, 100);
  }
  return answer;
}

std::string ping(stream& over) { return ask(over, "PING\r\n", 7); }

class redis {
 public:
  explicit redis(std::vector<std::string> more = {}, const identity* tls = nullptr, const std::string& ca = {}) {
    for (int attempt = 0; attempt < 10 && !start(more, tls, ca); ++attempt) stop();
  }
  ~redis() { stop(); }
  redis(const redis&) = delete;
  redis& operator=(const redis&) = delete;
  void signal(int number) const { ::kill(pid_, number); }
  void stop() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(std::exchange(pid_, -1), nullptr, 0);
  }
  [[nodiscard]] std::string socket() const { return home_.path + "/s"; }
  std::uint16_t port = 0;
  std::uint16_t tls_port = 0;

 private:
  // False: the server ended, most likely because another process took the port in between.
  bool start(const std::vector<std::string>& more, const identity* tls, const std::string& ca) {
    {
      listener one;
      listener two;
      port = one.port;
      tls_port = two.port;
    }
    std::vector<std::string> words{"redis-server",
                                   "--bind",
                                   "127.0.0.1",
                                   "--port",
                                   std::to_string(port),
                                   "--unixsocket",
                                   socket(),
                                   "--dir",
                                   home_.path,
                                   "--save",
                                   "",
                                   "--appendonly",
                                   "no",
                                   "--logfile",
                                   home_.path + "/log"};
    if (tls != nullptr) {
      words.insert(words.end(), {"--tls-port", std::to_string(tls_port), "--tls-cert-file", tls->cert, "--tls-key-file",
                                 tls->key, "--tls-ca-cert-file", ca});
    }
    words.insert(words.end(), more.begin(), more.end());
    std::vector<char*> argv;
    for (auto& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    const pid_t parent = ::getpid();
    pid_ = ::fork();
    if (pid_ == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (::getppid() == parent) ::execvp(argv[0], argv.data());
      ::_exit(127);
    }
    return ready();
  }

  // The Unix socket is the last that redis-server opens.
  bool ready() {
    const auto limit = clock::now() + generous;
    while (clock::now() < limit) {
      settings how;
      how.transport = transport::unix_socket;
      auto over = dial(how, *unix_address(socket()));
      if (connect(*over).what == io::done && ping(*over) == "+PONG\r\n") return true;
      if (::waitpid(pid_, nullptr, WNOHANG) != 0) {
        pid_ = -1;
        return false;
      }
      std::this_thread::sleep_for(5ms);
    }
    return false;
  }

  directory home_;
  pid_t pid_ = -1;
};

class tls_stream_test : public ::testing::Test {
 protected:
  directory home;
  test::certificates files = test::make_certificates(home.path);

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
  redis server(const identity& which, std::string clients = "no") {
    return redis{{"--tls-auth-clients", std::move(clients)}, &which, files.ca.cert};
  }
  // Expects that connecting is refused with `word` in the text.
  static void expect_refused(const settings& how, std::uint16_t port, const std::string& word) {
    auto over = open(how, port);
    ASSERT_EQ(connect(*over).what, io::failed);
    EXPECT_EQ(over->problem().code, errc::refused) << over->problem().detail;
    EXPECT_NE(over->problem().detail.find(word), std::string::npos) << over->problem().detail;
  }
};

TEST(plain_stream_test, ping_over_tcp) {
  const redis server;
  auto over = dial({}, loopback(server.port));
  ASSERT_EQ(connect(*over).what, io::done) << over->problem().detail;
  EXPECT_EQ(over->wanted(), 0);
  EXPECT_EQ(ping(*over), "+PONG\r\n");
}

TEST(plain_stream_test, ping_over_unix_socket) {
  const redis server;
  settings how;
  how.transport = transport::unix_socket;
  auto over = dial(how, *unix_address(server.socket()));
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
  const redis server;
  auto over = dial({}, loopback(server.port));
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
  redis server;
  auto over = dial({}, loopback(server.port));
  ASSERT_EQ(connect(*over).what, io::done);
  server.stop();
  io_result last{io::done, 0};
  for (const auto limit = clock::now() + generous; last.what == io::done && clock::now() < limit;) {
    last = over->write("PING\r\n");
  }
  EXPECT_EQ(last.what, io::failed);
  EXPECT_EQ(over->problem().code, errc::unreachable);
}

TEST_F(tls_stream_test, ping_by_address) {
  const redis node = server(files.server);
  auto over = open(trusting(), node.tls_port);
  ASSERT_EQ(connect(*over).what, io::done) << over->problem().detail;
  EXPECT_EQ(over->wanted(), 0);
  EXPECT_EQ(ping(*over), "+PONG\r\n") << over->problem().detail;
  EXPECT_EQ(ask(*over, "QUIT\r\n", 100), "+OK\r\n");
  EXPECT_EQ(over->problem().code, errc::unreachable) << over->problem().detail;
}

TEST_F(tls_stream_test, ping_by_name) {
  const redis node = server(files.server);
  settings how = trusting();
  how.host = "localhost.";
  auto over = open(how, node.tls_port);
  ASSERT_EQ(connect(*over).what, io::done) << over->problem().detail;
  EXPECT_EQ(ping(*over), "+PONG\r\n");
}

TEST_F(tls_stream_test, one_two_is_spoken_and_one_one_is_refused) {
  const redis node{{"--tls-auth-clients", "no", "--tls-protocols", "TLSv1.2"}, &files.server, files.ca.cert};
  auto over = open(trusting(), node.tls_port);
  ASSERT_EQ(connect(*over).what, io::done) << over->problem().detail;
  EXPECT_EQ(ping(*over), "+PONG\r\n");
  // Security level 0, or OpenSSL would not let the server speak it.
  const redis old{{"--tls-auth-clients", "no", "--tls-protocols", "TLSv1.1", "--tls-ciphers", "DEFAULT:@SECLEVEL=0"},
                  &files.server,
                  files.ca.cert};
  expect_refused(trusting(), old.tls_port, "TLS versions");
}

TEST_F(tls_stream_test, unknown_authority_is_refused) {
  const redis node = server(files.server);
  settings how = trusting();
  how.tls_ca = files.other_ca.cert;
  expect_refused(how, node.tls_port, "tls_ca");
  how.tls_ca.clear();  // the system's store does not know it either
  expect_refused(how, node.tls_port, "tls_ca");
}

TEST_F(tls_stream_test, wrong_name_is_refused_and_server_name_overrides) {
  const redis node = server(files.stranger);
  settings how = trusting();
  expect_refused(how, node.tls_port, "127.0.0.1");
  how.host = "localhost";
  expect_refused(how, node.tls_port, "tls_server_name");
  how.tls_server_name = "stranger.invalid";
  auto over = open(how, node.tls_port);
  ASSERT_EQ(connect(*over).what, io::done) << over->problem().detail;
  EXPECT_EQ(ping(*over), "+PONG\r\n");
}

TEST_F(tls_stream_test, expired_certificate_is_refused) {
  const redis node = server(files.expired);
  expect_refused(trusting(), node.tls_port, "expired");
}

TEST_F(tls_stream_test, verification_can_be_switched_off) {
  const redis node = server(files.expired);
  settings how;
  how.transport = transport::tls;
  how.tls_verify = false;
  auto over = open(how, node.tls_port);
  ASSERT_EQ(connect(*over).what, io::done) << over->problem().detail;
  EXPECT_EQ(ping(*over), "+PONG\r\n");
}

TEST_F(tls_stream_test, client_certificate_is_given) {
  const redis node = server(files.server, "yes");
  settings how = trusting();
  how.tls_cert = files.client.cert;
  how.tls_key = files.client.key;
  auto over = open(how, node.tls_port);
  ASSERT_EQ(connect(*over).what, io::done) << over->problem().detail;
  EXPECT_EQ(ping(*over), "+PONG\r\n") << over->problem().detail;
}

TEST_F(tls_stream_test, missing_client_certificate_is_refused) {
  for (const char* version : {"TLSv1.2", "TLSv1.3"}) {
    const redis node{{"--tls-auth-clients", "yes", "--tls-protocols", version}, &files.server, files.ca.cert};
    auto over = open(trusting(), node.tls_port);
    if (connect(*over).what == io::done) {
      EXPECT_EQ(ping(*over), "");
    }
    EXPECT_EQ(over->problem().code, errc::refused) << version << ": " << over->problem().detail;
    EXPECT_NE(over->problem().detail.find("tls_cert"), std::string::npos) << over->problem().detail;
  }
}

TEST_F(tls_stream_test, missing_client_certificate_is_refused_to_a_writer_too) {
  const redis node = server(files.server, "yes");
  auto over = open(trusting(), node.tls_port);
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
  const redis node;
  const listener silent;
  for (const std::uint16_t port : {node.port, silent.port}) {
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

TEST_F(tls_stream_test, write_is_partial_while_the_server_sleeps_and_nothing_is_lost) {
  const redis node = server(files.server);
  auto over = open(trusting(), node.tls_port);
  ASSERT_EQ(connect(*over).what, io::done) << over->problem().detail;
  ASSERT_EQ(ping(*over), "+PONG\r\n");
  std::string value(32U << 20U, '\0');
  for (std::size_t i = 0; i < value.size(); ++i) value[i] = static_cast<char>(i * 31 / 7);
  const std::string size = std::to_string(value.size());
  const std::string command = "*2\r\n$4\r\nECHO\r\n$" + size + "\r\n" + value + "\r\n";
  node.signal(SIGSTOP);
  std::size_t sent = 0;
  io_result last;
  while (sent < command.size() && (last = over->write(std::string_view{command}.substr(sent))).what == io::done) {
    EXPECT_LE(last.bytes, 16384U);
    sent += last.bytes;
  }
  node.signal(SIGCONT);
  ASSERT_EQ(last.what, io::again);
  ASSERT_LT(sent, command.size());
  const std::string moved = command.substr(sent);  // other memory, same bytes
  const std::string expected = "$" + size + "\r\n" + value + "\r\n";
  EXPECT_TRUE(ask(*over, moved, expected.size()) == expected) << over->problem().detail;
}

TEST_F(tls_stream_test, one_thread_reads_while_another_writes) {
  const redis node = server(files.server);
  auto over = open(trusting(), node.tls_port);
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

TEST_F(tls_stream_test, pending_tells_what_poll_cannot_show) {
  const redis node = server(files.server);
  auto over = open(trusting(), node.tls_port);
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

TEST_F(tls_stream_test, writing_to_a_dead_server_fails_without_sigpipe) {
  std::signal(SIGPIPE, SIG_DFL);
  redis node = server(files.server);
  auto over = open(trusting(), node.tls_port);
  ASSERT_EQ(connect(*over).what, io::done) << over->problem().detail;
  ASSERT_EQ(ping(*over), "+PONG\r\n");
  node.stop();
  io_result last{io::done, 0};
  for (const auto limit = clock::now() + generous; last.what == io::done && clock::now() < limit;) {
    last = over->write("PING\r\n");
  }
  EXPECT_EQ(last.what, io::failed);
  EXPECT_EQ(over->problem().code, errc::unreachable) << over->problem().detail;
}

TEST_F(tls_stream_test, bad_files_are_named) {
  const std::string rubbish = home.path + "/rubbish.pem";
  std::ofstream{rubbish} << "not a certificate\n";
  const std::string missing = home.path + "/missing.pem";
  const auto expect_named = [](const settings& how, const std::string& setting, const std::string& file) {
    const auto context = make_tls_context(how);
    ASSERT_FALSE(context);
    EXPECT_EQ(context.code(), errc::bad_option);
    EXPECT_NE(context.failure().detail.find(setting), std::string::npos) << context.failure().detail;
    EXPECT_NE(context.failure().detail.find(file), std::string::npos) << context.failure().detail;
  };
  for (const std::string& file : {rubbish, missing, home.path}) {
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

TEST(resolver_test, numbers_are_answered_at_once) {
  resolver names;
  EXPECT_FALSE(names.poll());
  bool woken = false;
  names.start("127.0.0.1", 6379, [&] { woken = true; });
  auto v4 = names.poll();
  ASSERT_TRUE(v4 && v4->has_value());
  ASSERT_EQ((*v4)->size(), 1U);
  EXPECT_EQ((**v4)[0].text, "127.0.0.1:6379");
  EXPECT_FALSE(names.poll());
  names.start("::1", 1, [&] { woken = true; });
  auto v6 = names.poll();
  ASSERT_TRUE(v6 && v6->has_value());
  EXPECT_EQ((**v6)[0].text, "[::1]:1");
  EXPECT_FALSE(woken);
}

std::optional<result<std::vector<address>>> resolve(const std::string& host) {
  resolver names;
  std::atomic<bool> woken{false};
  names.start(host, 6379, [&] { woken = true; });
  for (const auto limit = clock::now() + 2 * generous; !woken && clock::now() < limit;) {
    std::this_thread::sleep_for(1ms);
  }
  return names.poll();
}

TEST(resolver_test, localhost_has_a_loopback_address) {
  const auto found = resolve("localhost");
  ASSERT_TRUE(found && found->has_value());
  const auto is_loopback = [](const address& each) {
    return each.text == "127.0.0.1:6379" || each.text == "[::1]:6379";
  };
  EXPECT_TRUE(std::any_of((*found)->begin(), (*found)->end(), is_loopback));
}

TEST(resolver_test, unknown_name_is_unreachable) {
  const auto found = resolve("nonexistent.invalid");
  ASSERT_TRUE(found && !found->has_value());
  EXPECT_EQ(found->code(), errc::unreachable);
  EXPECT_NE(found->failure().detail.find("nonexistent.invalid"), std::string::npos) << found->failure().detail;
}

// With the sanitizers this shows a wake-up that outlives what it points to.
TEST(resolver_test, dropped_resolver_never_wakes) {
  for (int i = 0; i < 50; ++i) {
    auto target = std::make_unique<std::atomic<int>>(0);
    {
      resolver names;
      names.start("localhost", 6379, [&] { ++*target; });
      names.start("localhost", 6380, [&] { ++*target; });
      if (i % 2 == 0) std::this_thread::yield();
    }
    EXPECT_LE(*target, 2);
    target.reset();
  }
}

}  // namespace
}  // namespace holdfast::net
