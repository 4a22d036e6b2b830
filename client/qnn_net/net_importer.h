// The *_net.json that QNN's converters write beside model.cpp and model.bin: the graph as it is handed to a backend.
//
// What is a fact and how it is kept (rules judge, the importer does not):
//   - Every tensor is a Value of its name, in file order; a name that a node uses and no tensor has is a Value without
//     producer. Static tensors are constants whose elements are in model.bin, which is not read.
//   - Nodes have QNN's operator names, their inputs in QNN's order (a tensor of type NULL is an omitted one), and their
//     scalar and tensor parameters as attributes.
//   - Offsets become zero points (zero_point = -offset). A bit-width encoding is a spec that states its range.
#ifndef QUANTGATE_CLIENT_QNN_NET_NET_IMPORTER_H_
#define QUANTGATE_CLIENT_QNN_NET_NET_IMPORTER_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "client/import.h"
#include "quantgate/v1/graph.pb.h"

namespace quantgate {

// FI001: no JSON, or not of that form, with the place; FI002: a limit.
absl::StatusOr<v1::Graph> ImportQnnNet(absl::string_view bytes, const ImportOptions& options);

}  // namespace quantgate

#endif  // QUANTGATE_CLIENT_QNN_NET_NET_IMPORTER_H_
