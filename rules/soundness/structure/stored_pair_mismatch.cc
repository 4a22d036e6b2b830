#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/engine/render.h"
#include "rules/graph/quantizer.h"
#include "rules/soundness/rules.h"
#include "rules/soundness/stored_writer.h"

namespace quantgate {
namespace {

constexpr RuleInfo kStoredPairMismatch = {
    "GS014",
    "stored-pair-mismatch",
    v1::Finding::UNSOUND,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject}: {observed}; expected {allowed}",
    "Integer operators hand stored integers to each other and state scale and zero point on both sides. Where the two "
    "sides differ, every number changes on the way.",
    "Give the reader the scale and zero point of the operator that writes the tensor.",
    "QLinearConv that writes with scale 0.05 in front of QLinearAdd that reads with 0.2 fires it; 0.05 in both does "
    "not.",
};

const QuantParams* Written(const CheckContext& context, int32_t writer) {
  const ResolvedGraph& resolved = context.resolved();
  if (const Operand* quantizer = resolved.quantizer(writer)) return resolved.qparams(*quantizer);
  const int32_t op = resolved.op_of_node(writer);
  if (op < 0 || resolved.outputs(resolved.ops()[op]).empty()) return nullptr;
  const Operand& output = resolved.outputs(resolved.ops()[op])[0];
  return output.quantizer < 0 ? resolved.qparams(output) : nullptr;
}

// NaN and its like are scale-range's.
bool OneSoundScale(const QuantParams* params) {
  return params != nullptr && params->scales.size() == 1 && params->zero_points.size() <= 1 &&
         std::isfinite(params->scales[0]);
}

// Whether it is said that the reader has another scale or zero point than the writer.
bool Compare(const CheckContext& context, Place place, int32_t stored, int32_t writer, const QuantParams* reads,
             FindingSink& sink) {
  const Graph& graph = context.graph();
  if (writer == place.node) return false;
  // A Quantize right in front of its Dequantize is quantize-pair-mismatch's.
  if (IsQuantize(graph, writer) && IsDequantize(graph, place.node) && graph.producer(stored) == writer) return false;
  const QuantParams* writes = Written(context, writer);
  if (!OneSoundScale(writes)) return false;
  // Between two types the zero points say nothing; output-type-expected does.
  const v1::DataType type = WrittenType(graph, writer);
  const v1::DataType expected = ZeroPointTypeStated(graph, place.node, std::max(place.input, 0));
  const bool one_type = type == v1::DATA_TYPE_UNSPECIFIED || expected == v1::DATA_TYPE_UNSPECIFIED || type == expected;
  const bool scale = reads->scales[0] != writes->scales[0];
  if (!scale && (!one_type || reads->zero_point(0) == writes->zero_point(0))) return false;
  place.value = stored;
  const char* what = scale ? "scale " : "zero point ";
  sink.Add(kStoredPairMismatch, place,
           absl::StrCat("is read with ", what, FormatNumber(scale ? reads->scales[0] : reads->zero_point(0))),
           absl::StrCat(FormatNumber(scale ? writes->scales[0] : writes->zero_point(0)), " by which '",
                        NodeName(graph, writer), "' writes"));
  return true;
}

void CompareAll(const CheckContext& context, const Place& place, int32_t stored, const Operand& read,
                FindingSink& sink) {
  const QuantParams* reads = context.resolved().qparams(read);
  if (stored < 0 || !OneSoundScale(reads)) return;
  for (const int32_t writer : StoredWriters(context.graph(), stored)) {
    if (Compare(context, place, stored, writer, reads, sink)) return;
  }
}

void CheckStoredPairMismatch(const CheckContext& context, FindingSink& sink) {
  const Graph& graph = context.graph();
  if (graph.origin() != v1::Graph::ONNX) return;  // only there operators take scales as arguments
  const ResolvedGraph& resolved = context.resolved();
  for (int32_t node = 0; node < graph.num_nodes(); ++node) {
    Place place;
    place.node = node;
    if (IsDequantize(graph, node)) {
      CompareAll(context, place, QuantizerInputsOf(graph, node).data, *resolved.quantizer(node), sink);
      continue;
    }
    const Binding* binding = graph.binding(node);
    const int32_t op = resolved.op_of_node(node);
    if (binding == nullptr || !binding->integer_operator || op < 0) continue;
    for (const Operand& operand : resolved.inputs(resolved.ops()[op])) {
      if (!operand.present || operand.quantizer >= 0) continue;
      place.input = operand.argument;
      CompareAll(context, place, operand.edge_value, operand, sink);
    }
  }
}

}  // namespace

Rule StoredPairMismatch() { return {&kStoredPairMismatch, &CheckStoredPairMismatch}; }

}  // namespace quantgate
