// LiteRT (.tflite) models: schema version 3, up to 3d.
#ifndef QUANTGATE_CLIENT_TFLITE_TFLITE_IMPORTER_H_
#define QUANTGATE_CLIENT_TFLITE_TFLITE_IMPORTER_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "client/import.h"
#include "quantgate/v1/graph.pb.h"

namespace quantgate {

// The bytes of a .tflite file as a graph. `folder`: where external buffers may be; "" opens none.
//
// Fidelity. Tensors are values, in the file's order and under the file's names; operators are nodes without names,
// under the schema's names ("CONV_2D"), "CUSTOM::<code>" for custom ones and "BUILTIN_<number>" for numbers of a later
// schema. Options are attributes, defaults included. Quantization is the spec of its tensor; scales that lie in tensors
// of their own (block-wise, multi-axis) are in the spec as well. The first subgraph is the graph, the others are its
// subgraphs in the file's order. Nothing is repaired.
absl::StatusOr<v1::Graph> ImportTflite(absl::string_view bytes, const std::string& folder,
                                       const ImportOptions& options);

}  // namespace quantgate

#endif  // QUANTGATE_CLIENT_TFLITE_TFLITE_IMPORTER_H_
