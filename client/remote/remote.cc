#include "client/remote/remote.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <memory>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "db/pem.h"
#include "google/protobuf/message.h"
#include "grpcpp/client_context.h"
#include "grpcpp/create_channel.h"
#include "grpcpp/security/credentials.h"
#include "grpcpp/support/channel_arguments.h"
#include "quantgate/v1/validation_service.grpc.pb.h"

namespace quantgate {
namespace {

constexpr size_t kChunkBytes = size_t{1} << 20;                  // ValidateStreamRequest.graph_chunk
constexpr int kMaxReportBytes = 1 << 30;                         // a report of a million findings
constexpr absl::Duration kFirstPause = absl::Milliseconds(100);  // doubled after every attempt
constexpr absl::Duration kLongestPause = absl::Seconds(2);
constexpr int kAttemptsToReach = 6;

absl::StatusOr<std::shared_ptr<grpc::ChannelCredentials>> Credentials(const RemoteOptions& options) {
  if (options.tls_cert.empty() != options.tls_key.empty()) {
    return absl::InvalidArgumentError("--tls-cert and --tls-key belong together");
  }
  if (!options.tls && options.tls_ca.empty() && options.tls_cert.empty()) return grpc::InsecureChannelCredentials();
  grpc::SslCredentialsOptions ssl;
  if (!options.tls_ca.empty()) {
    absl::StatusOr<std::string> roots = ReadCertificates("--tls-ca", options.tls_ca);
    if (!roots.ok()) return roots.status();
    ssl.pem_root_certs = *std::move(roots);
  }
  if (!options.tls_cert.empty()) {
    absl::StatusOr<std::string> chain = ReadCertificates("--tls-cert", options.tls_cert);
    if (!chain.ok()) return chain.status();
    absl::StatusOr<std::string> key = ReadKey("--tls-key", options.tls_key, *chain);
    if (!key.ok()) return key.status();
    ssl.pem_cert_chain = *std::move(chain);
    ssl.pem_private_key = *std::move(key);
  }
  return grpc::SslCredentials(ssl);
}

// HOST:PORT, or another name that gRPC knows (unix:PATH). gRPC takes any number for a port, and of a large one its last
// 16 bits.
bool IsAddress(absl::string_view address) {
  const size_t colon = address.rfind(':');
  if (colon == absl::string_view::npos || colon == 0 || colon + 1 == address.size()) return false;
  const absl::string_view port = address.substr(colon + 1);
  if (!absl::c_all_of(port, absl::ascii_isdigit)) return true;
  int number = 0;
  return absl::SimpleAtoi(port, &number) && number >= 1 && number <= 65535 && !absl::StrContains(address, "://");
}

bool IsLoopback(absl::string_view address) {
  return absl::StartsWith(address, "127.") || absl::StartsWith(address, "localhost:") ||
         absl::StartsWith(address, "[::1]:");
}

// Protobuf sends text that is not UTF-8 and does not read it.
absl::Status CheckText(const google::protobuf::Message& request) {
  const std::unique_ptr<google::protobuf::Message> copy(request.New());
  if (copy->ParseFromString(request.SerializeAsString())) return absl::OkStatus();
  return absl::InvalidArgumentError("a name, a target or the filter is not UTF-8");
}

absl::Status FromGrpc(const grpc::Status& status) {
  return absl::Status(static_cast<absl::StatusCode>(status.error_code()), status.error_message());
}

// A server or a proxy that takes smaller messages than expected: this program's limit, and gRPC's own.
bool TooLargeForOneMessage(const absl::Status& status) {
  return absl::IsResourceExhausted(status) && (absl::StartsWith(status.message(), "max_request_bytes=") ||
                                               absl::StrContains(status.message(), "message larger than max"));
}

v1::ValidateStreamRequest Chunk(const std::string& bytes, size_t begin) {
  v1::ValidateStreamRequest request;
  request.set_graph_chunk(bytes.data() + begin, std::min(kChunkBytes, bytes.size() - begin));
  return request;
}

grpc::Status ValidateInChunks(v1::ValidationService::Stub& stub, grpc::ClientContext& context, const std::string& bytes,
                              const v1::ValidateOptions& options, v1::Report& report) {
  v1::ValidateStreamResponse response;
  const auto writer = stub.ValidateStream(&context, &response);
  v1::ValidateStreamRequest header;
  *header.mutable_options() = options;
  bool open = writer->Write(header);
  for (size_t begin = 0; open && begin < bytes.size(); begin += kChunkBytes) open = writer->Write(Chunk(bytes, begin));
  writer->WritesDone();  // the status tells why when the stream broke
  grpc::Status status = writer->Finish();
  if (status.ok()) report = std::move(*response.mutable_report());
  return status;
}

}  // namespace

Remote::Remote(RemoteOptions options, std::shared_ptr<grpc::Channel> channel)
    : options_(std::move(options)), channel_(std::move(channel)) {}

absl::StatusOr<Remote> Remote::Create(const RemoteOptions& options) {
  if (!IsAddress(options.address)) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", options.address, "' is no server address; write HOST:PORT, a port of 1 to 65535"));
  }
  // gRPC would log what the returned status says better; $GRPC_VERBOSITY brings its log back.
  setenv("GRPC_VERBOSITY", "NONE", /*overwrite=*/0);
  const auto credentials = Credentials(options);
  if (!credentials.ok()) return credentials.status();
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(kMaxReportBytes);
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, static_cast<int>(absl::ToInt64Milliseconds(kFirstPause)));
  arguments.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);  // retried here, within one deadline
  if (IsLoopback(options.address)) arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);  // no proxy reaches it
  return Remote(options, grpc::CreateCustomChannel(options.address, *credentials, arguments));
}

