// The table from OpenSSL's reasons to advice. See tls_failure.hpp.
#include "net/tls_failure.hpp"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>

#include <utility>

namespace holdfast::net {
namespace {

// OpenSSL numbers an alert that the peer sent as this plus the alert's own number.
bool is_alert(int reason) { return reason > SSL_AD_REASON_OFFSET && reason < SSL_AD_REASON_OFFSET + 256; }

std::string about_certificate(long verify_result, const std::string& peer, const std::string& name) {
  const std::string whose = "the TLS certificate of " + peer + " ";
  switch (verify_result) {
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH:
      return whose + "is not for '" + name + "'; set tls_server_name to a name that it carries";
    case X509_V_ERR_CERT_HAS_EXPIRED:
      return whose + "has expired; renew it on the server (or check this machine's clock)";
    case X509_V_ERR_CERT_NOT_YET_VALID:
      return whose + "is not valid yet; check the clocks of both machines";
    default:
      return whose + "is not trusted (" + X509_verify_cert_error_string(verify_result) +
             "); set tls_ca to the PEM file of the authority that signed it";
  }
}

std::string about_alert(int reason) {
  switch (reason - SSL_AD_REASON_OFFSET) {
    case SSL_AD_CERTIFICATE_REQUIRED:
      return "it demands a client certificate; set tls_cert and tls_key";
    case SSL_AD_HANDSHAKE_FAILURE:
      return "no agreement was possible; if it demands a client certificate, set tls_cert and tls_key";
    case SSL_AD_UNKNOWN_CA:
    case SSL_AD_BAD_CERTIFICATE:
    case SSL_AD_UNSUPPORTED_CERTIFICATE:
    case SSL_AD_CERTIFICATE_REVOKED:
    case SSL_AD_CERTIFICATE_EXPIRED:
    case SSL_AD_CERTIFICATE_UNKNOWN:
      return "it does not accept our client certificate; check tls_cert and the server's tls-ca-cert-file";
    case SSL_AD_PROTOCOL_VERSION:
      return "it speaks only TLS versions that this side does not (1.2 and newer)";
    case SSL_AD_UNRECOGNIZED_NAME:
      return "it does not know the name we asked for; set tls_server_name";
    default:
      return "it ended the TLS connection";
  }
}

}  // namespace

failure describe_tls_error(const tls_error& what, const std::string& peer, const std::string& name) {
  const bool from_tls = ERR_GET_LIB(what.code) == ERR_LIB_SSL;
  const int reason = ERR_GET_REASON(what.code);
  const char* words = ERR_reason_error_string(what.code);
  const std::string in_brackets = std::string{" ("} + (words != nullptr ? words : "no reason given") + ")";

  if (from_tls && reason == SSL_R_CERTIFICATE_VERIFY_FAILED) {
    return {errc::refused, about_certificate(what.verify_result, peer, name)};
  }
  if (from_tls && is_alert(reason)) {
    return {errc::refused, peer + " turned us away: " + about_alert(reason) + in_brackets};
  }
  if (!what.handshaking) return {errc::protocol, "the TLS connection to " + peer + " is damaged" + in_brackets};
  if (from_tls && reason == SSL_R_UNSUPPORTED_PROTOCOL) {
    return {errc::refused, peer + " speaks only TLS versions older than 1.2" + in_brackets};
  }
  return {errc::refused, peer + " does not answer in TLS; is this port TLS? (redis:// is without TLS)" + in_brackets};
}

}  // namespace holdfast::net
