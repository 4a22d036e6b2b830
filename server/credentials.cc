#include "server/credentials.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "db/pem.h"

namespace quantgate::server {
absl::StatusOr<std::shared_ptr<grpc::ServerCredentials>> MakeCredentials(const Options& options, const Address& listen,
                                                                         const Address* http) {
  if (options.tls_cert.empty() != options.tls_key.empty()) {
    return absl::InvalidArgumentError("--tls-cert and --tls-key come together");
  }
  const bool tls = !options.tls_cert.empty();
  if (!tls && !options.tls_client_ca.empty()) {
    return absl::InvalidArgumentError("--tls-client-ca needs --tls-cert and --tls-key");
  }
  const bool is_http_open = http != nullptr && !IsLoopback(*http);
  if (tls && options.insecure && !is_http_open) {
    return absl::InvalidArgumentError("--insecure contradicts --tls-cert: there is no --http beyond loopback to allow");
  }
  if (!tls && !options.insecure && !IsLoopback(listen)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--listen ", FormatAddress(listen),
        " is reachable from other machines: give --tls-cert and --tls-key, or --insecure if that is meant"));
  }
  if (is_http_open && !options.insecure) {
    return absl::InvalidArgumentError(absl::StrCat("--http ", FormatAddress(*http),
                                                   " is reachable from other machines and has no TLS: use a loopback "
                                                   "address, or --insecure if that is meant",
                                                   tls ? ": gRPC keeps its TLS" : ""));
  }
  if (!tls) return grpc::InsecureServerCredentials();

  grpc::SslServerCredentialsOptions ssl(options.tls_client_ca.empty()
                                            ? GRPC_SSL_DONT_REQUEST_CLIENT_CERTIFICATE
                                            : GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  absl::StatusOr<std::string> cert = ReadCertificates("--tls-cert", options.tls_cert);
  if (!cert.ok()) return cert.status();
  absl::StatusOr<std::string> key = ReadKey("--tls-key", options.tls_key, *cert);
  if (!key.ok()) return key.status();
  ssl.pem_key_cert_pairs.push_back({*std::move(key), *std::move(cert)});
  if (!options.tls_client_ca.empty()) {
    absl::StatusOr<std::string> ca = ReadCertificates("--tls-client-ca", options.tls_client_ca);
    if (!ca.ok()) return ca.status();
    ssl.pem_root_certs = *std::move(ca);
  }
  return grpc::SslServerCredentials(ssl);
}

}  // namespace quantgate::server
