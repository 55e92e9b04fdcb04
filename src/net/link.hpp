// One socket with its buffers and the requests that wait for their answers on it. Dies with the socket; the connection
// makes another.
//
// Guarded by the client's mutex, but for the system calls: flush() and receive() let go of it around them. Two roles, each
// taken by one thread at a time: the writer (whoever flushes; others just append and are carried along) and the reader
// (whoever drives the connection).
#pragma once

#include "net/request.hpp"
#include "net/spin.hpp"
#include "net/stream.hpp"
#include "resp/reader.hpp"

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace holdfast::net {

class link {
 public:
  // `spins`: see settings::spin.
  link(std::unique_ptr<stream> over, bool spins) : stream_{std::move(over)}, spin_{spins} {}

  // Appends to what is to be sent, and remembers who waits for the answer.
  void append(request& what, runtime::time_point now);

  // Appends a command with one answer that nobody wants.
  void append_unasked(std::string_view command, runtime::time_point now);

  // Appends bytes whose answers are not waited for by a request (the greeting).
  void append_raw(std::string_view bytes);

  // Takes a request off: its answer will be read and dropped.
  void forget(const request& what) noexcept;

  // Sends what was appended, unless another thread is at it. False: the link is broken, see problem().
  bool flush(std::unique_lock<std::mutex>& guard);

  // Reads once what has arrived into `batch()`; `patiently`: waits for it for a moment. False: the link is broken.
  bool receive(std::unique_lock<std::mutex>& guard, bool patiently = false);
  [[nodiscard]] std::vector<resp::value>& batch() noexcept { return batch_; }

  // The request that the next reply belongs to, taken off; null with `expected` true for a forgotten one.
  request* next_waiting(bool& expected) noexcept;

  // The reply that next_waiting() was asked about is not for that request: it waits on, at the front.
  void put_back();

  // Ends it: every request on it is told what is known about its delivery.
  void interrupt_all(const failure& why, runtime::time_point now);

  // Wakes whoever is in poll(2) or a system call on it.
  void shut() noexcept;

  [[nodiscard]] bool idle() const noexcept { return waiting_.empty(); }
  // Somebody waits for an answer on it.
  [[nodiscard]] bool awaited() const noexcept;
  [[nodiscard]] std::size_t in_flight() const noexcept { return waiting_.size(); }
  [[nodiscard]] runtime::time_point oldest() const noexcept { return waiting_.front().sent; }
  [[nodiscard]] bool unsent() const noexcept { return !out_.empty() || sent_ < sending_.size(); }
  [[nodiscard]] bool any_unanswered() const noexcept { return !waiting_.empty() && waiting_.front().begin < handed_; }
  [[nodiscard]] short wanted() const noexcept;
  void writable() noexcept { blocked_ = false; }
  [[nodiscard]] bool blocked() const noexcept { return blocked_; }
  [[nodiscard]] stream& socket() noexcept { return *stream_; }
  [[nodiscard]] const failure& problem() const noexcept { return problem_; }

  // What a link that went silent or was closed died of: `why`, or `protocol` if that happened half-way through an answer.
  [[nodiscard]] failure silent(failure why) const;

 private:
  struct waiting {
    request* who;  // null: forgotten
    std::uint64_t begin;
    runtime::time_point sent;
    bool last;  // of its request's answers
    bool looked_for = false;
  };

  bool worth_a_look() noexcept;
  io_result look(std::span<char> into);

  std::unique_ptr<stream> stream_;
  failure problem_{};
  bool dead_ = false;

  std::string out_;      // appended, not yet taken by the writer
  std::string sending_;  // the writer's
  std::size_t sent_ = 0;
  bool writing_ = false;
  bool blocked_ = false;        // the socket takes no more for now
  std::uint64_t appended_ = 0;  // bytes, since the start
  std::uint64_t handed_ = 0;    // of these, given to the kernel or about to be
  std::deque<waiting> waiting_;
  waiting taken_{};  // by next_waiting(), last

  spin spin_;            // the reader's
  bool midway_ = false;  // an answer has begun and is not complete
  resp::reader in_;      // the reader's
  std::vector<resp::value> batch_;
};

}  // namespace holdfast::net
