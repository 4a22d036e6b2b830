// ONNX models: QDQ, QOperator and com.microsoft operators, any opset.
//
// What is a fact and how it is kept (rules judge, the importer does not):
//   - Every tensor is a Value. A name that is used and that nobody makes is a Value without producer, constant and
//   place
//     in Graph.inputs.
//   - A name declared twice as input or as initializer is two Values of that name; uses bind to the first. An
//     initializer that is also an input is one Value with a constant. Nodes that write one name share one Value.
//   - Nodes are in file order; none is dropped. The output of a Constant node also has the constant.
//   - Functions of the model are put in the place of the nodes that call them.
//   - Operators of other domains than the default one are written "domain::Type".
//   - Shapes of constants are as declared, whatever the stored bytes are; Constant.stored_bytes tells them.
//   - Names that are not UTF-8 have the offending bytes written as "\xNN".
// A model without Q/DQ or integer operators is ANNOTATED, without specs: nothing is quantized, nothing is wrong.
#ifndef QUANTGATE_CLIENT_ONNX_ONNX_IMPORTER_H_
#define QUANTGATE_CLIENT_ONNX_ONNX_IMPORTER_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "client/import.h"
#include "quantgate/v1/graph.pb.h"

namespace quantgate {

// `bytes`: a serialized ModelProto. `folder`: where external data may be; "" opens no file. FI001: not a ModelProto,
// with the place; FI002: a limit; FI003: a call of a function whose domain is not imported.
absl::StatusOr<v1::Graph> ImportOnnx(absl::string_view bytes, const std::string& folder,
                                     const ImportOptions& options = {});
// The same; the bytes are given up as soon as they are parsed.
absl::StatusOr<v1::Graph> ImportOnnx(std::string&& bytes, const std::string& folder, const ImportOptions& options = {});

}  // namespace quantgate

#endif  // QUANTGATE_CLIENT_ONNX_ONNX_IMPORTER_H_
