// A TCP connection to a port of this machine, and as much of HTTP/1.1 on it as etcd's gateway needs. Blocking.
// Throws std::runtime_error when the other side is not there, or leaves. Not thread-safe.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace holdfast::bench {

class stream {
 public:
  explicit stream(int port);
  void give_up_after(std::chrono::milliseconds limit);  // of silence, in a read; none at first: locks are waited for
  ~stream();
  stream(const stream&) = delete;
  stream& operator=(const stream&) = delete;

  void write(std::string_view text);
  std::string read_line();               // without its end
  std::string read(std::size_t length);  // exactly
  std::string read_all();                // until the other side closes

 private:
  bool fill();  // false: closed

  int fd_ = -1;
  std::string ahead_;  // read and not yet asked for
};

// What ZooKeeper answers to one word, within a second.
std::string ask_port(int port, std::string_view word);

struct http_answer {
  int status = 0;
  std::string body;
};

// POST of JSON over a connection that is kept open.
http_answer post(stream& to, const std::string& path, const std::string& json);

}  // namespace holdfast::bench
