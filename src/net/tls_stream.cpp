// The BIO, the handshake, and what OpenSSL's outcomes mean. See tls_stream.hpp.
#include "net/tls_stream.hpp"

#include "net/tls_failure.hpp"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <utility>

namespace holdfast::net {
namespace {

bool would_block(int error) { return error == EAGAIN || error == EWOULDBLOCK || error == EINTR; }

tls_stream::wire& wire_of(BIO* bio) { return *static_cast<tls_stream::wire*>(BIO_get_data(bio)); }

int bio_read(BIO* bio, char* into, std::size_t size, std::size_t* count) {
  auto& wire = wire_of(bio);
  BIO_clear_retry_flags(bio);
  const ssize_t got = ::recv(wire.fd, into, size, 0);
  *count = got > 0 ? static_cast<std::size_t>(got) : 0;
  if (got > 0) return 1;
  wire.ended = got == 0;
  wire.error = got == 0 ? 0 : errno;
  if (would_block(wire.error)) BIO_set_retry_read(bio);
  return 0;
}

int bio_write(BIO* bio, const char* from, std::size_t size, std::size_t* count) {
  auto& wire = wire_of(bio);
  BIO_clear_retry_flags(bio);
  const ssize_t sent = ::send(wire.fd, from, size, MSG_NOSIGNAL);
  *count = sent > 0 ? static_cast<std::size_t>(sent) : 0;
  if (sent > 0) return 1;
  wire.error = errno;
  if (would_block(wire.error)) BIO_set_retry_write(bio);
  return 0;
}

long bio_control(BIO* bio, int command, long, void*) {
  if (command == BIO_CTRL_EOF) return wire_of(bio).ended ? 1 : 0;
  return command == BIO_CTRL_FLUSH ? 1 : 0;
}

// Made once and kept until the process ends: a thread may still use it while statics are destroyed.
const BIO_METHOD* quiet_socket() {
  static const BIO_METHOD* const method = [] {
    BIO_METHOD* made = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "holdfast socket");
    if (made == nullptr) return made;
    BIO_meth_set_read_ex(made, &bio_read);
    BIO_meth_set_write_ex(made, &bio_write);
    BIO_meth_set_ctrl(made, &bio_control);
    return made;
  }();
  return method;
}

BIO* make_bio(tls_stream::wire* over) {
  const BIO_METHOD* method = quiet_socket();
  BIO* bio = method != nullptr ? BIO_new(method) : nullptr;
  if (bio == nullptr) return nullptr;
  BIO_set_data(bio, over);
  BIO_set_init(bio, 1);
  return bio;
}

short direction(int status) { return status == SSL_ERROR_WANT_WRITE ? short{POLLOUT} : short{POLLIN}; }
bool wants_io(int status) { return status == SSL_ERROR_WANT_READ || status == SSL_ERROR_WANT_WRITE; }

}  // namespace

tls_stream::tls_stream(int fd, std::string peer, failure early, std::shared_ptr<const tls_context> context)
    : stream{fd, std::move(peer), std::move(early)}, context_{std::move(context)}, wire_{fd, 0, false} {
  if (!context_) {
    stop(io::failed, {errc::bad_option, "TLS was asked for without a TLS context"});
    return;
  }
  session_ = context_->new_session();
  BIO* bio = session_ ? make_bio(&wire_) : nullptr;
  if (bio == nullptr) {
    stop(io::failed, {errc::unreachable, "OpenSSL has no memory for another connection"});
    return;
  }
  SSL_set_bio(session_.get(), bio, bio);
  SSL_set_connect_state(session_.get());
}

io_result tls_stream::progress() {
  if (const io_result step = finish_connect(); step.what != io::done) return step;
  const std::lock_guard hold{guard_};
  if (stage_ == stage::usable) return {io::done, 0};
  stage_ = stage::handshaking;
  ERR_clear_error();
  const int outcome = SSL_do_handshake(session_.get());
  if (outcome == 1) {
    pending_ = SSL_has_pending(session_.get()) == 1;  // the server's first records may have come along
    stage_ = stage::usable;
    return {io::done, 0};
  }
  const int status = SSL_get_error(session_.get(), outcome);
  if (!wants_io(status)) return give_up(status, "finish the TLS handshake with");
  handshake_wants_ = direction(status);
  return {io::again, 0};
}

