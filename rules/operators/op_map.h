// How the op maps are written down. Internal to rules/operators.
#ifndef QUANTGATE_RULES_OPERATORS_OP_MAP_H_
#define QUANTGATE_RULES_OPERATORS_OP_MAP_H_

#include <cstdint>
#include <initializer_list>

#include "absl/types/span.h"
#include "rules/operators/operator.h"

namespace quantgate {

enum class Style : uint8_t {
  kFloat,    // computes on real numbers; quantization, if any, is around it
  kInteger,  // Binding::integer_operator
};

// Empty: one data argument per input port, in order.
using OperatorArguments = std::initializer_list<Argument>;

struct OpRow {
  const char* name;  // as in Node.op
  OpId op;
  OperatorArguments arguments = {};
  Style style = Style::kFloat;
};

// ATen: every packet with every overload.
struct OverloadRow {
  const char* packets;    // "aten.add aten.add_"
  const char* overloads;  // "Tensor Scalar"
  OpId op;
  OperatorArguments arguments = {};
};

constexpr Argument Data(uint8_t port) { return {ArgRole::kData, port}; }
constexpr Argument Scale(uint8_t port) { return {ArgRole::kScale, port}; }
constexpr Argument Zero(uint8_t port) { return {ArgRole::kZeroPoint, port}; }
constexpr Argument OutScale() { return {ArgRole::kScale, 0, true}; }
constexpr Argument OutZero() { return {ArgRole::kZeroPoint, 0, true}; }
// Not a tensor, or one that says nothing about quantization of a port.
constexpr Argument Other() { return {ArgRole::kOther}; }
// The rest of the arguments, in groups of `group` of which this is one.
constexpr Argument Rest(Argument argument, uint8_t group = 1) {
  argument.variadic = true;
  argument.group = group;
  return argument;
}

absl::Span<const OpRow> OnnxOps();         // default domain and ai.onnx.*
absl::Span<const OpRow> OnnxContribOps();  // com.microsoft and other domains of ONNX Runtime
absl::Span<const OpRow> TorchOps();        // torch.fx targets other than ATen's
absl::Span<const OverloadRow> AtenOps();
absl::Span<const OpRow> QnnOps();
absl::Span<const OpRow> TfliteOps();

}  // namespace quantgate

#endif  // QUANTGATE_RULES_OPERATORS_OP_MAP_H_
