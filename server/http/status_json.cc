#include "server/http/status_json.h"

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "google/protobuf/util/json_util.h"
#include "server/error_details.pb.h"
#include "server/status.h"

namespace quantgate::server {
namespace {

using Json = nlohmann::ordered_json;

// The details that this server makes, as Any is written in JSON.
Json DetailJson(const google::protobuf::Any& any) {
  const std::string& url = any.type_url();
  std::unique_ptr<google::protobuf::Message> message;
  if (url.ends_with("google.rpc.BadRequest")) message = std::make_unique<BadRequest>();
  if (url.ends_with("google.rpc.RetryInfo")) message = std::make_unique<RetryInfo>();
  Json json = {{"@type", url}};
  std::string text;
  if (message == nullptr || !message->ParseFromString(any.value()) ||
      !google::protobuf::util::MessageToJsonString(*message, &text).ok()) {
    return json;
  }
  json.update(Json::parse(text, nullptr, /*allow_exceptions=*/false));
  return json;
}

}  // namespace

int HttpStatusOf(grpc::StatusCode code) {
  switch (code) {
    case grpc::StatusCode::OK:
      return 200;
    case grpc::StatusCode::INVALID_ARGUMENT:
    case grpc::StatusCode::FAILED_PRECONDITION:
    case grpc::StatusCode::OUT_OF_RANGE:
      return 400;
    case grpc::StatusCode::UNAUTHENTICATED:
      return 401;
    case grpc::StatusCode::PERMISSION_DENIED:
      return 403;
    case grpc::StatusCode::NOT_FOUND:
      return 404;
    case grpc::StatusCode::ALREADY_EXISTS:
    case grpc::StatusCode::ABORTED:
      return 409;
    case grpc::StatusCode::RESOURCE_EXHAUSTED:
      return 413;
    case grpc::StatusCode::CANCELLED:
      return 499;
    case grpc::StatusCode::UNIMPLEMENTED:
      return 501;
    case grpc::StatusCode::UNAVAILABLE:
      return 503;
    case grpc::StatusCode::DEADLINE_EXCEEDED:
      return 504;
    default:
      return 500;
  }
}

void SetStatus(const grpc::Status& status, httplib::Response& response) {
  RpcStatus details;
  Json json = {{"code", static_cast<int>(status.error_code())}, {"message", status.error_message()}};
  if (!status.error_details().empty() && details.ParseFromString(status.error_details())) {
    for (const google::protobuf::Any& any : details.details()) json["details"].push_back(DetailJson(any));
  }
  response.status = HttpStatusOf(status.error_code());
  if (response.status == 503) response.set_header("Retry-After", "1");
  response.set_content(json.dump(-1, ' ', false, Json::error_handler_t::replace), "application/json");
}

void SetStatus(const absl::Status& status, httplib::Response& response) { SetStatus(ToGrpcStatus(status), response); }

void SetStatus(int http_status, const absl::Status& status, httplib::Response& response) {
  SetStatus(status, response);
  response.status = http_status;
}

void SetJson(const absl::StatusOr<std::string>& json, httplib::Response& response) {
  if (!json.ok()) {
    SetStatus(json.status(), response);
    return;
  }
  response.status = 200;
  response.set_content(*json, "application/json");
}

}  // namespace quantgate::server
