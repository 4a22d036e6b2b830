// The API in JSON: every method is called over a channel inside of the process, so that what HTTP clients get is what
// the gRPC services answer, with their limits, threads and logs.
#ifndef QUANTGATE_SERVER_HTTP_TRANSCODE_H_
#define QUANTGATE_SERVER_HTTP_TRANSCODE_H_

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <httplib.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "google/protobuf/message.h"
#include "google/protobuf/util/type_resolver.h"

namespace quantgate::server {

// Sets fields from a query: by their paths ("pageSize", "page_size", "model.path"), from text; repeated fields get one
// more element. INVALID_ARGUMENT: there is no such field, the text is no value of it, or a field that takes one value
// is given twice.
absl::Status SetFields(google::protobuf::Message& message, absl::Span<const std::pair<std::string, std::string>> query);

// Whether a header's text can go along as metadata: printable ASCII, not empty.
bool IsMetadata(absl::string_view text);

// What was asked of the API.
struct ApiMethod {
  std::string full_name;               // "/quantgate.v1.ReportService/GetReport"
  std::string path_field, path_value;  // of the request; empty: nothing comes from the path
  bool has_body = false;               // the request is the body; otherwise the query
};

// The method behind "GET", "/v1/reports/7"; NOT_FOUND: there is none, UNIMPLEMENTED: not with that HTTP method.
absl::StatusOr<ApiMethod> FindApiMethod(absl::string_view http_method, absl::string_view path);

class Transcoder {
 public:
  explicit Transcoder(std::shared_ptr<grpc::Channel> channel);

  // Answers `request`; `body` is its JSON, when the method has one. Ends the call when `gone` says so.
  void Answer(const ApiMethod& method, const httplib::Request& request, const std::string& body,
              const std::function<bool()>& gone, httplib::Response& response) const;

  // Serialized request to serialized response.
  grpc::Status Call(const std::string& full_name, const std::string& request, absl::Duration timeout,
                    const std::string& authorization, const std::function<bool()>& gone, std::string& response) const;

  // A message as JSON, as answers have it.
  absl::StatusOr<std::string> ToJson(const std::string& type, const std::string& bytes) const;

 private:
  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<google::protobuf::util::TypeResolver> resolver_;
};

}  // namespace quantgate::server

#endif  // QUANTGATE_SERVER_HTTP_TRANSCODE_H_
