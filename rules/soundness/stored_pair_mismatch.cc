#include <cmath>

#include "absl/strings/str_cat.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/engine/render.h"
#include "rules/graph/quantizer.h"
#include "rules/soundness/rules.h"

namespace quantgate {
namespace {

constexpr RuleInfo kInfo = {
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

// Operators between writer and reader that leave stored integers as they are.
constexpr int kMaxHops = 16;

bool PassesOn(const Graph& graph, int32_t node) {
  const Binding* binding = graph.binding(node);
  if (binding == nullptr || binding->integer_operator || graph.num_inputs(node) == 0) return false;
  switch (binding->op->id) {
    case OpId::kIdentity:
    case OpId::kReshape:
    case OpId::kFlatten:
    case OpId::kSqueeze:
    case OpId::kUnsqueeze:
    case OpId::kTranspose:
    case OpId::kSplit:
    case OpId::kSlice:
    case OpId::kGather:
    case OpId::kExpand:
    case OpId::kTile:
    case OpId::kDepthToSpace:
    case OpId::kSpaceToDepth:
    case OpId::kMaxPool:
      return true;
    default:
      return false;
  }
}

// Node that gave the stored numbers their meaning; -1: none that says so.
int32_t WriterOf(const Graph& graph, int32_t value) {
  for (int hops = 0; hops < kMaxHops && value >= 0; ++hops) {
    const int32_t producer = graph.producer(value);
    if (producer < 0) return -1;
    const Binding* binding = graph.binding(producer);
    if (binding != nullptr && (binding->integer_operator || binding->op->id == OpId::kQuantize)) return producer;
    if (!PassesOn(graph, producer)) return -1;
    value = graph.input(producer, 0);
  }
  return -1;
}

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

void Compare(const CheckContext& context, Place place, int32_t stored, const QuantParams* reads, FindingSink& sink) {
  const Graph& graph = context.graph();
  if (stored < 0 || !OneSoundScale(reads)) return;
  const int32_t writer = WriterOf(graph, stored);
  if (writer < 0 || writer == place.node) return;
  // A Quantize right in front of its Dequantize is quantize-pair-mismatch's.
  if (IsQuantize(graph, writer) && IsDequantize(graph, place.node) && graph.producer(stored) == writer) return;
  const QuantParams* writes = Written(context, writer);
  if (!OneSoundScale(writes)) return;
  const bool scale = reads->scales[0] != writes->scales[0];
  if (!scale && reads->zero_point(0) == writes->zero_point(0)) return;
  place.value = stored;
  const char* what = scale ? "scale " : "zero point ";
  sink.Add(kInfo, place,
           absl::StrCat("is read with ", what, FormatNumber(scale ? reads->scales[0] : reads->zero_point(0))),
           absl::StrCat(FormatNumber(scale ? writes->scales[0] : writes->zero_point(0)), " by which '",
                        NodeName(graph, writer), "' writes"));
}

void Check(const CheckContext& context, FindingSink& sink) {
  const Graph& graph = context.graph();
  if (graph.origin() != v1::Graph::ONNX) return;  // only there operators take scales as arguments
  const ResolvedGraph& resolved = context.resolved();
  for (int32_t node = 0; node < graph.num_nodes(); ++node) {
    Place place;
    place.node = node;
    if (IsDequantize(graph, node)) {
      Compare(context, place, QuantizerInputsOf(graph, node).data, resolved.qparams(*resolved.quantizer(node)), sink);
      continue;
    }
    const Binding* binding = graph.binding(node);
    const int32_t op = resolved.op_of_node(node);
    if (binding == nullptr || !binding->integer_operator || op < 0) continue;
    for (const Operand& operand : resolved.inputs(resolved.ops()[op])) {
      if (!operand.present || operand.quantizer >= 0) continue;
      place.input = operand.argument;
      Compare(context, place, operand.edge_value, resolved.qparams(operand), sink);
    }
  }
}

}  // namespace

Rule StoredPairMismatch() { return {&kInfo, &Check}; }

}  // namespace quantgate
