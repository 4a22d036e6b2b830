// Graphs as they are kept: without weights, compressed.
#ifndef QUANTGATE_DB_REPORTS_GRAPH_BLOB_H_
#define QUANTGATE_DB_REPORTS_GRAPH_BLOB_H_

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "quantgate/v1/graph.pb.h"

namespace quantgate::db::reports {

// Nothing: larger than kMaxGraphBytes.
std::optional<std::string> PackGraph(const v1::Graph& graph);

// Report.graph_digest of a graph as the store keeps it, without Constant.data: SHA-256 (hex) of its deterministic
// encoding. GraphDigest (rules/graph/digest.h) is that of any graph.
std::string DigestOf(const v1::Graph& graph);

// Nothing: not what PackGraph made.
std::optional<v1::Graph> UnpackGraph(absl::string_view blob);

}  // namespace quantgate::db::reports

#endif  // QUANTGATE_DB_REPORTS_GRAPH_BLOB_H_
