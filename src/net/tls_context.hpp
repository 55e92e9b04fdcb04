// The TLS side of the settings, read and checked once: files loaded, rules set, ready for any number of connections.
//
// Place: made by the multiplexed connection when the settings say TLS, before the first dial(); tls_stream takes its
// sessions from it. Thread safety: immutable after make_tls_context(), so shared freely.
// Invariants: verification is on unless tls_verify is false; then the chain AND the name (or IP address) are checked.
// TLS 1.2 is the oldest version spoken. No passphrase is ever asked for on a terminal.
#pragma once

#include <holdfast/result.hpp>
#include <holdfast/settings.hpp>

#include <memory>
#include <string>

struct ssl_ctx_st;
struct ssl_st;

namespace holdfast::net {

struct free_session {
  void operator()(ssl_st* session) const noexcept;
};
using tls_session = std::unique_ptr<ssl_st, free_session>;

class tls_context {
 public:
  // Takes over `context`. `name` is what the certificate must carry; `is_ip` that it is an address and not a name.
  tls_context(ssl_ctx_st* context, std::string name, bool is_ip);

  // A new client session with SNI set (for names; the standard has none for addresses). Null when memory is short.
  [[nodiscard]] tls_session new_session() const;
  [[nodiscard]] const std::string& name() const noexcept { return name_; }

 private:
  struct free_context {
    void operator()(ssl_ctx_st* context) const noexcept;
  };
  std::unique_ptr<ssl_ctx_st, free_context> context_;
  std::string name_;
  bool is_ip_;
};

// bad_option, naming the setting and the file, when a file is missing, unreadable, not PEM, or does not fit another.
[[nodiscard]] result<std::shared_ptr<tls_context>> make_tls_context(const settings& from);

}  // namespace holdfast::net
