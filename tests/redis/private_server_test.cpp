// The private Redis: found or started, once per user, in a directory of the user's alone, and gone when unused.
//
// Each test has a runtime directory of its own and thus a server of its own. Processes are forked while this program
// has one thread. A server that a test leaves behind ends by the short idle time that all tests set; where a test must
// end one itself it uses the process id that the server reports.
#include "topology/private_server.hpp"

#include "topology/private_directory.hpp"

#include <gtest/gtest.h>
#include <hiredis/hiredis.h>

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <thread>

namespace holdfast::topology {
namespace {

using namespace std::chrono_literals;
using connection = std::unique_ptr<redisContext, decltype(&redisFree)>;

connection connect(const std::string& path) {
  connection out{redisConnectUnix(path.c_str()), &redisFree};
  if (out && out->err != 0) out.reset();
  return out;
}

std::string command(const connection& to, const char* text) {
  auto* const reply = static_cast<redisReply*>(redisCommand(to.get(), text));
  if (reply == nullptr) return {};
  std::string out{reply->str == nullptr ? "" : reply->str, reply->len};
  freeReplyObject(reply);
  return out;
}

std::string info(const connection& to, const std::string& field) {
  const auto text = command(to, "INFO server");
  const auto at = text.find("\n" + field + ":");
  if (at == std::string::npos) return {};
  const auto from = at + field.size() + 2;
  return text.substr(from, text.find('\r', from) - from);
}

bool eventually(const std::function<bool()>& condition, std::chrono::seconds limit = 30s) {
  const auto end = std::chrono::steady_clock::now() + limit;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(10ms);
  }
  return true;
}

// The word after `label` in /proc/<process>/status; empty when the process is no more.
std::string status_of(pid_t process, std::string_view label) {
  std::ifstream status{"/proc/" + std::to_string(process) + "/status"};
  for (std::string word; status >> word;) {
    if (word == label && status >> word) return word;
  }
  return {};
}

// A zombie has ended too: when it is reaped is up to the host's init.
bool has_ended(pid_t process) {
  const auto state = status_of(process, "State:");
  return state.empty() || state == "Z";
}

pid_t parent_of(pid_t process) { return std::stoi(status_of(process, "PPid:")); }

class PrivateServer : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = "/tmp/hf-private-XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    runtime_ = pattern;
    if (const char* const before = std::getenv("XDG_RUNTIME_DIR")) runtime_before_ = before;
    ::setenv("XDG_RUNTIME_DIR", runtime_.c_str(), 1);
    ::setenv("HOLDFAST_TEST_PRIVATE_IDLE_MS", "1500", 1);
    ::setenv("HOLDFAST_TEST_PRIVATE_ALONE", "1", 1);
    ::unsetenv("HOLDFAST_TEST_REDIS_SERVER");
  }

  // Waits for the server's end, which releases server.lock, so that nothing outlives the test.
  void TearDown() override {
    const int fd = ::open((directory() + "/server.lock").c_str(), O_RDWR | O_CLOEXEC);
    if (fd >= 0) {
      EXPECT_TRUE(eventually([&] { return ::flock(fd, LOCK_EX | LOCK_NB) == 0; })) << "the server is still there";
      ::close(fd);
    }
    std::filesystem::remove_all(runtime_);
    ::unsetenv("HOLDFAST_TEST_PRIVATE_IDLE_MS");
    ::unsetenv("HOLDFAST_TEST_PRIVATE_ALONE");
    ::unsetenv("HOLDFAST_TEST_REDIS_SERVER");
    ::unsetenv("XDG_RUNTIME_DIR");
    if (runtime_before_) ::setenv("XDG_RUNTIME_DIR", runtime_before_->c_str(), 1);
  }

  [[nodiscard]] std::string directory() const { return runtime_ + "/holdfast"; }

  std::string runtime_;
  std::optional<std::string> runtime_before_;
};

void expect_unreachable(const result<settings>& got, std::string_view word) {
  ASSERT_FALSE(got);
  EXPECT_EQ(got.code(), errc::unreachable);
  EXPECT_NE(got.failure().detail.find(word), std::string::npos) << got.failure().detail;
}

