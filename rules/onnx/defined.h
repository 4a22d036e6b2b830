// The nodes of an ONNX graph with the definitions of their operators, as of the operator sets that the model imports.
#ifndef QUANTGATE_RULES_ONNX_DEFINED_H_
#define QUANTGATE_RULES_ONNX_DEFINED_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "rules/engine/context.h"
#include "rules/operators/definition.h"

namespace quantgate {

// Version of the default operator set that the model imports; 0: none, or one that nobody knows (model-version).
int64_t OnnxOpset(const v1::Graph& model);

// The type that a letter of Parameter.type stands for by itself; unspecified for those that tie parameters together.
v1::DataType FixedType(char letter);

struct DefinedOp {
  absl::Span<const Definition> rows;    // empty: not known for certain
  const Definition* current = nullptr;  // null: not known, or not in the imported operator set
  int64_t version = 0;                  // imported; 0: as OnnxOpset
};

// By Node.op, so that each operator is looked up once. Empty for graphs that are not ONNX.
std::vector<DefinedOp> DefinedOps(const CheckContext& context);

}  // namespace quantgate

#endif  // QUANTGATE_RULES_ONNX_DEFINED_H_
