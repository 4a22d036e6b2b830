#include <algorithm>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/graph/data_type.h"
#include "rules/graph/observers.h"
#include "rules/graph/quantizer.h"
#include "rules/graph/written_buffer.h"
#include "rules/soundness/annotated.h"
#include "rules/soundness/encodings.h"
#include "rules/soundness/rules.h"
#include "rules/soundness/tflite.h"
#include "rules/soundness/unobserved.h"

namespace quantgate {
namespace {

constexpr RuleInfo kMissingQParams = {
    "FI009",
    "qparams-missing",
    v1::Finding::UNSOUND,
    v1::Finding::ERROR,
    kFromCalibrated,
    "{subject}: {observed}; expected {allowed}",
    "A quantized tensor without a scale is just integers; each tool makes up another meaning.",
    "State a scale and a zero point for the tensor.",
    "A CONVERTED graph with a static int8 spec and no scales fires it; the same spec with is_dynamic does not, nor "
    "does one of a prepared graph on a tensor without elements.",
};

// Whether the node has the data that a scale of this role would describe.
bool HasData(const Graph& graph, int32_t node, const Argument& scale, absl::Span<const bool> given) {
  // QGemm without a scale of its output gives floats.
  if (scale.of_output) return graph.num_outputs(node) > 0 && !IsFloat(graph.dtype(graph.output(node, 0)));
  const absl::Span<const Argument> arguments = graph.binding(node)->arguments;
  for (size_t i = 0; i < std::min(arguments.size(), given.size()); ++i) {
    if (arguments[i].role == ArgRole::kData && arguments[i].port == scale.port && given[i]) return true;
  }
  return false;
}

// Q/DQ and integer operators whose scale is left out: ONNX has them as required arguments.
void CheckArguments(const Graph& graph, int32_t node, FindingSink& sink) {
  const Binding* binding = graph.binding(node);
  absl::InlinedVector<bool, 16> given(binding->arguments.size(), false);
  for (int i = 0; i < graph.num_inputs(node); ++i) {
    const size_t argument = graph.argument(node, i);
    if (graph.input(node, i) >= 0 && argument < given.size()) given[argument] = true;
  }
  for (size_t i = 0; i < given.size(); ++i) {
    const Argument& argument = binding->arguments[i];
    if (argument.role != ArgRole::kScale || argument.variadic || given[i]) continue;
    if (!HasData(graph, node, argument, given) || graph.attribute(node, "scale") != nullptr) continue;
    Place place;
    place.node = node;
    place.input = static_cast<int32_t>(i);
    if ((IsQuantize(graph, node) || IsDequantize(graph, node)) && graph.num_inputs(node) > 0) {
      place.value = graph.input(node, 0);
    } else if (argument.of_output) {
      place.value = graph.output(node, 0);
    }
    sink.Add(kMissingQParams, place, "argument left out", "a scale");
  }
}

// What computes on real numbers, so that integers in it mean nothing without a scale. Others move, count or combine
// bits.
bool ComputesOnReals(const Operator& op) {
  if ((op.traits & (kAccumulates | kFixedRange)) != 0) return true;
  switch (op.id) {
    case OpId::kAveragePool:
    case OpId::kReduceMean:
    case OpId::kLeakyRelu:
    case OpId::kPRelu:
    case OpId::kElu:
    case OpId::kGelu:
    case OpId::kHardSwish:
    case OpId::kExp:
    case OpId::kLog:
    case OpId::kRsqrt:
    case OpId::kSqrt:
    case OpId::kResizeBilinear:
    case OpId::kLpNorm:
    case OpId::kLogSoftmax:
      return true;
    default:
      return false;
  }
}

// What turns integers into real numbers, or real numbers into integers. A cast does neither: it keeps the number.
bool IsBetweenIntegersAndReals(const CheckContext& context, const ResolvedOp& op) {
  const Graph& graph = context.graph();
  if (op.op->id == OpId::kCast) return graph.op_type(op.node) == "QUANTIZE" || graph.op_type(op.node) == "DEQUANTIZE";
  // Rows of a table of integers that come out as they are need no scale.
  const auto is_float = [](const Operand& operand) { return operand.present && IsFloat(operand.type); };
  return op.op->id == OpId::kEmbedding && absl::c_any_of(context.resolved().outputs(op), is_float);
}

bool IsData(const absl::Span<const Port> ports, const Operand& operand) {
  if (!operand.present || ports.empty()) return false;
  const PortRole role = ports[std::min<size_t>(operand.port, ports.size() - 1)].role;
  return role == PortRole::kActivation || role == PortRole::kWeight;
}

// LiteRT: a tensor of integers without a scale, at an operator that computes on real numbers or beside one with a
// scale.
void CheckUnscaled(const CheckContext& context, FindingSink& sink) {
  const ResolvedGraph& resolved = context.resolved();
  std::vector<bool> said(context.graph().num_values(), false);
  for (const ResolvedOp& op : resolved.ops()) {
    if (op.op == nullptr || op.op->id == OpId::kOpaque || (op.op->traits & kControlFlow) != 0) continue;
    bool scaled = ComputesOnReals(*op.op) || IsBetweenIntegersAndReals(context, op);
    const auto look = [&](absl::Span<const Port> ports, const Operand& operand) {
      scaled = scaled || (IsData(ports, operand) && operand.quantized && IsStoredType(operand.type));
    };
    // A cast is what gives integers a scale, or takes it from them.
    if (op.op->id != OpId::kCast) {
      for (const Operand& operand : resolved.inputs(op)) look(op.op->inputs, operand);
      for (const Operand& operand : resolved.outputs(op)) look(op.op->outputs, operand);
    }
    if (!scaled) continue;
    const auto check = [&](absl::Span<const Port> ports, const Operand& operand, bool output) {
      if (!IsData(ports, operand) || operand.quantized || !IsStoredType(operand.type) || said[operand.edge_value])
        return;
      said[operand.edge_value] = true;
      Place place;
      place.node = op.node;
      (output ? place.output : place.input) = operand.argument;
      place.value = operand.value;
      sink.Add(kMissingQParams, place, absl::StrCat(DataTypeName(operand.type), " without scale"), "a scale");
    };
    for (const Operand& operand : resolved.inputs(op)) check(op.op->inputs, operand, false);
    for (const Operand& operand : resolved.outputs(op)) check(op.op->outputs, operand, true);
  }
}

// What unobserved-output is about.
bool IsNeverObserved(const Graph& graph, int32_t node, const Operand& operand, bool output) {
  if (!output) return IsWrittenBuffer(graph, node, operand.argument);
  return IsTuple(graph, operand.value) || IsOfOutputNode(graph, operand.value);
}

// Its observer has seen nothing, and convert_pt2e takes a scale of 1, which is as good as any.
bool HasNoElements(const Graph& graph, int32_t value) {
  return value >= 0 && graph.has_known_shape(value) && absl::c_linear_search(graph.value(value).dims(), 0);
}

void CheckMissingQParams(const CheckContext& context, FindingSink& sink) {
  const Graph& graph = context.graph();
  if (IsTflite(context)) CheckUnscaled(context, sink);
  for (int32_t node : graph.quantizers()) CheckArguments(graph, node, sink);
  for (int32_t node : graph.integer_nodes()) CheckArguments(graph, node, sink);
  const ResolvedGraph& resolved = context.resolved();
  for (const ResolvedOp& op : resolved.ops()) {
    const auto check = [&](const Operand& operand, bool output) {
      // Scales that Q/DQ and integer operators take as arguments: CheckArguments.
      if (!operand.present || !operand.quantized || operand.spec < 0 || operand.is_dynamic == Tri::kYes) return;
      const QuantParams* params = resolved.qparams(operand);
      if (params != nullptr && !params->scales.empty()) return;
      const v1::Spec& spec = graph.message().specs(operand.spec);
      // A narrower float is a cast.
      if (IsFloat(spec.dtype())) return;
      // A derived spec is computed from others when the graph is converted.
      if (spec.kind() == v1::Spec::DERIVED && context.stage() != v1::STAGE_CONVERTED) return;
      if (IsAnnotation(context) && IsNeverObserved(graph, op.node, operand, output)) return;
      if (IsAnnotation(context) && HasNoElements(graph, operand.value)) return;
      if (context.stage() == v1::STAGE_CALIBRATED && ComputesWhenConverted(graph.symbol(spec.observer()))) {
        return sink.NotChecked(&kMissingQParams, op.node,
                               "its observer computes the scales when the graph is converted");
      }
      if (EncodingsOf(context) != nullptr && EncodingsOf(context)->partial()) {
        return sink.NotChecked(&kMissingQParams, op.node,
                               "the overrides state a width alone: the converter finds the scale by calibration");
      }
      if (graph.origin() == v1::Graph::QNN && spec.qscheme() != v1::Spec::Q_SCHEME_UNSPECIFIED) {
        // Its importer gives the scheme alone.
        return sink.NotChecked(&kMissingQParams, op.node,
                               spec.qscheme() == v1::Spec::PER_BLOCK_SYMMETRIC
                                   ? "how a net.json writes scales of blocks is not documented"
                                   : "the net.json states an encoding other than scale_offset without its numbers");
      }
      Place place;
      place.node = op.node;
      (output ? place.output : place.input) = operand.argument;
      place.value = operand.value;
      sink.Add(kMissingQParams, place, absl::StrCat(DataTypeName(operand.type), " without scale"), "a scale");
    };
    for (const Operand& operand : resolved.inputs(op)) check(operand, false);
    for (const Operand& operand : resolved.outputs(op)) check(operand, true);
  }
}

}  // namespace

Rule MissingQParams() { return {&kMissingQParams, &CheckMissingQParams}; }

}  // namespace quantgate
