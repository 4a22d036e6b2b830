#ifndef QUANTGATE_SERVER_CREDENTIALS_H_
#define QUANTGATE_SERVER_CREDENTIALS_H_

#include <memory>

#include "absl/status/statusor.h"
#include "grpcpp/security/server_credentials.h"
#include "server/address.h"
#include "server/options.h"

namespace quantgate::server {

// Credentials for `listen`, TLS when the options name a certificate. INVALID_ARGUMENT when the options contradict, a
// file cannot be read, or `listen` or `http` (may be null) is beyond loopback and neither protected nor --insecure.
// With a certificate --insecure speaks of `http` alone, which has no TLS.
absl::StatusOr<std::shared_ptr<grpc::ServerCredentials>> MakeCredentials(const Options& options, const Address& listen,
                                                                         const Address* http);

}  // namespace quantgate::server

#endif  // QUANTGATE_SERVER_CREDENTIALS_H_
