// A stream over TLS 1.2 or newer (OpenSSL 3).
//
// Place: made by dial(). OpenSSL does its socket I/O through a BIO of ours over recv() and send(MSG_NOSIGNAL), because
// its own writes with write(2), which raises SIGPIPE in the application when the server is gone.
//
// Thread safety: as stream.hpp says. An SSL object may be used by one thread at a time, so each call takes `guard_`; no
// call blocks inside it. Invariant: after `closed` or `failed` OpenSSL is not called again.
//
// In TLS 1.3 the client is done before the server has looked at the client's certificate: a server that demands one may
// let progress() say `done`, and turn us away in the first read(), with errc::refused in problem().
#pragma once

#include "net/stream.hpp"
#include "net/tls_context.hpp"

#include <atomic>
#include <memory>
#include <mutex>
#include <string>

namespace holdfast::net {

class tls_stream final : public stream {
 public:
  tls_stream(int fd, std::string peer, failure early, std::shared_ptr<const tls_context> context);

  io_result progress() override;
  io_result read(std::span<char> into) override;
  io_result write(std::string_view from) override;
  [[nodiscard]] bool pending() const override { return pending_; }
  [[nodiscard]] short wanted() const override;
  [[nodiscard]] std::string_view waiting_for() const override;

  // What the BIO saw last, where OpenSSL's own account is too coarse.
  struct wire {
    int fd = -1;
    int error = 0;
    bool ended = false;
  };

 private:
  enum class stage : unsigned char { connecting, handshaking, usable };

  io_result give_up(int status, std::string_view doing);
  void look_for_alert();

  std::shared_ptr<const tls_context> context_;
  std::mutex guard_;
  wire wire_;  // outlives session_, whose BIO points to it
  tls_session session_;
  bool heard_ = false;  // a byte of the server's answers came: it has accepted us
  std::atomic<stage> stage_{stage::connecting};
  std::atomic<bool> pending_{false};
  std::atomic<short> handshake_wants_{0};
  std::atomic<short> read_wants_{0};
  std::atomic<short> write_wants_{0};
};

}  // namespace holdfast::net
