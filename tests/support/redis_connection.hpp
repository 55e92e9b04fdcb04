// A plain blocking Redis connection through hiredis: how tests ask a server questions without using the library that
// they test. With a time limit on everything, so that a fault costs a test seconds and not for ever.
//
// Thread safety: none; one thread at a time. Every failure (connect, time limit, closed, error reply in text(),
// number() and list()) throws redis_error with hiredis's or the server's words.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

struct redisContext;

namespace holdfast::test {

struct redis_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct reply {
  enum class kind { text, number, list, nil, status, error };
  kind type = kind::nil;
  std::string text;          // of a text, status or error
  long long number = 0;      // of a number
  std::vector<reply> items;  // of a list

  [[nodiscard]] bool is_nil() const { return type == kind::nil; }
  [[nodiscard]] bool is_error() const { return type == kind::error; }
};

class redis_connection {
 public:
  static redis_connection tcp(std::uint16_t port, std::chrono::milliseconds limit);
  static redis_connection unix_socket(const std::string& path, std::chrono::milliseconds limit);

  void set_limit(std::chrono::milliseconds limit);

  // The reply as it is, an error reply included.
  reply command(const std::vector<std::string>& args);
  // Sends without reading, and reads without sending: for pipelines and for what the server pushes.
  void send(const std::vector<std::string>& args);
  reply receive();

  std::string text(const std::vector<std::string>& args);  // "" for nil, digits for a number
  long long number(const std::vector<std::string>& args);  // also of a text of digits
  std::vector<std::string> list(const std::vector<std::string>& args);

 private:
  struct closer {
    void operator()(redisContext* context) const;
  };
  explicit redis_connection(redisContext* context);

  std::unique_ptr<redisContext, closer> context_;
};

}  // namespace holdfast::test
