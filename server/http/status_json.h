// Statuses as HTTP answers: google.rpc.Status in JSON.
#ifndef QUANTGATE_SERVER_HTTP_STATUS_JSON_H_
#define QUANTGATE_SERVER_HTTP_STATUS_JSON_H_

#include <httplib.h>

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "grpcpp/support/status.h"

namespace quantgate::server {

// 400 for INVALID_ARGUMENT, 404 for NOT_FOUND, …: the mapping of google.rpc.Code, but 413 for RESOURCE_EXHAUSTED: it
// names a limit that the request is beyond, and a client that gets 429 sends it again.
int HttpStatusOf(grpc::StatusCode code);

// {"code": 3, "message": "…", "details": […]}.
void SetStatus(const grpc::Status& status, httplib::Response& response);
void SetStatus(const absl::Status& status, httplib::Response& response);

// The same with an HTTP status that has no code of its own (405, 413, 415).
void SetStatus(int http_status, const absl::Status& status, httplib::Response& response);

// The JSON, or why there is none.
void SetJson(const absl::StatusOr<std::string>& json, httplib::Response& response);

}  // namespace quantgate::server

#endif  // QUANTGATE_SERVER_HTTP_STATUS_JSON_H_
