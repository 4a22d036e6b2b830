// What is counted of a parsed request before anything is done with it.
#ifndef QUANTGATE_SERVER_RPC_REQUEST_SIZE_H_
#define QUANTGATE_SERVER_RPC_REQUEST_SIZE_H_

#include "absl/status/status.h"
#include "quantgate/v1/graph.pb.h"
#include "quantgate/v1/report.pb.h"
#include "server/options.h"

namespace quantgate::server {

// RESOURCE_EXHAUSTED: max_nodes or max_values, of the graph with its subgraphs.
absl::Status CheckGraphSize(const v1::Graph& graph, const Limits& limits);

// INVALID_ARGUMENT: a text of "options.model" that is too long to be copied into reports.
absl::Status CheckModelInfo(const v1::ModelInfo& model);

}  // namespace quantgate::server

#endif  // QUANTGATE_SERVER_RPC_REQUEST_SIZE_H_
