#ifndef QUANTGATE_RULES_GRAPH_DIGEST_H_
#define QUANTGATE_RULES_GRAPH_DIGEST_H_

#include <string>

#include "quantgate/v1/graph.pb.h"

namespace quantgate {

// SHA-256 (hex) of the graph's deterministic encoding: the report's graph_digest.
std::string GraphDigest(const v1::Graph& graph);

}  // namespace quantgate

#endif  // QUANTGATE_RULES_GRAPH_DIGEST_H_