io_result tls_stream::read(std::span<char> into) {
  if (into.empty()) return {io::done, 0};
  const std::lock_guard hold{guard_};
  if (has_problem()) return {io::failed, 0};
  read_wants_ = 0;
  ERR_clear_error();
  std::size_t count = 0;
  const int outcome = SSL_read_ex(session_.get(), into.data(), into.size(), &count);
  if (outcome == 1) {
    heard_ = true;
    pending_ = SSL_has_pending(session_.get()) == 1;
    return {io::done, count};
  }
  pending_ = false;  // OpenSSL may keep the beginning of a record; the rest shows in poll(2)
  const int status = SSL_get_error(session_.get(), outcome);
  if (!wants_io(status)) return give_up(status, "read from");
  if (status == SSL_ERROR_WANT_WRITE) read_wants_ = POLLOUT;
  return {io::again, 0};
}

io_result tls_stream::write(std::string_view from) {
  if (from.empty()) return {io::done, 0};
  const std::lock_guard hold{guard_};
  if (has_problem()) return {io::failed, 0};
  write_wants_ = 0;
  ERR_clear_error();
  std::size_t count = 0;
  const int outcome = SSL_write_ex(session_.get(), from.data(), from.size(), &count);
  if (outcome == 1) return {io::done, count};
  const int status = SSL_get_error(session_.get(), outcome);
  if (!wants_io(status)) {
    if (status == SSL_ERROR_SYSCALL && !heard_) look_for_alert();
    return give_up(status, "write to");
  }
  if (status == SSL_ERROR_WANT_READ) write_wants_ = POLLIN;
  return {io::again, 0};
}

// A server that turns us away (no client certificate) says why and closes. If a write meets the closed socket before a
// read has seen the reason, the caller would be told of a broken connection and try again for ever.
void tls_stream::look_for_alert() {
  const int write_error = wire_.error;
  char one = 0;
  std::size_t count = 0;
  ERR_clear_error();
  const int outcome = SSL_peek_ex(session_.get(), &one, 1, &count);
  if (outcome != 1 && SSL_get_error(session_.get(), outcome) == SSL_ERROR_SSL && !wire_.ended) {
    give_up(SSL_ERROR_SSL, "write to");  // the first problem stays
  }
  wire_.error = write_error;
  wire_.ended = false;
}

io_result tls_stream::give_up(int status, std::string_view doing) {
  const bool handshaking = stage_ != stage::usable;
  if (status == SSL_ERROR_SSL && !wire_.ended) {
    const tls_error what{ERR_peek_error(), SSL_get_verify_result(session_.get()), handshaking};
    return stop(io::failed, describe_tls_error(what, peer(), context_->name()));
  }
  if (status == SSL_ERROR_SYSCALL && wire_.error != 0 && !wire_.ended) return stop_with_errno(doing, wire_.error);
  if (!handshaking) return stop_at_end();
  // Not `refused`: a Redis at its maxclients does just this, and has room again later.
  return stop(io::failed, {errc::unreachable, peer() + " closed the connection during the TLS handshake; is this port "
                                                       "TLS, and is the server below its maxclients?"});
}

short tls_stream::wanted() const {
  switch (stage_.load()) {
    case stage::connecting:
      return POLLOUT;
    case stage::handshaking:
      return handshake_wants_;
    default:
      return static_cast<short>(read_wants_ | write_wants_);
  }
}

std::string_view tls_stream::waiting_for() const {
  if (stage_ == stage::connecting) return "waiting for the connection";
  return "waiting for the server's part of the TLS handshake; is this port TLS?";
}

}  // namespace holdfast::net
