// Building and signing of X.509 certificates. See certificates.hpp.
#include "support/certificates.hpp"

#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <cstdio>
#include <memory>
#include <stdexcept>

namespace holdfast::test {
namespace {

template <auto Free>
struct freed_by {
  template <class T>
  void operator()(T* what) const {
    Free(what);
  }
};
using key_ptr = std::unique_ptr<EVP_PKEY, freed_by<EVP_PKEY_free>>;
using cert_ptr = std::unique_ptr<X509, freed_by<X509_free>>;
using file_ptr = std::unique_ptr<std::FILE, freed_by<std::fclose>>;
using extension_ptr = std::unique_ptr<X509_EXTENSION, freed_by<X509_EXTENSION_free>>;

struct issued {
  cert_ptr cert;
  key_ptr key;
};

struct wish {
  const char* common_name;
  const char* alternative_names = nullptr;  // "DNS:localhost,IP:127.0.0.1"; none for an authority
  long first_day = -2;                      // counted from today
  long last_day = 30;
};

void require(bool good, const char* step) {
  if (!good) throw std::runtime_error{std::string{"making test certificates: "} + step};
}

void extend(X509* cert, X509* issuer, int kind, const char* value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, cert, nullptr, nullptr, 0);
  const extension_ptr made{X509V3_EXT_conf_nid(nullptr, &context, kind, value)};
  require(made != nullptr && X509_add_ext(cert, made.get(), -1) == 1, value);
}

// `by` null: signs itself and may sign others.
issued issue(const wish& what, const issued* by) {
  issued made{cert_ptr{X509_new()}, key_ptr{EVP_EC_gen("P-256")}};
  require(made.cert && made.key, "new key");
  X509* cert = made.cert.get();
  X509* issuer = by != nullptr ? by->cert.get() : cert;
  constexpr long day = 24L * 60 * 60;
  static long serial = 1;

  X509_set_version(cert, X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(cert), ++serial);
  X509_gmtime_adj(X509_getm_notBefore(cert), what.first_day * day);
  X509_gmtime_adj(X509_getm_notAfter(cert), what.last_day * day);
  X509_set_pubkey(cert, made.key.get());
  const auto* name = reinterpret_cast<const unsigned char*>(what.common_name);
  require(X509_NAME_add_entry_by_txt(X509_get_subject_name(cert), "CN", MBSTRING_UTF8, name, -1, -1, 0) == 1, "name");
  X509_set_issuer_name(cert, X509_get_subject_name(issuer));
  extend(cert, issuer, NID_basic_constraints, by == nullptr ? "critical,CA:TRUE" : "critical,CA:FALSE");
  extend(cert, issuer, NID_key_usage, by == nullptr ? "critical,keyCertSign,cRLSign" : "critical,digitalSignature");
  extend(cert, issuer, NID_subject_key_identifier, "hash");
  if (what.alternative_names != nullptr) extend(cert, issuer, NID_subject_alt_name, what.alternative_names);
  EVP_PKEY* signer = by != nullptr ? by->key.get() : made.key.get();
  require(X509_sign(cert, signer, EVP_sha256()) > 0, "signature");
  return made;
}

identity save(const issued& what, const std::string& directory, const std::string& name) {
  identity files{directory + "/" + name + ".crt", directory + "/" + name + ".key"};
  const file_ptr cert{std::fopen(files.cert.c_str(), "we")};
  const file_ptr key{std::fopen(files.key.c_str(), "we")};
  require(cert && key, files.cert.c_str());
  require(PEM_write_X509(cert.get(), what.cert.get()) == 1, files.cert.c_str());
  require(PEM_write_PrivateKey(key.get(), what.key.get(), nullptr, nullptr, 0, nullptr, nullptr) == 1,
          files.key.c_str());
  return files;
}

std::string save_locked(const issued& what, const std::string& file) {
  const file_ptr key{std::fopen(file.c_str(), "we")};
  require(key != nullptr, file.c_str());
  const unsigned char passphrase[] = "passphrase";
  require(PEM_write_PrivateKey(key.get(), what.key.get(), EVP_aes_128_cbc(), passphrase, sizeof passphrase - 1, nullptr,
                               nullptr) == 1,
          file.c_str());
  return file;
}

}  // namespace

certificates make_certificates(const std::string& directory) {
  constexpr const char* here = "DNS:localhost,IP:127.0.0.1,IP:::1";
  const issued ca = issue({"Holdfast test authority"}, nullptr);
  const issued other_ca = issue({"Another test authority"}, nullptr);
  certificates all;
  all.ca = save(ca, directory, "ca");
  all.other_ca = save(other_ca, directory, "other_ca");
  all.server = save(issue({"localhost", here}, &ca), directory, "server");
  const issued client = issue({"client"}, &ca);
  all.client = save(client, directory, "client");
  all.locked_client_key = save_locked(client, directory + "/client_locked.key");
  all.expired = save(issue({"localhost", here, -10, -1}, &ca), directory, "expired");
  all.stranger = save(issue({"stranger.invalid", "DNS:stranger.invalid"}, &ca), directory, "stranger");
  return all;
}

}  // namespace holdfast::test
