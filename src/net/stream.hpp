// A non-blocking byte stream to one Redis server: TCP, Unix socket or TLS.
//
// Place: the bottom of src/net. dial() makes one, the multiplexed connection drives it with poll(2):
//
//   auto s = dial(settings, address, tls);
//   while (s->progress().what == io::again) poll(s->fd(), s->wanted());     // connect, then the TLS handshake
//   ...then read() when POLLIN shows or pending(), write() while there is something to send.
//
// Thread safety: progress() by one thread, before anything else. After that one thread may read while another writes;
// two readers or two writers at once are not allowed. problem() may be asked by whoever was told `closed` or `failed`.
// Invariants: no call blocks, none raises SIGPIPE; `done` carries at least one byte (unless the caller passed none);
// the first problem stays, so its reference is stable once an operation has said `closed` or `failed`.
#pragma once

#include <holdfast/error.hpp>

#include <chrono>
#include <cstddef>
#include <mutex>
#include <span>
#include <string>
#include <string_view>

namespace holdfast::net {

enum class io : unsigned char {
  done,
  again,   // would block: poll, then repeat the call
  closed,  // the peer ended the stream; problem() is set
  failed,  // problem() is set; the stream is of no further use
};

struct io_result {
  io what = io::again;
  std::size_t bytes = 0;
};

class stream {
 public:
  // Closes the socket without telling the peer: a goodbye could block, and a forked child must not say it for its
  // parent.
  virtual ~stream();
  stream(const stream&) = delete;
  stream& operator=(const stream&) = delete;

  // Drives connect() and the TLS handshake. `done`: usable from now on. Harmless before poll(2) shows anything.
  virtual io_result progress() = 0;

  virtual io_result read(std::span<char> into) = 0;

  // As read(), but waits for data for up to `longest_wait` before it says `again`. One system call instead of poll(2) and
  // recv(2), for a reader that has nothing else to wait for. The default does not wait; waits() tells.
  static constexpr std::chrono::milliseconds longest_wait{20};
  virtual io_result read_waiting(std::span<char> into) { return read(into); }
  [[nodiscard]] virtual bool waits() const { return false; }

  // May take only a part. After `again` the next call must begin with the same bytes and not be shorter: TLS may have
  // encrypted them already.
  virtual io_result write(std::string_view from) = 0;

  // Bytes wait inside that poll(2) cannot show. False after a read() that said `again`.
  [[nodiscard]] virtual bool pending() const = 0;

  // Before progress() said `done`: what to poll for. After that: what to poll for IN ADDITION to the obvious, because
  // a TLS read is held up by sending (POLLOUT) or a TLS write by receiving (POLLIN). Nearly always 0. When it shows,
  // repeat both calls.
  [[nodiscard]] virtual short wanted() const = 0;

  // What progress() is waiting for, for the text of a time limit: "waiting for the TCP connection".
  [[nodiscard]] virtual std::string_view waiting_for() const = 0;

  [[nodiscard]] int fd() const noexcept { return fd_; }
  [[nodiscard]] const failure& problem() const noexcept { return problem_; }

 protected:
  // Takes over the socket. `early` is what went wrong before there was a stream (code errc{}: nothing).
  stream(int fd, std::string peer, failure early);

  // The part of progress() that all kinds share. `done`: the socket is connected.
  io_result finish_connect();

  // Records the first problem and returns `what`.
  io_result stop(io what, failure why);
  io_result stop_with_errno(std::string_view doing, int number);
  io_result stop_at_end();

  [[nodiscard]] bool has_problem() const;
  [[nodiscard]] const std::string& peer() const noexcept { return peer_; }

 private:
  int fd_;
  bool connected_ = false;
  std::string peer_;
  mutable std::mutex problem_guard_;  // a reader and a writer may fail at the same moment
  failure problem_;
};

}  // namespace holdfast::net
