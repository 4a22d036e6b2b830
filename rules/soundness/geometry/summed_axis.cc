#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/graph/data_type.h"
#include "rules/graph/qscheme.h"
#include "rules/graph/quantizer.h"
#include "rules/soundness/annotated.h"
#include "rules/soundness/rules.h"

namespace quantgate {
namespace {

constexpr RuleInfo kSummedAxis = {
    "AX011",
    "summed-axis",
    v1::Finding::UNSOUND,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject}: {observed}; expected {allowed}",
    "An integer kernel adds products up and scales the sum. Scales that differ between the products of one sum would "
    "have to be applied before it: the node cannot be computed in integers, and a kernel that reads them as those of "
    "output channels computes wrong numbers. It is no fault where the other operand is float: the weights are "
    "dequantized first. Windows of convolutions and sizes that are not fixed are not looked at.",
    "Quantize weights along the axis of their output channels: 0 of a convolution or linear layer, 1 of a transposed "
    "convolution, the last one of the right operand of a product.",
    "conv_transpose2d with a weight of [16, 8, 3, 3] and ch_axis 0 fires it; ch_axis 1 does not, nor does ch_axis 0 "
    "with groups 16. QLinearMatMul with a vector of 8 and 8 scales fires it.",
};

// An operand of a sum of products: how many elements with scales of their own each sum adds up, and which axis would
// do instead; none: one scale for the whole tensor.
struct Summed {
  int64_t count = 1;
  int32_t instead = -1;
};

// [outputs, inputs / groups, …], transposed [inputs, outputs / groups, …]: there places of the window, which are added
// up where they overlap, are not looked at.
Summed OfFilter(bool transposed, int64_t groups, int32_t axis, absl::Span<const int64_t> dims) {
  if (!transposed) return {axis == 0 ? 1 : dims[axis], 0};
  return {axis == 0 ? dims[0] / groups : 1, 1};
}

// [batch, channels, …], or without the batch. Windows are not looked at.
Summed OfImage(int64_t groups, int32_t axis, absl::Span<const int64_t> dims, int filter_rank) {
  const int32_t channels = static_cast<int>(dims.size()) == filter_rank ? 1 : 0;
  return {axis == channels ? dims[axis] / groups : 1};
}

// Where `along` is the axis that a product adds up, and `kept` the one that it keeps; less than 0: there is none.
Summed OfMatrix(int32_t axis, int32_t along, int32_t kept, absl::Span<const int64_t> dims) {
  return {axis == along ? dims[axis] : 1, std::max(kept, -1)};
}

Summed SummedAt(const Graph& graph, const ResolvedOp& op, int port, int32_t axis, absl::Span<const int64_t> dims,
                int other_rank) {
  const auto rank = static_cast<int32_t>(dims.size());
  const bool left = port == 0;
  switch (op.op->id) {
    case OpId::kConv:
    case OpId::kConvTranspose: {
      const bool transposed = op.op->id == OpId::kConvTranspose || graph.int_attribute(op.node, "transposed", 0) != 0;
      const int64_t groups = std::max<int64_t>(1, graph.int_attribute(op.node, "groups", 1));
      return left ? OfImage(groups, axis, dims, other_rank) : OfFilter(transposed, groups, axis, dims);
    }
    case OpId::kLinear:
      return OfMatrix(axis, rank - 1, left ? -1 : rank - 2, dims);
    case OpId::kGemm:
    case OpId::kMatMul: {
      const int32_t along = left || rank == 1 ? rank - 1 : rank - 2;
      return OfMatrix(axis, along, left ? rank - 2 : along == rank - 1 ? -1 : rank - 1, dims);
    }
    default:
      return {};
  }
}

// What an operand is multiplied as.
struct Factor {
  bool quantized = false;
  int32_t axis = -1;  // along which it has scales; -1: none, or not known
};

class SummedAxes {
 public:
  SummedAxes(const CheckContext& context, FindingSink& sink)
      : context_(context), graph_(context.graph()), sink_(sink) {}

  // Of operators that are alike the first that is right speaks for the others.
  void CheckAll() {
    const absl::Span<const ResolvedOp> ops = context_.resolved().ops();
    std::vector<bool> is_right(ops.size(), false);
    for (const ResolvedOp& op : ops) {
      if (op.op == nullptr || (op.op->traits & kAccumulates) == 0 || (op.like >= 0 && is_right[op.like])) continue;
      const Operand* left = context_.resolved().input(op, 0);
      const Operand* right = context_.resolved().input(op, 1);
      if (left == nullptr || right == nullptr || left->value < 0 || right->value < 0) continue;
      const bool found = Check(op, *left, *right);
      // Where a tensor is annotated is not what they are alike by.
      if (op.like >= 0 && !found && left->quantized && right->quantized) is_right[op.like] = true;
    }
  }

