// quantgate.v1.Graph as a file: binary, JSON (proto3 mapping) or text proto. A round trip through any of them loses
// nothing, but for the sign of a zero in JSON, which protobuf's parser drops.
#ifndef QUANTGATE_CLIENT_GRAPH_FILE_H_
#define QUANTGATE_CLIENT_GRAPH_FILE_H_

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "client/import.h"
#include "client/sniff.h"
#include "quantgate/v1/graph.pb.h"

namespace quantgate {

// `format` is one of the three graph formats. FI001: not such a graph, with the place. FI002: a limit.
absl::StatusOr<v1::Graph> ParseGraph(absl::string_view bytes, FileFormat format, const ImportOptions& options);

// Ids are not checked here; the engine refuses those that point nowhere.
absl::StatusOr<std::string> SerializeGraph(const v1::Graph& graph, FileFormat format);

// The format that the ending of a path names: .pb, .json or .txtpb. nullopt: none.
std::optional<FileFormat> GraphFormatOf(absl::string_view path);

// The format is that of the extension. The file appears whole or not at all.
absl::Status WriteGraphFile(const v1::Graph& graph, const std::string& path);

}  // namespace quantgate

#endif  // QUANTGATE_CLIENT_GRAPH_FILE_H_
