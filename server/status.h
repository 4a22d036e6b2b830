// Statuses on their way out.
#ifndef QUANTGATE_SERVER_STATUS_H_
#define QUANTGATE_SERVER_STATUS_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "grpcpp/support/status.h"

namespace quantgate::server {

// "max_nodes=1000: the graph has 1001 nodes".
absl::Status LimitExceeded(absl::string_view limit, int64_t value, absl::string_view message);

// "Busy" answers carry google.rpc.RetryInfo.
absl::Status Overloaded(absl::string_view message);

// INVALID_ARGUMENT messages of the form "graph.nodes[3].op: reason" become a google.rpc.BadRequest field violation, and
// so do those that carry their field (rules/engine/field.h); UNAVAILABLE gets a google.rpc.RetryInfo. Long messages are
// cut: they travel in a bounded header.
grpc::Status ToGrpcStatus(const absl::Status& status);

// Its code and its message; an absl::Status has no room for details.
absl::Status WithoutDetails(const grpc::Status& status);

}  // namespace quantgate::server

#endif  // QUANTGATE_SERVER_STATUS_H_
