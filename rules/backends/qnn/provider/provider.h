// What ONNX Runtime's QNN provider makes of ONNX nodes, where that is not what the vendor's converters make of them.
// Asked of onnxruntime-qnn 2.7.0, which writes down the graphs that it builds (dump_json_qnn_graph).
//
// The provider takes a node together with the Dequantize and Quantize nodes around it only for some operators. All
// others are computed in float: the Dequantize and Quantize nodes are QNN operators of their own.
#ifndef QUANTGATE_RULES_BACKENDS_QNN_PROVIDER_PROVIDER_H_
#define QUANTGATE_RULES_BACKENDS_QNN_PROVIDER_PROVIDER_H_

#include <optional>

#include "absl/strings/string_view.h"
#include "rules/backends/emission.h"
#include "rules/backends/lowering.h"
#include "rules/backends/node_view.h"
#include "rules/engine/context.h"

namespace quantgate::qnn {

// nullopt: as Lower() says. An operator without tensors is one that the tables have no rows for.
std::optional<Lowering> LowerForProvider(const CheckContext& context, const ResolvedOp& op, Emission& emission);

// An operator that the provider asks for, and that ONNX Runtime lays out channels last before the library sees it.
struct LaidOut {
  OpId id;
  // Other ranks the provider leaves to the CPU by itself.
  int lowest_rank;
  int highest_rank;
};
// Null: the operator is laid out as the file has it.
const LaidOut* LaidOutAnew(OpId id);

// Whether the types or scales of its operands keep the provider from taking the node together with the Dequantize and
// Quantize nodes around it: it is computed in float between them.
bool IsApart(const NodeView& view);
// Why, as a finding says it: what is so, and what the provider needs.
struct Apart {
  absl::string_view reason;
  absl::string_view needed;
};
// Of an operator that it never takes so.
inline constexpr Apart kNoUnit = {"the provider takes it with no Quantize nodes around it", "another operator"};
// What keeps the provider from it; null: nothing of that kind.
const Apart* WhyApart(const NodeView& view);

// Whether it computes in float, and the provider leaves the Dequantize of a constant in front of it to the CPU.
bool ReadsLeftConstant(const NodeView& view);

// Whether the weight has 16 bits and many scales, and the provider asks for a Convert that takes one.
bool HasConvertedChannels(const NodeView& view);

// Whether what becomes of the node depends on the nodes around it, and not on its operands and attributes alone.
bool DependsOnNeighbors(const CheckContext& context, const ResolvedOp& op);

}  // namespace quantgate::qnn

#endif  // QUANTGATE_RULES_BACKENDS_QNN_PROVIDER_PROVIDER_H_