template <typename Call>
absl::Status Remote::Retry(const Call& call) const {
  const absl::Time deadline = absl::Now() + options_.timeout;
  absl::Duration pause = kFirstPause;
  for (int attempt = 1;; ++attempt) {
    grpc::ClientContext context;
    context.set_deadline(absl::ToChronoTime(deadline));
    absl::Status status = FromGrpc(call(context));
    if (absl::IsDeadlineExceeded(status)) {
      return absl::DeadlineExceededError(
          absl::StrCat(options_.address, " did not answer within ", absl::FormatDuration(options_.timeout)));
    }
    if (!absl::IsUnavailable(status)) return status;
    const bool connected = channel_->GetState(false) == GRPC_CHANNEL_READY;
    // What is not there may be behind the server: a store names itself.
    const bool lacks_store = absl::StartsWith(status.message(), "report store ");
    const int most = options_.attempts > 0       ? options_.attempts
                     : connected && !lacks_store ? std::numeric_limits<int>::max()
                                                 : kAttemptsToReach;
    if (attempt >= most || absl::Now() + pause >= deadline) {
      const char* state = lacks_store ? " cannot answer now: " : " is overloaded: ";
      return absl::UnavailableError(connected
                                        ? absl::StrCat(options_.address, state, status.message())
                                        : absl::StrCat("cannot reach ", options_.address, " (", status.message(), ")"));
    }
    absl::SleepFor(pause);
    pause = std::min(pause * 2, kLongestPause);
  }
}

absl::StatusOr<v1::Report> Remote::Validate(const v1::Graph& graph, const v1::ValidateOptions& options) const {
  absl::Status status = CheckText(options);
  if (!status.ok()) return status;
  const auto stub = v1::ValidationService::NewStub(channel_);
  v1::Report report;
  const bool unary = static_cast<int64_t>(graph.ByteSizeLong()) <= options_.unary_limit;
  if (unary) {
    v1::ValidateRequest request;
    *request.mutable_graph() = graph;
    *request.mutable_options() = options;
    status = Retry([&](grpc::ClientContext& context) {
      v1::ValidateResponse response;
      grpc::Status answer = stub->Validate(&context, request, &response);
      if (answer.ok()) report = std::move(*response.mutable_report());
      return answer;
    });
  }
  if (!unary || TooLargeForOneMessage(status)) {
    std::string bytes;
    if (!graph.SerializeToString(&bytes)) return absl::ResourceExhaustedError("the graph is larger than 2 GiB");
    status =
        Retry([&](grpc::ClientContext& context) { return ValidateInChunks(*stub, context, bytes, options, report); });
  }
  if (!status.ok()) return status;
  return report;
}

template <typename Request, typename Response>
absl::StatusOr<Response> Remote::CallReports(grpc::Status (v1::ReportService::Stub::*method)(grpc::ClientContext*,
                                                                                             const Request&, Response*),
                                             const Request& request) const {
  if (absl::Status text = CheckText(request); !text.ok()) return text;
  const auto stub = v1::ReportService::NewStub(channel_);
  Response response;
  const absl::Status status =
      Retry([&](grpc::ClientContext& context) { return ((*stub).*method)(&context, request, &response); });
  if (!status.ok()) return status;
  return response;
}

absl::StatusOr<v1::Report> Remote::GetReport(const std::string& name) const {
  v1::GetReportRequest request;
  request.set_name(name);
  absl::StatusOr<v1::GetReportResponse> response = CallReports(&v1::ReportService::Stub::GetReport, request);
  if (!response.ok()) return response.status();
  return std::move(*response->mutable_report());
}

absl::StatusOr<v1::Graph> Remote::GetGraph(const std::string& name) const {
  v1::GetGraphRequest request;
  request.set_name(name);
  absl::StatusOr<v1::GetGraphResponse> response = CallReports(&v1::ReportService::Stub::GetGraph, request);
  if (!response.ok()) return response.status();
  return std::move(*response->mutable_graph());
}

absl::StatusOr<v1::ListReportsResponse> Remote::ListReports(const v1::ListReportsRequest& request) const {
  return CallReports(&v1::ReportService::Stub::ListReports, request);
}

absl::Status Remote::DeleteReport(const std::string& name) const {
  v1::DeleteReportRequest request;
  request.set_name(name);
  return CallReports(&v1::ReportService::Stub::DeleteReport, request).status();
}

absl::StatusOr<v1::DiffReportsResponse> Remote::DiffReports(const v1::DiffReportsRequest& request) const {
  return CallReports(&v1::ReportService::Stub::DiffReports, request);
}

absl::StatusOr<v1::ImportReportsResponse> Remote::ImportReports(const v1::ImportReportsRequest& request) const {
  return CallReports(&v1::ReportService::Stub::ImportReports, request);
}

absl::StatusOr<v1::PruneReportsResponse> Remote::PruneReports(const v1::PruneReportsRequest& request) const {
  return CallReports(&v1::ReportService::Stub::PruneReports, request);
}

}  // namespace quantgate
