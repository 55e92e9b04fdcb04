// Loading of certificates and keys, and the rules of verification. See tls_context.hpp.
#include "net/tls_context.hpp"

#include "net/resolver.hpp"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

namespace holdfast::net {
namespace {

// OpenSSL's own would stop the process to ask on the terminal.
int no_passphrase(char*, int, int, void*) { return -1; }

std::string openssl_reason() {
  const unsigned long code = ERR_peek_last_error();
  const char* reason = ERR_reason_error_string(code);
  return reason != nullptr ? reason : "OpenSSL error " + std::to_string(code);
}

failure bad(std::string text) { return {errc::bad_option, std::move(text)}; }

// Tells "cannot be read" apart from "is not PEM" before OpenSSL mixes the two.
result<void> check_readable(const char* key, const std::string& file) {
  struct stat about {};
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> opened{std::fopen(file.c_str(), "re"), &std::fclose};
  if (!opened) return bad(std::string{key} + ": cannot read " + file + ": " + std::system_category().message(errno));
  if (::stat(file.c_str(), &about) == 0 && S_ISDIR(about.st_mode)) {
    return bad(std::string{key} + ": " + file + " is a directory; name one file in PEM form");
  }
  return {};
}

result<void> load_authorities(SSL_CTX* context, const settings& from) {
  if (from.tls_ca.empty()) {
    if (SSL_CTX_set_default_verify_paths(context) == 1) return {};
    return bad("the system's certificate store cannot be read (" + openssl_reason() + "); set tls_ca");
  }
  if (auto readable = check_readable("tls_ca", from.tls_ca); !readable) return readable;
  if (SSL_CTX_load_verify_file(context, from.tls_ca.c_str()) == 1) return {};
  return bad("tls_ca: " + from.tls_ca + " holds no certificate in PEM form (" + openssl_reason() + ")");
}

result<void> load_identity(SSL_CTX* context, const settings& from) {
  if (from.tls_cert.empty() && from.tls_key.empty()) return {};
  if (from.tls_key.empty()) return bad("tls_cert is set and tls_key is not: set both, or neither");
  if (from.tls_cert.empty()) return bad("tls_key is set and tls_cert is not: set both, or neither");
  if (auto readable = check_readable("tls_cert", from.tls_cert); !readable) return readable;
  if (auto readable = check_readable("tls_key", from.tls_key); !readable) return readable;
  if (SSL_CTX_use_certificate_chain_file(context, from.tls_cert.c_str()) != 1) {
    return bad("tls_cert: " + from.tls_cert + " holds no certificate in PEM form (" + openssl_reason() + ")");
  }
  ERR_clear_error();
  if (SSL_CTX_use_PrivateKey_file(context, from.tls_key.c_str(), SSL_FILETYPE_PEM) == 1) return {};
  const unsigned long code = ERR_peek_last_error();
  if (ERR_GET_LIB(code) == ERR_LIB_X509) {
    return bad("tls_key: " + from.tls_key + " is not the key of the certificate " + from.tls_cert);
  }
  return bad("tls_key: " + from.tls_key + " holds no private key in PEM form without a passphrase (" +
             openssl_reason() + ")");
}

result<void> demand_name(SSL_CTX* context, const std::string& name, bool is_ip) {
  X509_VERIFY_PARAM* rules = SSL_CTX_get0_param(context);
  X509_VERIFY_PARAM_set_hostflags(rules, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  const int set = is_ip ? X509_VERIFY_PARAM_set1_ip_asc(rules, name.c_str())
                        : X509_VERIFY_PARAM_set1_host(rules, name.data(), name.size());
  // An empty name would be accepted by OpenSSL and switch the check off.
  if (set == 1 && !name.empty()) return {};
  return bad("'" + name + "' cannot be checked against a certificate; set tls_server_name");
}

}  // namespace

void free_session::operator()(ssl_st* session) const noexcept { SSL_free(session); }
void tls_context::free_context::operator()(ssl_ctx_st* context) const noexcept { SSL_CTX_free(context); }

tls_context::tls_context(ssl_ctx_st* context, std::string name, bool is_ip)
    : context_{context}, name_{std::move(name)}, is_ip_{is_ip} {}

tls_session tls_context::new_session() const {
  tls_session session{SSL_new(context_.get())};
  if (session && !is_ip_ && !name_.empty()) {
    if (SSL_set_tlsext_host_name(session.get(), name_.c_str()) != 1) return nullptr;
  }
  return session;
}

result<std::shared_ptr<tls_context>> make_tls_context(const settings& from) {
  ERR_clear_error();
  SSL_CTX* raw = SSL_CTX_new(TLS_client_method());
  if (raw == nullptr) return bad("OpenSSL cannot be started: " + openssl_reason());
  std::string name = from.tls_server_name.empty() ? from.host : from.tls_server_name;
  // "redis.example." is the same host as "redis.example", and certificates carry only the latter.
  if (name.size() > 1 && name.back() == '.') name.pop_back();
  const bool is_ip = numeric_address(name, 0).has_value();
  auto context = std::make_shared<tls_context>(raw, name, is_ip);

  SSL_CTX_set_min_proto_version(raw, TLS1_2_VERSION);
  SSL_CTX_set_options(raw, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION);
  SSL_CTX_set_mode(raw, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_read_ahead(raw, 1);  // one recv() for many small records, where OpenSSL would make two for each
  SSL_CTX_set_session_cache_mode(raw, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_default_passwd_cb(raw, &no_passphrase);
  SSL_CTX_set_verify(raw, from.tls_verify ? SSL_VERIFY_PEER : SSL_VERIFY_NONE, nullptr);

  if (from.tls_verify) {
    if (auto loaded = load_authorities(raw, from); !loaded) return loaded.failure();
    if (auto set = demand_name(raw, name, is_ip); !set) return set.failure();
  }
  if (auto loaded = load_identity(raw, from); !loaded) return loaded.failure();
  return context;
}

}  // namespace holdfast::net
