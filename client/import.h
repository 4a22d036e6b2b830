// Files in, graphs out. The format is recognized by content, never by name.
#ifndef QUANTGATE_CLIENT_IMPORT_H_
#define QUANTGATE_CLIENT_IMPORT_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "quantgate/v1/graph.pb.h"
#include "quantgate/v1/report.pb.h"

namespace quantgate {

struct ImportOptions {
  int64_t max_file_bytes = int64_t{2} << 30;
  int64_t max_nodes = 1'000'000;
  int max_subgraph_depth = 16;
  // Bytes read from external data files, all tensors together.
  int64_t max_external_bytes = int64_t{32} << 30;
  // Of these, bytes of weights that are read for what their elements are, in the order of the file. Those beyond are
  // found, and not read: nothing is said of their elements, and a rule says so.
  int64_t max_scanned_bytes = int64_t{128} << 20;
  // Bytes of constants that Constant.data takes along, all together, for those who compute with them; FI002 beyond. 0:
  // none are.
  int64_t max_weight_bytes = 0;
  // Constants of at least so many elements that an ONNX file has as bytes keep that form, which takes less memory than
  // the list; only for readers that know both (rules/graph/elements.h), not for graphs that leave this process. 0:
  // none.
  int64_t pack_from = 0;
  // An encodings file to be joined with an ONNX model; empty: none.
  std::string encodings;
};

struct ImportedModel {
  v1::Graph graph;
  v1::ModelInfo info;
  // The file that it was joined with, and its SHA-256 in hex. Empty: none.
  std::string encodings;
  std::string encodings_sha256;
};

// Errors carry a code (client/error.h): FI001 cannot be read or is no model of a known format, FI002 a limit is
// exceeded, FI003 a function is called whose operator set is not imported. Everything else that is wrong with a file is
// in the graph, as facts for the rules to judge.
absl::StatusOr<ImportedModel> ImportModel(const std::string& path, const ImportOptions& options = {});

}  // namespace quantgate

#endif  // QUANTGATE_CLIENT_IMPORT_H_