TEST_F(PrivateServer, IsStartedForThisUserOnly) {
  const auto got = private_server();
  ASSERT_TRUE(got) << got.failure().detail;
  EXPECT_EQ(got->transport, transport::unix_socket);
  EXPECT_EQ(got->path, directory() + "/redis.sock");
  struct stat about {};
  ASSERT_EQ(::stat(directory().c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 07777, 0700U);
  const auto redis = connect(got->path);
  ASSERT_TRUE(redis);
  EXPECT_EQ(info(redis, "tcp_port"), "0");
  const auto config = [&](const char* name) {
    auto* const reply = static_cast<redisReply*>(redisCommand(redis.get(), "CONFIG GET %s", name));
    const std::string out = reply->elements == 2 ? reply->element[1]->str : "?";
    freeReplyObject(reply);
    return out;
  };
  EXPECT_EQ(config("save"), "");
  EXPECT_EQ(config("appendonly"), "no");
  EXPECT_EQ(config("maxmemory-policy"), "noeviction");
  EXPECT_EQ(config("unixsocketperm"), "700");
}

TEST_F(PrivateServer, LoadWithoutAnyUrlUsesIt) {
  ::setenv("XDG_CONFIG_HOME", runtime_.c_str(), 1);  // no config file there
  ::unsetenv("HOLDFAST_URL");
  ::unsetenv("HOLDFAST_CONFIG");
  if (std::filesystem::exists("/etc/holdfast.conf")) GTEST_SKIP() << "this host has a config file of its own";
  ::setenv("HOLDFAST_PREFIX", "mine:", 1);
  const auto got = settings::load();
  ::unsetenv("HOLDFAST_PREFIX");
  ASSERT_TRUE(got) << got.failure().detail;
  EXPECT_EQ(got->path, directory() + "/redis.sock");
  EXPECT_EQ(got->prefix, "mine:");
}

TEST_F(PrivateServer, TenProcessesAtOnceReachTheSameServer) {
  int gate[2];
  int answers[2];
  ASSERT_EQ(::pipe(gate), 0);
  ASSERT_EQ(::pipe(answers), 0);
  std::vector<pid_t> children;
  for (int i = 0; i < 10; ++i) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      ::close(gate[1]);
      char byte = 0;
      (void)!::read(gate[0], &byte, 1);  // ends for all at once, when the parent closes its end
      const auto got = private_server();
      const auto redis = got ? connect(got->path) : connection{nullptr, &redisFree};
      auto line = redis ? info(redis, "run_id") : got ? "no connection" : got.failure().detail;
      line += '\n';
      ::_exit(::write(answers[1], line.data(), line.size()) == static_cast<ssize_t>(line.size()) ? 0 : 1);
    }
    children.push_back(child);
  }
  ::close(gate[0]);
  ::close(gate[1]);
  ::close(answers[1]);
  std::string all;
  char buffer[4096];
  for (ssize_t got = 0; (got = ::read(answers[0], buffer, sizeof buffer)) > 0;) {
    all.append(buffer, static_cast<std::size_t>(got));
  }
  ::close(answers[0]);
  for (const auto child : children) {
    int status = -1;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  std::istringstream lines{all};
  std::multiset<std::string> ids;
  for (std::string line; std::getline(lines, line);) ids.insert(line);
  ASSERT_EQ(ids.size(), 10U) << all;
  EXPECT_EQ(ids.count(*ids.begin()), 10U) << all;
  EXPECT_EQ(ids.begin()->size(), 40U) << all;
}

