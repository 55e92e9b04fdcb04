// One client's connection through a gate: two sockets, and for each direction what is still to be written.
//
// Used only by gate_loop, on its thread. A lane knows nothing of faults except the two that are about writing: when
// a chunk is due (delay) and how much a write may carry (slice).
// Invariant: chunks leave a lane in the order they entered, whatever their due times.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <optional>
#include <string>

#include "support/fault.hpp"
#include "support/resp_frames.hpp"
#include "support/unique_fd.hpp"

namespace holdfast::test {

using gate_clock = std::chrono::steady_clock;

class lane {
 public:
  void push(std::string bytes, gate_clock::time_point due);
  // Writes what is due; `most` bytes per write with a pause in between (0: no limit). Returns bytes written, nothing if
  // the socket is broken.
  [[nodiscard]] std::optional<std::size_t> flush(int socket, std::size_t most, gate_clock::time_point now);
  [[nodiscard]] bool empty() const { return queue_.empty(); }
  // The socket's buffer was full: wait for POLLOUT.
  [[nodiscard]] bool blocked() const { return blocked_; }
  // When flush has something to do again; nothing if that depends on the socket or on new bytes.
  [[nodiscard]] std::optional<gate_clock::time_point> next_due() const;

 private:
  struct chunk {
    std::string bytes;
    gate_clock::time_point due;
  };
  std::deque<chunk> queue_;
  gate_clock::time_point pause_until_{};
  bool blocked_ = false;
};

struct gate_connection {
  unique_fd client;
  unique_fd server;
  resp_frames requests;
  resp_frames replies;
  lane to_server;
  lane to_client;
  std::size_t budget = 0;         // bytes left under close_after
  std::size_t requests_seen = 0;  // replies come in the order of requests, so a request's number names its reply
  std::size_t replies_seen = 0;
  std::size_t drop_from = 0;  // replies with numbers in [drop_from, drop_until) are swallowed
  std::size_t drop_until = 0;
  struct awaited_reply {
    std::size_t number;
    fault then;
  };
  std::optional<awaited_reply> awaited;  // moment::executed
};

}  // namespace holdfast::test
