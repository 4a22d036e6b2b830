#include "db/pem.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <fstream>
#include <iterator>
#include <memory>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace quantgate {
namespace {

template <auto kFree>
struct Free {
  template <typename T>
  void operator()(T* object) const {
    kFree(object);
  }
};
using Bio = std::unique_ptr<BIO, Free<BIO_free>>;
using Certificate = std::unique_ptr<X509, Free<X509_free>>;
using Key = std::unique_ptr<EVP_PKEY, Free<EVP_PKEY_free>>;
using Context = std::unique_ptr<SSL_CTX, Free<SSL_CTX_free>>;

Bio Open(const std::string& pem) { return Bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size()))); }

// Nobody is asked for one.
int NoPassphrase(char*, int, int, void*) { return -1; }

Certificate Next(BIO* bio) { return Certificate(PEM_read_bio_X509(bio, nullptr, NoPassphrase, nullptr)); }

absl::Status Refused(absl::string_view what) {
  const char* reason = ERR_reason_error_string(ERR_peek_last_error());
  ERR_clear_error();
  return absl::InvalidArgumentError(reason == nullptr ? std::string(what) : absl::StrCat(what, " (", reason, ")"));
}

absl::Status CheckCertificates(const std::string& pem) {
  ERR_clear_error();
  const Bio bio = Open(pem);
  int count = 0;
  while (Next(bio.get()) != nullptr) ++count;
  const bool is_end = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
  if (count == 0 && is_end) ERR_clear_error();
  if (count == 0 || !is_end) return Refused("has no certificate that can be read");
  ERR_clear_error();
  return absl::OkStatus();
}

absl::Status CheckKey(const std::string& pem, const std::string& certificates) {
  ERR_clear_error();
  const Key key(PEM_read_bio_PrivateKey(Open(pem).get(), nullptr, NoPassphrase, nullptr));
  if (key == nullptr) return Refused("has no private key that can be read without a passphrase");
  const Context context(SSL_CTX_new(TLS_server_method()));
  const Certificate certificate = Next(Open(certificates).get());
  if (context == nullptr || certificate == nullptr || SSL_CTX_use_certificate(context.get(), certificate.get()) != 1) {
    return Refused("is of a certificate that TLS does not take");
  }
  if (SSL_CTX_use_PrivateKey(context.get(), key.get()) != 1 || SSL_CTX_check_private_key(context.get()) != 1) {
    return Refused("is not the key of the certificate");
  }
  return absl::OkStatus();
}

absl::Status AboutFile(absl::string_view flag, const std::string& path, const absl::Status& status) {
  return status.ok() ? status : absl::InvalidArgumentError(absl::StrCat(flag, ": '", path, "' ", status.message()));
}

absl::StatusOr<std::string> ReadPem(absl::string_view flag, const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (!file || text.find("-----BEGIN ") == std::string::npos) {
    return absl::InvalidArgumentError(absl::StrCat(flag, ": cannot read a PEM file at '", path, "'"));
  }
  return text;
}

}  // namespace

absl::StatusOr<std::string> ReadCertificates(absl::string_view flag, const std::string& path) {
  absl::StatusOr<std::string> pem = ReadPem(flag, path);
  if (!pem.ok()) return pem;
  if (absl::Status status = AboutFile(flag, path, CheckCertificates(*pem)); !status.ok()) return status;
  return pem;
}

absl::StatusOr<std::string> ReadKey(absl::string_view flag, const std::string& path, const std::string& certificates) {
  absl::StatusOr<std::string> pem = ReadPem(flag, path);
  if (!pem.ok()) return pem;
  if (absl::Status status = AboutFile(flag, path, CheckKey(*pem, certificates)); !status.ok()) return status;
  return pem;
}

}  // namespace quantgate
