// A QuantGate server as plain functions: deadlines, retries and errors are taken care of here.
#ifndef QUANTGATE_CLIENT_REMOTE_REMOTE_H_
#define QUANTGATE_CLIENT_REMOTE_REMOTE_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "grpcpp/channel.h"
#include "quantgate/v1/report_service.grpc.pb.h"
#include "quantgate/v1/validation_service.pb.h"

namespace quantgate {

struct RemoteOptions {
  std::string address = "127.0.0.1:50051";  // HOST:PORT
  // TLS when any of these is set, or `tls`: then with the system's roots unless `tls_ca` names a PEM file.
  bool tls = false;
  std::string tls_ca;
  std::string tls_cert;  // client certificate and key, PEM files; both or neither
  std::string tls_key;
  absl::Duration timeout = absl::Seconds(60);  // for one call with its retries
  // Of a call that ends UNAVAILABLE, with growing pauses between. 0: while the timeout lasts where a server answers
  // that it is busy, and for about three seconds where none answers or its store does not.
  int attempts = 0;
  // Serialized graphs above it are streamed, and so are those that the server finds too large for one message. gRPC's
  // own default limit of a message, less room for the options.
  int64_t unary_limit = (int64_t{4} << 20) - (int64_t{64} << 10);
};

// Thread-safe. Errors are the server's status; UNAVAILABLE and DEADLINE_EXCEEDED name the address.
class Remote {
 public:
  // Does not connect yet. INVALID_ARGUMENT: bad address, or a PEM file that is not what it is given as.
  static absl::StatusOr<Remote> Create(const RemoteOptions& options);

  // One call, unary or streamed by size. A retry is answered with the same report when options.request_id is set.
  absl::StatusOr<v1::Report> Validate(const v1::Graph& graph, const v1::ValidateOptions& options) const;
  absl::StatusOr<v1::Report> GetReport(const std::string& name) const;
  absl::StatusOr<v1::ListReportsResponse> ListReports(const v1::ListReportsRequest& request) const;
  absl::Status DeleteReport(const std::string& name) const;
  absl::StatusOr<v1::DiffReportsResponse> DiffReports(const v1::DiffReportsRequest& request) const;
  absl::StatusOr<v1::Graph> GetGraph(const std::string& name) const;
  absl::StatusOr<v1::ImportReportsResponse> ImportReports(const v1::ImportReportsRequest& request) const;
  absl::StatusOr<v1::PruneReportsResponse> PruneReports(const v1::PruneReportsRequest& request) const;

 private:
  explicit Remote(RemoteOptions options, std::shared_ptr<grpc::Channel> channel);
  template <typename Call>
  absl::Status Retry(const Call& call) const;
  template <typename Request, typename Response>
  absl::StatusOr<Response> CallReports(grpc::Status (v1::ReportService::Stub::*method)(grpc::ClientContext*,
                                                                                       const Request&, Response*),
                                       const Request& request) const;

  RemoteOptions options_;
  std::shared_ptr<grpc::Channel> channel_;
};

}  // namespace quantgate

#endif  // QUANTGATE_CLIENT_REMOTE_REMOTE_H_
