// Nodes that the provider takes together, whatever it makes of each of them alone.
#include <algorithm>
#include <array>
#include <optional>

#include "absl/types/span.h"
#include "rules/backends/qnn/provider/lowerers.h"
#include "rules/backends/tensor.h"
#include "rules/graph/quantizer.h"

namespace quantgate::qnn::provider {

int32_t OnlyReader(const Graph& graph, int32_t node) {
  const int32_t value = graph.num_outputs(node) > 0 ? graph.output(node, 0) : -1;
  const Use* use = value < 0 ? nullptr : graph.only_use(value);
  return use == nullptr ? -1 : use->node;
}

namespace {

// The node that computes the input; -1: there is none.
int32_t Producer(const Graph& graph, int32_t node, int input) {
  const int32_t value = graph.num_inputs(node) > input ? graph.input(node, input) : -1;
  return value < 0 ? -1 : graph.producer(value);
}

bool IsOp(const Graph& graph, int32_t node, OpId id) { return node >= 0 && graph.op(node) == id; }

// ---- Gelu, as exporters write it before ONNX has it: x * 0.5 * (1 + erf(x / sqrt(2))) ----

// Whether one of the two operands is the value.
bool Reads(const Graph& graph, int32_t node, int32_t value) {
  return graph.num_inputs(node) == 2 && (graph.input(node, 0) == value || graph.input(node, 1) == value);
}

// The factor that is a product of x; -1: there is none.
int32_t FactorOf(const Graph& graph, int32_t product, int32_t x) {
  if (graph.num_inputs(product) != 2) return -1;
  for (const int i : {0, 1}) {
    const int32_t factor = Producer(graph, product, i);
    if (IsOp(graph, factor, OpId::kMul) && Reads(graph, factor, x)) return factor;
  }
  return -1;
}

struct Gelu {
  int32_t x = -1;
  int32_t end = -1;   // the node that has the result; -1: it is none
  bool alone = true;  // nothing else reads its parts
};

// Where `erf` is the middle of it. The provider does not look at the numbers.
Gelu GeluAround(const Graph& graph, int32_t erf) {
  Gelu gelu;
  const int32_t scaled = Producer(graph, erf, 0);
  if (!IsOp(graph, scaled, OpId::kDiv) && !IsOp(graph, scaled, OpId::kMul)) return gelu;
  gelu.x = graph.num_inputs(scaled) == 2 ? graph.input(scaled, 0) : -1;
  const int32_t sum = OnlyReader(graph, erf);
  if (gelu.x < 0 || !IsOp(graph, sum, OpId::kAdd)) return gelu;
  const int32_t product = OnlyReader(graph, sum);
  if (!IsOp(graph, product, OpId::kMul)) return gelu;
  gelu.alone = OnlyReader(graph, scaled) == erf;
  if (const int32_t factor = FactorOf(graph, product, gelu.x); factor >= 0) {
    gelu.alone = gelu.alone && OnlyReader(graph, factor) == product;
    gelu.end = product;
    return gelu;
  }
  const int32_t last = OnlyReader(graph, product);
  if (IsOp(graph, last, OpId::kMul) && (Reads(graph, product, gelu.x) || Reads(graph, last, gelu.x))) gelu.end = last;
  return gelu;
}

// ---- Windows: Reshape, Transpose and Reshape of six dimensions, one of which has size 1 and stays where it is ----

constexpr int kWindowRank = 6;

struct Window {
  int32_t first = -1;
  int32_t transpose = -1;
  int32_t last = -1;
};

// Between two nodes there are at most a Quantize and a Dequantize.
constexpr int kQuantizers = 2;

int32_t NextOf(const Graph& graph, int32_t node) {
  int32_t next = OnlyReader(graph, node);
  for (int i = 0; i < kQuantizers && next >= 0 && IsQuantizer(graph, next); ++i) next = OnlyReader(graph, next);
  return next;
}

int32_t PreviousOf(const Graph& graph, int32_t node) {
  int32_t previous = Producer(graph, node, 0);
  for (int i = 0; i < kQuantizers && previous >= 0 && IsQuantizer(graph, previous); ++i) {
    previous = Producer(graph, previous, 0);
  }
  return previous;
}

std::optional<Window> WindowFrom(const Graph& graph, int32_t first) {
  if (!IsOp(graph, first, OpId::kReshape)) return std::nullopt;
  Window window;
  window.first = first;
  window.transpose = NextOf(graph, first);
  if (!IsOp(graph, window.transpose, OpId::kTranspose)) return std::nullopt;
  window.last = NextOf(graph, window.transpose);
  if (!IsOp(graph, window.last, OpId::kReshape)) return std::nullopt;
  return window;
}

std::optional<Window> WindowOf(const Graph& graph, int32_t node) {
  if (IsOp(graph, node, OpId::kTranspose)) return WindowFrom(graph, PreviousOf(graph, node));
  if (const std::optional<Window> window = WindowFrom(graph, node)) return window;
  const int32_t transpose = PreviousOf(graph, node);
  return IsOp(graph, transpose, OpId::kTranspose) ? WindowFrom(graph, PreviousOf(graph, transpose)) : std::nullopt;
}

// The first size of 1 in front of the Transpose and behind it; -1: there is none, or it is moved, or not known.
int UnitAxis(const Graph& graph, const Window& window) {
  const int32_t before = graph.output(window.first, 0);
  const int32_t after = graph.output(window.transpose, 0);
  if (after < 0 || !graph.has_known_shape(before) || !graph.has_known_shape(after)) return -1;
  const auto& sizes = graph.value(before).dims();
  const auto& moved = graph.value(after).dims();
  if (sizes.size() != kWindowRank || moved.size() != kWindowRank) return -1;
  const v1::Attribute* perm = graph.attribute(window.transpose, "perm");
  if (perm == nullptr || perm->ints().values_size() != kWindowRank) return -1;
  for (int axis = 0; axis < kWindowRank; ++axis) {
    if (sizes[axis] != 1 || moved[axis] != 1) continue;
    return perm->ints().values(axis) == axis ? axis : -1;
  }
  return -1;
}

void DropAxis(int axis, BackendTensor& tensor, Emission& emission) {
  if (tensor.rank != kWindowRank) return;
  tensor.rank = kWindowRank - 1;
  if (tensor.dims.size() != kWindowRank) return;
  std::array<int64_t, kMaxBackendRank>& dims = emission.NewDims();
  std::copy(tensor.dims.begin(), tensor.dims.begin() + axis, dims.begin());
  std::copy(tensor.dims.begin() + axis + 1, tensor.dims.end(), dims.begin() + axis);
  tensor.dims = absl::MakeConstSpan(dims).subspan(0, kWindowRank - 1);
}

void AddPermutation(const NodeView& view, int dropped, Emission& emission) {
  BackendParam& perm = emission.AddParam("perm");
  const std::optional<IntVector> axes = view.integers({"perm"});
  if (!axes) return;
  for (const int64_t axis : *axes) {
    if (axis != dropped) perm.ints.push_back(axis > dropped ? axis - 1 : axis);
  }
}

bool HaveOneEncoding(const NodeView& view, const Operand& input, const Operand& output) {
  if (!input.quantized && !output.quantized) return true;
  const QuantParams* before = view.context().resolved().qparams(input);
  const QuantParams* after = view.context().resolved().qparams(output);
  if (input.type != output.type || before == nullptr || after == nullptr) return false;
  if (!before->per_tensor() || !after->per_tensor() || before->scales.empty() || after->scales.empty()) return false;
  return before->scales[0] == after->scales[0] && before->zero_point(0) == after->zero_point(0);
}

// Several encodings, and types that are moved in fewer dimensions only, are not refused and could not be prepared.
bool IsAsAsked(const NodeView& view, const Window& window) {
  const Operand* input = view.input(0);
  const Operand* output = view.output(0);
  if (input == nullptr || output == nullptr || !HaveOneEncoding(view, *input, *output)) return false;
  if (input->quantized) return input->type != v1::DATA_TYPE_INT16;
  const int32_t producer = Producer(view.graph(), view.node(), 0);
  return view.node() == window.first || producer < 0 || !IsQuantizer(view.graph(), producer);
}

}  // namespace

// A Transpose of integers as they are, and a Convert behind it where the file has another encoding there.
Lowering LowerTransposition(const NodeView& view, absl::string_view name, Emission& emission) {
  const Lowering lowering = LowerTranspose(view, name, emission);
  const Operand* input = view.input(0);
  const Operand* output = view.output(0);
  const bool fixed = input != nullptr && output != nullptr && input->quantized && output->quantized;
  if (!fixed || emission.inputs().empty() || HaveOneEncoding(view, *input, *output)) return lowering;
  BackendTensor moved = emission.outputs().back();
  const BackendTensor stated = moved;
  const BackendTensor& before = emission.inputs().back();
  moved.encoding = before.encoding;
  moved.qparams = before.qparams;
  moved.symmetric = before.symmetric;
  moved.asked_symmetric = before.asked_symmetric;
  emission.outputs().back() = moved;
  AddUnary("Convert", view, moved, stated, emission);
  return lowering;
}

Lowering LowerErf(const NodeView& view, absl::string_view name, Emission& emission) {
  const Graph& graph = view.graph();
  const Operand* input = view.input(0);
  const Gelu gelu = input == nullptr || input->quantized ? Gelu() : GeluAround(graph, view.node());
  if (gelu.end < 0) return NoCounterpart(kLeft);
  if (!gelu.alone) {
    const int32_t producer = graph.producer(gelu.x);
    if (producer >= 0 && IsQuantizer(graph, producer)) return NoCounterpart(kLeft);
    return Unknown("whether a Gelu whose parts are read by others, too, ends the session");
  }
  emission.Begin(name, view.node());
  AddInput(view, input, emission);
  AddOutput(view, view.output(0), emission);
  return Emitted();
}

bool IsInWindow(const NodeView& view) {
  const OpId id = view.op().op->id;
  if (id != OpId::kReshape && id != OpId::kTranspose) return false;
  const std::optional<Window> window = WindowOf(view.graph(), view.node());
  return window && UnitAxis(view.graph(), *window) >= 0;
}

Lowering LowerInWindow(const NodeView& view, Emission& emission) {
  const std::optional<Window> window = WindowOf(view.graph(), view.node());
  if (!window || !IsAsAsked(view, *window)) {
    return Unknown("whether a window of six dimensions can be prepared with several encodings or in this type");
  }
  const bool reshapes = view.op().op->id == OpId::kReshape;
  const int unit = UnitAxis(view.graph(), *window);
  emission.Begin(reshapes ? "Reshape" : "Transpose", view.node());
  AddInput(view, view.input(0), emission);
  AddOutput(view, view.output(0), emission);
  DropAxis(unit, emission.inputs().back(), emission);
  DropAxis(unit, emission.outputs().back(), emission);
  if (!reshapes) AddPermutation(view, unit, emission);
  return Emitted();
}

}  // namespace quantgate::qnn::provider