TEST_F(PrivateServer, ThreadsAtOnceReachTheSameServer) {
  std::vector<std::string> ids(8);
  std::vector<std::thread> threads;
  for (auto& id : ids) {
    threads.emplace_back([&id] {
      const auto got = private_server();
      const auto redis = got ? connect(got->path) : connection{nullptr, &redisFree};
      id = redis ? info(redis, "run_id") : got ? "no connection" : got.failure().detail;
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(ids.front().size(), 40U) << ids.front();
  for (const auto& id : ids) EXPECT_EQ(id, ids.front());
}

TEST_F(PrivateServer, RuntimeDirectoryThatIsNotPrivateIsNotUsed) {
  const auto fallback = "/tmp/holdfast-" + std::to_string(::geteuid());
  const bool was_there = std::filesystem::exists(fallback);
  const auto path = [] {
    const auto got = private_directory::open();
    return got ? got->path() : got.failure().detail;
  };
  EXPECT_EQ(path(), directory());
  ::chmod(runtime_.c_str(), 0755);
  EXPECT_EQ(path(), fallback);
  ::unsetenv("XDG_RUNTIME_DIR");
  EXPECT_EQ(path(), fallback);
  const auto deep = runtime_ + "/" + std::string(80, 'x');  // the socket's path would have more than 107 bytes
  std::filesystem::create_directory(deep);
  ::chmod(deep.c_str(), 0700);
  ::setenv("XDG_RUNTIME_DIR", deep.c_str(), 1);
  EXPECT_EQ(path(), fallback);
  if (!was_there) ::rmdir(fallback.c_str());
}

TEST_F(PrivateServer, IsDetachedFromItsStarter) {
  const int leak = ::open("/dev/zero", O_RDONLY);  // without O_CLOEXEC
  ASSERT_GE(leak, 0);
  const auto got = private_server();
  ASSERT_TRUE(got) << got.failure().detail;
  const auto redis = connect(got->path);
  ASSERT_TRUE(redis);
  const pid_t server = std::stoi(info(redis, "process_id"));
  for (const pid_t process : {server, parent_of(server)}) {
    EXPECT_NE(::getsid(process), ::getsid(0));
    for (const auto& fd : std::filesystem::directory_iterator{"/proc/" + std::to_string(process) + "/fd"}) {
      std::error_code gone;
      EXPECT_NE(std::filesystem::read_symlink(fd, gone), "/dev/zero");
    }
  }
  EXPECT_NE(parent_of(parent_of(server)), ::getpid()) << "it would become a zombie of ours";
  ::close(leak);
}

TEST_F(PrivateServer, GoesAfterItsLastClientAndComesBack) {
  const auto first = private_server();
  ASSERT_TRUE(first) << first.failure().detail;
  auto redis = connect(first->path);
  ASSERT_TRUE(redis);
  const pid_t server = std::stoi(info(redis, "process_id"));
  const pid_t watcher = parent_of(server);
  const auto id = info(redis, "run_id");
  std::this_thread::sleep_for(3s);  // twice the idle time: a connected client keeps it alive
  EXPECT_EQ(info(redis, "run_id"), id);
  redis.reset();
  EXPECT_TRUE(eventually([&] { return has_ended(server) && has_ended(watcher); }));
  EXPECT_FALSE(std::filesystem::exists(first->path));

  const auto second = private_server();
  ASSERT_TRUE(second) << second.failure().detail;
  const auto again = connect(second->path);
  ASSERT_TRUE(again);
  EXPECT_NE(info(again, "run_id"), id);
}

TEST_F(PrivateServer, StaysWhileALockIsHeldWithoutAConnection) {
  const auto got = private_server();
  ASSERT_TRUE(got) << got.failure().detail;
  auto redis = connect(got->path);
  ASSERT_TRUE(redis);
  const auto id = info(redis, "run_id");
  EXPECT_EQ(command(redis, "SET lock owner NX PX 4500"), "OK");
  EXPECT_EQ(command(redis, "SET counter 1"), "OK");                       // without expiry: does not keep the server
  EXPECT_EQ(command(redis, "SET holdfast:fence:{7} 5 EX 604800"), "OK");  // can be drawn anew: neither
  redis.reset();
  std::this_thread::sleep_for(3s);  // twice the idle time
  redis = connect(got->path);
  ASSERT_TRUE(redis);
  EXPECT_EQ(info(redis, "run_id"), id);
  EXPECT_EQ(command(redis, "GET lock"), "owner");
}

TEST_F(PrivateServer, WatcherEndsWithItsServerAndTheNextStartsAnew) {
  const auto got = private_server();
  ASSERT_TRUE(got) << got.failure().detail;
  auto redis = connect(got->path);
  ASSERT_TRUE(redis);
  const pid_t server = std::stoi(info(redis, "process_id"));
  const pid_t watcher = parent_of(server);
  const auto id = info(redis, "run_id");
  ASSERT_EQ(::kill(server, SIGKILL), 0);  // leaves its socket behind
  EXPECT_TRUE(eventually([&] { return has_ended(watcher); }));
  const auto next = private_server();
  ASSERT_TRUE(next) << next.failure().detail;
  redis = connect(next->path);
  ASSERT_TRUE(redis);
  EXPECT_NE(info(redis, "run_id"), id);
}

TEST_F(PrivateServer, SecondServerIsNotStartedBesideOneWhoseSocketIsGone) {
  const auto got = private_server();
  ASSERT_TRUE(got) << got.failure().detail;
  const auto redis = connect(got->path);
  ASSERT_TRUE(redis);
  // The watcher must have its connection, or it cannot see when the server is unused.
  const auto clients = [&] {
    return command(redis, "INFO clients").find("connected_clients:2\r") != std::string::npos;
  };
  ASSERT_TRUE(eventually(clients));
  ASSERT_TRUE(std::filesystem::remove(got->path));
  expect_unreachable(private_server(), "server.lock");
}

TEST_F(PrivateServer, PlantedDirectoryIsRefused) {
  const auto target = runtime_ + "/elsewhere";
  std::filesystem::create_directory(target);
  ::chmod(target.c_str(), 0700);
  std::filesystem::create_directory_symlink(target, directory());
  expect_unreachable(private_server(), directory() + " is not a directory");
  std::filesystem::remove(directory());

  std::ofstream{directory()} << "a file";
  expect_unreachable(private_server(), directory() + " is not a directory");
  std::filesystem::remove(directory());

  std::filesystem::create_directory(directory());
  ::chmod(directory().c_str(), 0755);
  expect_unreachable(private_server(), "0700");
  if (::geteuid() == 0) {  // only root can give a directory away
    ::chmod(directory().c_str(), 0700);
    ASSERT_EQ(::chown(directory().c_str(), 65534, 65534), 0);
    expect_unreachable(private_server(), "another user");
  }
  EXPECT_TRUE(std::filesystem::is_empty(target));
}

TEST_F(PrivateServer, MissingProgramSaysHowToInstallIt) {
  ::setenv("HOLDFAST_TEST_REDIS_SERVER", (runtime_ + "/redis-server").c_str(), 1);
  const auto got = private_server();
  expect_unreachable(got, "apt-get install redis-server");
  expect_unreachable(got, "HOLDFAST_URL");
}

TEST_F(PrivateServer, FailedStartShowsTheLog) {
  const auto program = runtime_ + "/redis-server";
  std::ofstream{program} << "#!/bin/sh\necho the disk is on fire\nexit 1\n";
  ::chmod(program.c_str(), 0700);
  ::setenv("HOLDFAST_TEST_REDIS_SERVER", program.c_str(), 1);
  expect_unreachable(private_server(), "the disk is on fire");
}

TEST_F(PrivateServer, StoppedServerIsSilentNotReplaced) {
  const auto got = private_server();
  ASSERT_TRUE(got) << got.failure().detail;
  auto redis = connect(got->path);
  ASSERT_TRUE(redis);
  const pid_t server = std::stoi(info(redis, "process_id"));
  ASSERT_EQ(::kill(server, SIGSTOP), 0);
  const auto begin = std::chrono::steady_clock::now();
  expect_unreachable(private_server(), "does not answer");
  EXPECT_GE(std::chrono::steady_clock::now() - begin, 5s);
  ASSERT_EQ(::kill(server, SIGCONT), 0);
  EXPECT_TRUE(private_server());
}

}  // namespace
}  // namespace holdfast::topology
