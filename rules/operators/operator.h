// Canonical operators with named ports, and how the operators of each origin (ONNX, ATen, QNN, …) bind to them.
//
// An argument is what the origin's operator takes, by position. A port is what the canonical operator has. Several
// arguments can belong to one port: QLinearConv's x, x_scale and x_zero_point are data, scale and zero point of
// `input`. QuantizeLinear's scale and zero point are those of its output, DequantizeLinear's those of its input.
//
// Positions are the origin's: ONNX input index, QNN in[i], position in an ATen operator's schema (where numbers count
// too, and all members of a tensor list share the position of the list, so that a port can have several operands).
#ifndef QUANTGATE_RULES_OPERATORS_OPERATOR_H_
#define QUANTGATE_RULES_OPERATORS_OPERATOR_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "quantgate/v1/graph.pb.h"
#include "rules/operators/op_id.h"

namespace quantgate {

enum class PortRole : uint8_t {
  kActivation,  // data that flows; both operands of a matmul
  kWeight,      // filter, matrix of a linear or gemm, embedding table, gamma: usually constant
  kBias,
  kIndex,      // integer indices, never quantized
  kCondition,  // boolean
  kParameter,  // shapes, axes, scalars given as tensors
};

struct Port {
  const char* name;  // "input", "weight", "bias"
  PortRole role = PortRole::kActivation;
  bool optional = false;  // absent in some nodes, or in all of an origin that has it as a parameter
  bool variadic = false;  // takes every further argument; last port only
};

enum Trait : uint32_t {
  kNoTraits = 0,
  kMovesData = 1u << 0,    // output elements are input elements: reshape, transpose, slice, concat, gather, …
  kElementwise = 1u << 1,  // one output element per (broadcast) input element
  kAccumulates = 1u << 2,  // sums of products: conv, linear, matmul
  kControlFlow = 1u << 3,  // has subgraphs
  kFixedRange = 1u << 4,   // output is bounded on both sides, whatever the input: sigmoid, softmax, tanh
  kSelects = 1u << 5,      // output elements are some of the input elements: max pool, top-k, min, max, relu, clamp
  kNoData = 1u << 6,       // shape, size, constant: output does not depend on the input's values
};

struct Operator {
  OpId id;
  const char* name;  // "conv"
  absl::Span<const Port> inputs;
  absl::Span<const Port> outputs;
  uint32_t traits = kNoTraits;
};

enum class ArgRole : uint8_t { kData, kScale, kZeroPoint, kOther };

struct Argument {
  ArgRole role = ArgRole::kData;
  uint8_t port = 0;        // index into Operator::inputs, or outputs when `of_output`
  bool of_output = false;  // QLinear*: y_scale and y_zero_point describe the output
  bool variadic = false;   // this and every further argument (cycling through a group is `group`)
  uint8_t group = 1;       // variadic groups: QLinearConcat repeats (x, x_scale, x_zero_point): 3
};

struct Binding {
  const Operator* op;
  absl::Span<const Argument> arguments;
  // Quantized data is inside the operator (QLinearConv, MatMulNBits), not in Q/DQ around it.
  bool integer_operator = false;
};

// The canonical operator of an origin's operator, or null when no table has it. `op_type` is as in Node.op: ONNX
// "Conv" or "com.microsoft::QGemm", ATen "aten.conv2d.default", QNN "Conv2d". Constant time, no allocation.
const Binding* FindBinding(v1::Graph::Origin origin, absl::string_view op_type);

// Row kUnknown for an id that is none.
const Operator& GetOperator(OpId id);
// All but kUnknown, in the order of their ids.
absl::Span<const Operator> AllOperators();

// ArgumentAt beyond the arguments that are listed.
Argument FurtherArgument(const Binding& binding, int index);

// The argument of `binding` at position `index`, variadic ones expanded. role kOther and port 0 beyond the last.
inline Argument ArgumentAt(const Binding& binding, int index) {
  return static_cast<size_t>(index) < binding.arguments.size() ? binding.arguments[index]
                                                               : FurtherArgument(binding, index);
}

}  // namespace quantgate

#endif  // QUANTGATE_RULES_OPERATORS_OPERATOR_H_
