// PEM files for TLS, at either end: gRPC only says that it does not listen, or that it reaches nobody.
#ifndef QUANTGATE_DB_PEM_H_
#define QUANTGATE_DB_PEM_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace quantgate {

// The text of a file with certificates, one at least. INVALID_ARGUMENT, as from ReadKey, names flag and file.
absl::StatusOr<std::string> ReadCertificates(absl::string_view flag, const std::string& path);

// That of a file with the private key, without a passphrase, of the first of these certificates, which TLS takes.
absl::StatusOr<std::string> ReadKey(absl::string_view flag, const std::string& path, const std::string& certificates);

}  // namespace quantgate

#endif  // QUANTGATE_DB_PEM_H_
