#include "rules/backends/x86_inductor/lowering.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "rules/backends/node_view.h"
#include "rules/backends/pattern.h"
#include "rules/backends/tensor.h"
#include "rules/graph/port_role.h"
#include "rules/graph/quantizer.h"

namespace quantgate::x86_inductor {
namespace {

constexpr absl::string_view kInFloat =
    "TorchInductor has no kernel for quantized data in its place and computes it in float";

bool Has(absl::Span<const OpId> list, OpId id) { return std::find(list.begin(), list.end(), id) != list.end(); }

bool Quantized(const Operand* operand) { return operand != nullptr && operand->present && operand->quantized; }

Operand Read(const NodeView& view, int port) {
  const Operand* input = view.input(port);
  return input == nullptr ? Operand() : AsRead(view.context(), *input);
}

// What is computed inside a layer's kernel, behind it.
constexpr OpId kBehindConv[] = {OpId::kRelu, OpId::kRelu6, OpId::kClamp, OpId::kHardSwish, OpId::kSilu};
constexpr OpId kBehindLinear[] = {OpId::kRelu, OpId::kGelu};

// The output of a layer, or of the activation that its kernel computes as well.
Operand Written(const NodeView& view) {
  const Graph& graph = view.graph();
  const Operand* output = view.output(0);
  if (output == nullptr || output->quantized || output->value < 0) return output == nullptr ? Operand() : *output;
  const Use* use = graph.only_use(output->value);
  const absl::Span<const OpId> behind =
      view.op().op->id == OpId::kLinear ? absl::MakeConstSpan(kBehindLinear) : absl::MakeConstSpan(kBehindConv);
  if (use != nullptr && Has(behind, graph.op(use->node))) {
    const int32_t index = view.context().resolved().op_of_node(use->node);
    const absl::Span<const Operand> outputs =
        index < 0 ? absl::Span<const Operand>()
                  : view.context().resolved().outputs(view.context().resolved().ops()[index]);
    // The place is the layer's: what is behind has its own.
    if (outputs.size() == 1) {
      Operand written = AsWritten(view.context(), outputs[0]);
      written.value = output->value;
      return written;
    }
  }
  return AsWritten(view.context(), *output);
}

// How many readers have each value quantized.
std::vector<int32_t> QuantizedReaders(const CheckContext& context) {
  const Graph& graph = context.graph();
  std::vector<int32_t> readers(graph.num_values(), 0);
  for (int32_t node = 0; node < graph.num_nodes(); ++node) {
    for (int i = 0; i < graph.num_inputs(node); ++i) {
      if (graph.input(node, i) >= 0 && graph.is_observed(graph.edge_spec(node, i))) ++readers[graph.input(node, i)];
    }
  }
  return readers;
}

constexpr size_t kMostEqual = 16;  // readers of one weight that are compared
constexpr int kMostCompared = 64;  // nodes in front of one reader, where graphs are made to be slow

// Of an annotation: equal specs of one value have one observer.
bool AreReadAlike(const Graph& graph, int32_t spec, int32_t other) {
  return spec == other || (spec >= 0 && other >= 0 && graph.spec_like(spec) == graph.spec_like(other));
}

// Nodes that say the same, of inputs that are the same: TorchInductor makes one of them.
bool AreEqual(const Graph& graph, int32_t node, int32_t other, int& budget) {
  if (node == other) return true;
  const bool alike = node >= 0 && other >= 0 && graph.node_like(node) == graph.node_like(other) &&
                     graph.num_inputs(node) == graph.num_inputs(other);
  if (--budget < 0 || !alike || graph.num_outputs(node) != 1) return false;
  for (int i = 0; i < graph.num_inputs(node); ++i) {
    const int32_t input = graph.input(node, i), others = graph.input(other, i);
    if (!AreReadAlike(graph, graph.edge_spec(node, i), graph.edge_spec(other, i))) return false;
    if (input == others) continue;
    if (input < 0 || others < 0 || graph.producer(input) < 0) return false;
    if (!AreEqual(graph, graph.producer(input), graph.producer(others), budget)) return false;
  }
  return true;
}

// Whether all that reads the value, behind one Dequantize or not, is equal to the node.
bool IsReadByEqual(const Graph& graph, int32_t value, int32_t node, bool stored = true) {
  const absl::Span<const Use> uses = graph.uses(value);
  if (uses.size() > kMostEqual) return false;
  return std::all_of(uses.begin(), uses.end(), [&](const Use& use) {
    if (stored && IsDequantize(graph, use.node)) {
      const int32_t output = graph.num_outputs(use.node) == 1 ? graph.output(use.node, 0) : -1;
      return output >= 0 && IsReadByEqual(graph, output, node, /*stored=*/false);
    }
    int budget = kMostCompared;
    return AreEqual(graph, use.node, node, budget);
  });
}

// TorchInductor makes one of equal Dequantize nodes, and its patterns want a weight's for themselves. Of an annotation:
// whoever reads the weight in float reads another constant, once it is converted.
bool IsWeightShared(const NodeView& view, const Operand& stored) {
  const Operand* weight = view.input(1);
  const Graph& graph = view.graph();
  const auto shared = [&](int32_t value) {
    if (value < 0) return false;
    const bool by_edge = IsAnnotation(view.context()) && !graph.is_observed(graph.value_spec(value));
    const bool several = by_edge ? view.context().Once(QuantizedReaders)[value] > 1 : graph.uses(value).size() > 1;
    return several && !IsReadByEqual(graph, value, view.node());
  };
  return shared(weight->edge_value) || shared(stored.value);
}

// The operator that dequantizes what is read at the port; empty: there is none (yet).
absl::string_view DequantizerAt(const NodeView& view, int port) {
  const Operand* input = view.input(port);
  const Graph& graph = view.graph();
  const int32_t producer = input == nullptr || input->edge_value < 0 ? -1 : graph.producer(input->edge_value);
  return producer < 0 || graph.op(producer) != OpId::kDequantize ? absl::string_view() : graph.op_type(producer);
}

// Whether there is none, or it is of the kind.
bool IsDequantizedBy(const NodeView& view, int port, absl::string_view kind) {
  const absl::string_view dequantizer = DequantizerAt(view, port);
  return dequantizer.empty() || absl::StartsWith(dequantizer, kind);
}

// One row times a weight of one column, or with a bias a small one, is summed up without a product of matrices.
bool IsSummedUp(const NodeView& view, const Operand& data, const Operand& weight) {
  constexpr int64_t kSmall = 16;
  const int rank = view.rank(&data);
  const Operand* bias = view.input(2);
  const bool has_bias = bias != nullptr && bias->present;
  if (rank < 0) return false;
  for (int axis = 0; axis + 1 < rank; ++axis) {
    if (view.dim(&data, axis) != 1) return false;
  }
  const int64_t columns = view.dim(&weight, 0), depth = view.dim(&weight, 1);
  return columns == 1 || (has_bias && columns >= 0 && columns <= kSmall && depth >= 0 && depth <= kSmall);
}

Lowering LowerLayer(const NodeView& view, absl::string_view name, Emission& emission) {
  const Operand data = Read(view, 0), weight = Read(view, 1);
  if (!Quantized(&data) && !Quantized(&weight)) return Folded();
  if (!IsDequantizedBy(view, 0, "quantized_decomposed.dequantize_per_tensor") ||
      !IsDequantizedBy(view, 1, "quantized_decomposed.dequantize_per_")) {
    return NoCounterpart("TorchInductor's patterns take no Dequantize of this kind, and it runs in float");
  }
  if (Quantized(&weight) && IsWeightShared(view, weight)) {
    return NoCounterpart(
        "its weight has other readers, which TorchInductor's patterns do not take, and it runs in float");
  }
  const bool is_linear = view.op().op->id == OpId::kLinear;
  if (!is_linear && view.rank(&data) < 0) {
    return Unknown("with a batch it is another layer than without, and its rank is not known");
  }
  if (IsUnbatchedConvolution(view)) {
    return NoCounterpart("an input without a batch gets one behind its Dequantize, and the convolution runs in float");
  }
  if (is_linear && IsSummedUp(view, data, weight)) {
    return NoCounterpart("TorchInductor writes so small a product of one row as a sum, in float");
  }
  const Operand* bias = view.input(2);
  if (is_linear && view.rank(&data) == 1 && (bias == nullptr || !bias->present)) {
    return NoCounterpart("a vector gets another dimension behind its Dequantize, and the layer runs in float");
  }
  emission.Begin(name, view.node());
  AddInput(view, &data, emission);
  BackendTensor& filter = emission.AddInput();
  FillTensor(view, &weight, Layout::kSame, -1, emission, filter);
  // One scale is per channel too where it is written so: whatever the axis, it is the same for all.
  if (filter.encoding == Encoding::kPerTensor && absl::StrContains(DequantizerAt(view, 1), "per_channel")) {
    filter.encoding = Encoding::kPerChannel;
    filter.axis = 0;
  }
  AddInput(view, bias, emission);
  const Operand written = Written(view);
  AddOutput(view, &written, emission);
  if (!is_linear) {
    const v1::Attribute* transposed = view.attribute({"transposed"});
    emission.AddInt("transposed", view.op().op->id == OpId::kConvTranspose ||
                                      (transposed != nullptr && (transposed->b() || transposed->i() != 0)));
  }
  return Emitted();
}

// Between Dequantize and Quantize operands are resolved so. Those of an annotation are what convert_pt2e makes of them.
Operand InFront(const NodeView& view, const Operand& input) {
  return IsAnnotation(view.context()) ? AsRead(view.context(), input) : input;
}

Operand Behind(const NodeView& view) {
  const Operand* output = view.output(0);
  if (output == nullptr) return Operand();
  return IsAnnotation(view.context()) && view.outputs().size() == 1 ? AsWritten(view.context(), *output) : *output;
}

// Others are only matched between Dequantize and Quantize, whose parameters are known when the graph is compiled.
Lowering LowerBetween(const NodeView& view, absl::string_view name, Emission& emission) {
  const auto at_run_time = [](const Operand& operand) { return operand.is_dynamic == Tri::kYes; };
  if (std::any_of(view.inputs().begin(), view.inputs().end(), at_run_time) ||
      std::any_of(view.outputs().begin(), view.outputs().end(), at_run_time)) {
    return NoCounterpart(kInFloat);
  }
  emission.Begin(name, view.node());
  for (const Operand& input : view.inputs()) {
    if (RoleOf(view.op(), input) == PortRole::kParameter) continue;
    const Operand read = InFront(view, input);
    AddInput(view, &read, emission);
  }
  const Operand written = Behind(view);
  AddOutput(view, &written, emission);
  return Emitted();
}

Lowering LowerConcat(const NodeView& view, Emission& emission) {
  if (view.integer({"dim"}).value_or(0) == 0) {
    return NoCounterpart("TorchInductor's pattern of a concatenation does not take its default dimension, 0");
  }
  const absl::Span<const Operand> inputs = view.inputs();
  if (std::all_of(inputs.begin(), inputs.end(), [&](const Operand& input) { return input.value == inputs[0].value; })) {
    return NoCounterpart("TorchInductor repeats one tensor instead of concatenating it, in float");
  }
  return LowerBetween(view, "QCat", emission);
}

// Windows of more elements are pooled by another operator, whose pattern has a stride.
constexpr int64_t kLargestWindow = 25;

Lowering LowerMaxPool(const NodeView& view, Emission& emission) {
  // One dimension gets another one behind the Dequantize.
  if (absl::StrContains(view.op_type(), "max_pool1d")) return NoCounterpart(kInFloat);
  const std::optional<IntVector> window = view.integers({"kernel_size"}), stride = view.integers({"stride"});
  if (window && !window->empty() && (!stride || stride->empty())) {
    const int64_t width = window->back(), height = window->front();
    if (width * height > kLargestWindow) {
      return NoCounterpart("TorchInductor's pattern of a large max pooling has a stride, and this one states none");
    }
  }
  return LowerBetween(view, "QMaxPool2d", emission);
}

// A Quantize behind a view moves in front of it, where nothing else reads what is viewed: the view is one of integers.
bool IsViewOfIntegers(const NodeView& view) {
  const OpId id = view.op().op->id;
  const Operand* input = view.input(0);
  return (id == OpId::kReshape || id == OpId::kTranspose) && !absl::StartsWith(view.op_type(), "aten.t.") &&
         input->edge_value >= 0 && view.graph().only_use(input->edge_value) != nullptr;
}

// Products of matrices, by what they read: their output need not be quantized for integers to be meant.
bool IsProductOfQuantized(const NodeView& view) {
  const OpId id = view.op().op->id;
  if (id != OpId::kMatMul && id != OpId::kGemm) return false;
  const Operand a = Read(view, 0), b = Read(view, 1);
  return Quantized(&a) && Quantized(&b);
}

bool IsBetween(const NodeView& view) {
  const Operand written = Behind(view);
  const Operand* first = view.input(0);
  const absl::Span<const Operand> inputs = view.inputs();
  return Quantized(&written) && first != nullptr && InFront(view, *first).quantized &&
         std::all_of(inputs.begin(), inputs.end(), [&](const Operand& input) {
           return !input.present || input.is_static || RoleOf(view.op(), input) == PortRole::kParameter ||
                  InFront(view, input).quantized;
         });
}

// As the patterns compare what goes in and out: by number, whatever the types are.
bool SameNumbers(const BackendTensor& a, const BackendTensor& b) {
  const auto known = [](const BackendTensor& t) { return t.qparams != nullptr && t.qparams->scales.size() == 1; };
  return known(a) && known(b) && a.qparams->scales[0] == b.qparams->scales[0] &&
         a.qparams->zero_point(0) == b.qparams->zero_point(0);
}

}  // namespace

Lowering Lower(const CheckContext& context, const ResolvedOp& op, Emission& emission) {
  if (context.graph().origin() != v1::Graph::PT2E) {
    return Unknown("this origin's operators are not translated to TorchInductor yet");
  }
  if (op.op == nullptr) return Unknown("the operator is not known");
  const NodeView view(context, op, emission.looked_at_constants());
  switch (op.op->id) {
    case OpId::kConv:
    case OpId::kConvTranspose:
      return LowerLayer(view, "QConv", emission);
    case OpId::kLinear:
      return LowerLayer(view, "QLinear", emission);
    // Requantization is what a Dequantize and a Quantize are without anything between them.
    case OpId::kQuantize:
    case OpId::kDequantize:
    case OpId::kRequantize:
      return Folded();
    default:
      break;
  }
  if (IsProductOfQuantized(view)) return NoCounterpart(kInFloat);
  if (!IsBetween(view)) return Folded();
  if (IsViewOfIntegers(view)) return Folded();
  switch (op.op->id) {
    case OpId::kMaxPool:
      return LowerMaxPool(view, emission);
    case OpId::kConcat:
      return LowerConcat(view, emission);
    case OpId::kReshape:
    case OpId::kFlatten:
      return LowerBetween(view, "QReshape", emission);
    case OpId::kIdentity:
      return Folded();
    default:
      return NoCounterpart(kInFloat);
  }
}

bool IsMatched(const BackendOp& op) {
  if (op.name == "QMaxPool2d") return true;
  if (op.name == "QCat" || op.name == "QReshape") {
    return std::all_of(op.inputs.begin(), op.inputs.end(),
                       [&](const BackendTensor& input) { return SameNumbers(input, op.outputs[0]); });
  }
  const BackendTensor &data = op.inputs[0], &weight = op.inputs[1];
  const bool per_channel = weight.encoding == Encoding::kPerChannel || weight.encoding == Encoding::kBwPerChannel;
  if (!data.type.quantized || !weight.type.quantized || !per_channel) return false;
  if (op.name == "QLinear") return true;
  return data.rank != 5 && data.dynamic_qparams != Tri::kYes;
}

}  // namespace quantgate::x86_inductor
