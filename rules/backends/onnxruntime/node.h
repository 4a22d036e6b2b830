// A node as ONNX Runtime's CPU provider sees it: the operator as it is written, with the element types of its tensors.
// Quantize and Dequantize nodes are operators like any other, and integers with qparams are plain integers.
#ifndef QUANTGATE_RULES_BACKENDS_ONNXRUNTIME_NODE_H_
#define QUANTGATE_RULES_BACKENDS_ONNXRUNTIME_NODE_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "rules/backends/emission.h"
#include "rules/backends/onnxruntime/kernel_call.h"
#include "rules/graph/graph.h"

namespace quantgate::onnxruntime {

// "com.microsoft" of "com.microsoft::QGemm"; "" of the default domain.
absl::string_view DomainOf(absl::string_view op_type);

// The table's name of an operator: "com.microsoft.QGemm".
std::string TableName(absl::string_view op_type);

// Begins an operator with the call's tensors. `name` must outlive the emission.
void Emit(const Graph& graph, const KernelCall& call, absl::string_view name, Emission& emission);

// Version of the operator set of `domain` that the model imports, or that the runtime adds; 0: none that is known.
int OperatorSet(const v1::Graph& model, absl::string_view domain);

}  // namespace quantgate::onnxruntime

#endif  // QUANTGATE_RULES_BACKENDS_ONNXRUNTIME_NODE_H_
