// Sharing groups of a graph for who draws it.
#ifndef QUANTGATE_SERVER_HTTP_SHARING_JSON_H_
#define QUANTGATE_SERVER_HTTP_SHARING_JSON_H_

#include <string>

#include "absl/status/statusor.h"
#include "quantgate/v1/graph.pb.h"

namespace quantgate::server {

// {"groups": [[{"value": 3, "node": 0}, {"value": 3, "node": 7}], …]}: the groups with several members; ids as in the
// graph, `node` 0 for a value. Without groups when the graph's references cannot be followed: a finding says so.
absl::StatusOr<std::string> SharingGroupsJson(const v1::Graph& graph);

}  // namespace quantgate::server

#endif  // QUANTGATE_SERVER_HTTP_SHARING_JSON_H_
