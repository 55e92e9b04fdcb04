// What the tests of the private Redis start from.
//
// Each test has a runtime directory of its own and thus a server of its own. Processes are forked while this program
// has one thread. A server that a test leaves behind ends by the short idle time that all tests set; where a test must
// end one itself it uses the process id that the server reports.
#pragma once

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

using namespace std::chrono_literals;
using connection = std::unique_ptr<redisContext, decltype(&redisFree)>;

inline connection connect(const std::string& path) {
  connection out{redisConnectUnix(path.c_str()), &redisFree};
  if (out && out->err != 0) out.reset();
  return out;
}

inline std::string command(const connection& to, const char* text) {
  auto* const reply = static_cast<redisReply*>(redisCommand(to.get(), text));
  if (reply == nullptr) return {};
  std::string out{reply->str == nullptr ? "" : reply->str, reply->len};
  freeReplyObject(reply);
  return out;
}

inline std::string info(const connection& to, const std::string& field) {
  const auto text = command(to, "INFO server");
  const auto at = text.find("\n" + field + ":");
  if (at == std::string::npos) return {};
  const auto from = at + field.size() + 2;
  return text.substr(from, text.find('\r', from) - from);
}

inline bool eventually(const std::function<bool()>& condition, std::chrono::seconds limit = 30s) {
  const auto end = std::chrono::steady_clock::now() + limit;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(10ms);
  }
  return true;
}

// The word after `label` in /proc/<process>/status; empty when the process is no more.
inline std::string status_of(pid_t process, std::string_view label) {
  std::ifstream status{"/proc/" + std::to_string(process) + "/status"};
  for (std::string word; status >> word;) {
    if (word == label && status >> word) return word;
  }
  return {};
}

// A zombie has ended too: when it is reaped is up to the host's init.
inline bool has_ended(pid_t process) {
  const auto state = status_of(process, "State:");
  return state.empty() || state == "Z";
}

inline pid_t parent_of(pid_t process) { return std::stoi(status_of(process, "PPid:")); }

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

inline void expect_unreachable(const result<settings>& got, std::string_view word) {
  ASSERT_FALSE(got);
  EXPECT_EQ(got.code(), errc::unreachable);
  EXPECT_NE(got.failure().detail.find(word), std::string::npos) << got.failure().detail;
}

}  // namespace holdfast::topology
