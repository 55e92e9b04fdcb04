// A plain connection to one redis-server: a command, then its answer, as redis-cli would do it.
//
// The library keeps such commands to itself, and the laboratory wants just the ones that other people's locks are made
// of. Blocking; every answer has a time limit. Not thread-safe.
#pragma once

#include <chrono>
#include <stdexcept>
#include <string>
#include <vector>

namespace lab {

// No connection, no answer in time, or the connection ended. What was sent may have been done or not.
struct link_broken : std::runtime_error {
  using runtime_error::runtime_error;
};

using words = std::vector<std::string>;

class redis_link {
 public:
  // Connects with the first command, and again after a break.
  explicit redis_link(std::string socket, std::chrono::milliseconds limit = std::chrono::seconds{5});
  ~redis_link();
  redis_link(redis_link&& other) noexcept;
  redis_link& operator=(redis_link&&) = delete;
  redis_link(const redis_link&) = delete;
  redis_link& operator=(const redis_link&) = delete;

  // The answer as text: numbers in digits, "(nil)", errors after a "-", the elements of arrays by blanks.
  std::string ask(const words& command);

 private:
  void connect();
  void close() noexcept;
  void send_all(const std::string& bytes);
  void receive_more();
  std::string line();
  std::string reply();

  std::string socket_;
  std::chrono::milliseconds limit_;
  std::chrono::steady_clock::time_point until_{};
  std::string received_;
  int fd_ = -1;
};

}  // namespace lab
