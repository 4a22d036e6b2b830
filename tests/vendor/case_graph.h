// The configuration of one operator as a graph of one node, in QNN's own terms.
#ifndef QUANTGATE_TESTS_VENDOR_CASE_GRAPH_H_
#define QUANTGATE_TESTS_VENDOR_CASE_GRAPH_H_

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "absl/status/status.h"
#include "quantgate/v1/graph.pb.h"

namespace quantgate::vendor {

// `config` has inputs, outputs and params of operator `op`, or tensors and nodes. INVALID_ARGUMENT for values that no
// graph can hold; throws what the JSON library throws for missing fields.
absl::Status BuildGraph(const std::string& op, const nlohmann::json& config, v1::Graph& graph);

}  // namespace quantgate::vendor

#endif  // QUANTGATE_TESTS_VENDOR_CASE_GRAPH_H_
