// Whether PEM files are what they are given as: gRPC only says that it does not listen.
#ifndef QUANTGATE_SERVER_PEM_H_
#define QUANTGATE_SERVER_PEM_H_

#include <string>

#include "absl/status/status.h"

namespace quantgate::server {

// Certificates, one at least. INVALID_ARGUMENT otherwise, as from CheckKey.
absl::Status CheckCertificates(const std::string& pem);

// The private key, without a passphrase, of the first of these certificates, which TLS takes.
absl::Status CheckKey(const std::string& pem, const std::string& certificates);

}  // namespace quantgate::server

#endif  // QUANTGATE_SERVER_PEM_H_