 private:
  // Both factors are quantized: with floats on one side the other is dequantized, and all is well.
  bool Check(const ResolvedOp& op, const Operand& left, const Operand& right) {
    const Factor of_left = FactorOf(left);
    const Factor of_right = FactorOf(right);
    if (!of_left.quantized || !of_right.quantized) return false;
    const bool found = Judge(op, 0, left, of_left.axis, right);
    return Judge(op, 1, right, of_right.axis, left) || found;
  }

  Factor FactorOf(const Operand& operand) const {
    if (operand.quantized) return Described(operand, operand.value);
    // Behind convert also where a node is read as one that computes in float.
    const int32_t producer = operand.edge_value < 0 ? -1 : graph_.producer(operand.edge_value);
    if (IsDequantize(graph_, producer)) return Described(*context_.resolved().quantizer(producer), operand.value);
    // Who reads a tensor that is annotated where it is written reads what was quantized there. Where a shared spec
    // leads is not followed.
    const int32_t spec = IsAnnotation(context_) ? graph_.value_spec(operand.value) : -1;
    if (spec < 0) return {};
    const v1::Spec& said = graph_.message().specs(graph_.spec_like(spec));
    const bool has_axis = IsPerChannel(said.qscheme()) && said.has_axis() && said.block_size().empty();
    return {IsInteger(said.dtype()), has_axis ? FromTheStart(said.axis(), operand.value) : -1};
  }

  Factor Described(const Operand& operand, int32_t value) const {
    const QuantParams* params = context_.resolved().qparams(operand);
    const bool has_axis = params != nullptr && !params->blocked() && params->axes.size() == 1;
    return {IsInteger(operand.type), has_axis ? FromTheStart(params->axes[0], value) : -1};
  }

  int32_t FromTheStart(int32_t axis, int32_t value) const { return axis < 0 ? axis + graph_.rank(value) : axis; }

  bool Judge(const ResolvedOp& op, int port, const Operand& operand, int32_t axis, const Operand& other) {
    // An axis that is none is axis-range's.
    if (axis < 0 || axis >= graph_.rank(operand.value) || !graph_.has_known_shape(operand.value)) return false;
    const auto& dims = graph_.value(operand.value).dims();
    const Summed summed = SummedAt(graph_, op, port, axis, dims, graph_.rank(other.value));
    if (summed.count <= 1) return false;
    Place place;
    place.node = op.node;
    place.input = operand.argument;
    place.value = operand.value;
    const std::string one = "one scale for the whole tensor";
    sink_.Add(kSummedAxis, place,
              absl::StrCat("has scales along axis ", axis, ", of which each sum adds up ", summed.count),
              summed.instead < 0 ? one : absl::StrCat("scales along axis ", summed.instead, ", or ", one));
    return true;
  }

  const CheckContext& context_;
  const Graph& graph_;
  FindingSink& sink_;
};

// Where a product of ONNX or ONNX Runtime has its right operand, and the scales of it.
struct RightOperand {
  absl::string_view op_type;
  int operand;
  int scale;
};

constexpr RightOperand kRightOperands[] = {
    {"QLinearMatMul", 3, 4},
    {"com.microsoft::MatMulIntegerToFloat", 1, 3},
    {"com.microsoft::DynamicQuantizeMatMul", 1, 2},
};

// Scales are those of columns, which a vector does not have: its only axis is added up, and ONNX Runtime stops there.
void CheckVectors(const Graph& graph, FindingSink& sink) {
  for (int32_t node : graph.integer_nodes()) {
    for (const RightOperand& right : kRightOperands) {
      if (graph.op_type(node) != right.op_type || graph.num_inputs(node) <= right.scale) continue;
      const int32_t value = graph.input(node, right.operand), scale = graph.input(node, right.scale);
      if (value < 0 || scale < 0 || graph.rank(value) != 1 || graph.rank(scale) != 1) continue;
      const int64_t size = graph.value(value).dims(0), count = graph.value(scale).dims(0);
      if (count <= 1 || size != count) continue;  // another number of them is qparams-count's
      Place place;
      place.node = node;
      place.input = right.operand;
      place.value = value;
      sink.Add(kSummedAxis, place, absl::StrCat("has scales along axis 0, of which the sum adds up ", size),
               "one scale for the whole tensor");
    }
  }
}

void CheckSummedAxis(const CheckContext& context, FindingSink& sink) {
  if (context.graph().origin() == v1::Graph::PT2E) SummedAxes(context, sink).CheckAll();
  if (context.graph().origin() == v1::Graph::ONNX) CheckVectors(context.graph(), sink);
}

}  // namespace

Rule SummedAxis() { return {&kSummedAxis, &CheckSummedAxis}; }

}  // namespace quantgate
