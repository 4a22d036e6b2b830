#include "rules/backends/ethos_u/placement.h"

#include <algorithm>
#include <array>
#include <string>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "rules/backends/ethos_u/movement.h"
#include "rules/backends/ethos_u/products.h"
#include "rules/backends/ethos_u/windows.h"

namespace quantgate::ethos_u {
namespace {

Found Softmax(const Call& call) {
  const std::optional<Dims> in = call.input_dims(0);
  if (!in) return std::nullopt;
  const std::array<int64_t, 4> data = Nhwc(*in);
  const int64_t area = Product(Dims(&data[kHeight], 2));
  if (area > kMost16Bits) return Complaint{absl::StrCat("height and width of ", area, " elements"), "at most 65536"};
  if (data[kDepth] <= kMost16Bits) return std::nullopt;
  return Complaint{absl::StrCat("a last axis of ", data[kDepth]), "at most 65536", 0, Complaint::kStops};
}

Found Mean(const Call& call) {
  if (Found found = Computed(call, 1); found) return found;
  const std::optional<Dims> in = call.input_dims(0);
  const std::optional<IntegerView> axes = call.integers(1);
  if (!in || !axes) return std::nullopt;
  const std::array<int64_t, 4> data = Nhwc(*in);
  if (data[0] > 1) return Complaint{absl::StrCat("a batch of ", data[0]), "a batch of 1"};
  std::array<bool, 4> reduced = {};
  const int rank = static_cast<int>(in->size());
  bool outer = false;
  for (const int64_t stated : *axes) {
    if (stated < -rank || stated >= rank) continue;
    const int64_t axis = stated < 0 ? stated + rank : stated;
    if (axis + 4 >= rank) {
      reduced[axis + 4 - rank] = true;
    } else {
      outer = outer || (*in)[axis] > 1;
    }
  }
  // Of more than four axes it looks at the second to the fourth.
  const auto is_one = [](int64_t size) { return size == 1; };
  const bool thin =
      rank > 4 ? absl::c_any_of(in->subspan(1, 3), is_one) : std::any_of(data.begin() + kHeight, data.end(), is_one);
  if (reduced[kDepth] && !thin) {
    return Complaint{absl::StrCat("a mean over channels of ", ShapeText(*in)), "a height, width or depth of 1"};
  }
  constexpr int64_t kMostSize = 4096;
  int64_t count = 1;
  for (int i = 0; i < 4; ++i) {
    if (!reduced[i]) continue;
    if (data[i] > kMostSize) return Complaint{absl::StrCat("a mean of ", data[i], " along an axis"), "at most 4096"};
    count *= data[i];
  }
  const v1::DataType type = call.input(0)->type.type;
  // Sums stay within 32 bits.
  const int64_t most = int64_t{1} << (type == v1::DATA_TYPE_INT8 ? 24 : type == v1::DATA_TYPE_UINT8 ? 23 : 16);
  if (count > most) return Complaint{absl::StrCat("a mean of ", count, " elements"), absl::StrCat("at most ", most)};
  if (!outer) return std::nullopt;
  return Complaint{absl::StrCat("a mean over the outer axes of ", ShapeText(*in)), "the last four axes", 0,
                   Complaint::kStops};
}

Found ArgMax(const Call& call) {
  const std::optional<Dims> in = call.input_dims(0);
  const std::optional<IntegerView> axis = call.integers(1);
  if (!in || in->empty()) return std::nullopt;
  if (in->back() > 127) return Complaint{absl::StrCat("a depth of ", in->back()), "at most 127"};
  const int64_t last = static_cast<int64_t>(in->size()) - 1;
  if (axis && !axis->empty() && (*axis)[0] != last && (*axis)[0] != -1) {
    return Complaint{absl::StrCat("axis ", (*axis)[0]), "the last axis"};
  }
  if (in->size() <= 3 || Product(in->subspan(0, in->size() - 3)) == 1) return std::nullopt;
  return Complaint{absl::StrCat("an input of ", ShapeText(*in)), "a batch of 1", 0, Complaint::kStops};
}

// An activation is an operator of its own behind this one, and takes it along to the CPU.
Found FusedActivation(const Call& call) {
  const BackendTensor* out = call.output();
  if (call.option("fused_activation_function", 0) == 0 || out == nullptr || out->bits < 32) return std::nullopt;
  if (!call.before_u85() && !out->type.quantized) return std::nullopt;
  return Complaint{absl::StrCat("a fused activation of ", out->bits, " bits"), "one of 8 or 16 bits", -1,
                   call.before_u85() ? Complaint::kKnown : Complaint::kStops};
}

// Positions of an LSTM's arguments, as LiteRT numbers them.
Found Lstm(const Call& call) {
  for (size_t gate = 1; gate <= 8; ++gate) {
    if (call.input(gate) == nullptr) return Complaint{absl::StrCat("no input ", gate), "weights of every gate"};
  }
  struct Part {
    size_t first, last;
    const char* name;
  };
  for (const Part& part :
       {Part{9, 11, "peephole weights"}, Part{16, 17, "a projection"}, Part{20, 23, "normalized gates"}}) {
    for (size_t position = part.first; position <= part.last; ++position) {
      if (call.input(position) != nullptr) return Complaint{part.name, "none", static_cast<int>(position)};
    }
  }
  // They are not among its arguments.
  return Complaint{"intermediate tensors that are not in the graph", "five of them, with shapes", -1,
                   Complaint::kPerhaps};
}

// Variables are kept between runs. What Vela does to an access depends on the other nodes that share its handle.
Found Variable(const Call&) {
  return Complaint{"a variable", "those whose handle is shared as it expects", -1, Complaint::kPerhaps};
}

bool IsReduction(const Call& call) {
  return call.Is("ARG_MAX") || call.Is("MEAN") || call.Is("SUM") || absl::StartsWith(call.name(), "REDUCE_");
}

// Of a size that may change, but for the batch; or without axes, where it is no constant.
Found Unshaped(const Call& call) {
  for (size_t i = 0; i < call.inputs() + call.outputs(); ++i) {
    const bool of_output = i >= call.inputs();
    const BackendTensor* tensor = of_output ? call.output(i - call.inputs()) : call.input(i);
    if (tensor == nullptr || tensor->value < 0 || tensor->is_static) continue;
    const int place = of_output ? -1 : static_cast<int>(i);
    // Which axis to work along is judged where it has to be a constant.
    const bool parameter = i == 1 && !of_output && IsReduction(call);
    if (tensor->rank == 0 && !parameter)
      return Complaint{of_output ? "a scalar as output" : "a scalar", "tensors with axes", place};
    if (call.resizable(tensor)) return Complaint{"a size that may change", "only a batch of any size", place};
  }
  return std::nullopt;
}

Found ArgMaxOf(const Call& call) {
  if (call.before_u85()) {
    if (Found found = ArgMax(call); found) return found;
  }
  return Computed(call, 1);
}

Found Reduce(const Call& call) {
  if (Found found = Computed(call, 1); found) return found;
  const BackendTensor *in = call.input(0), *out = call.output();
  const bool extreme = call.Is("REDUCE_MAX") || call.Is("REDUCE_MIN");
  if (!call.before_u85() || !extreme || in == nullptr || out == nullptr || in->type.type == out->type.type) {
    return std::nullopt;
  }
  return Complaint{"an output of another type than the input", "one type", -1, Complaint::kStops};
}

// Of two types, which the NPU has no operator for.
Found OneInputType(const Call& call) {
  const BackendTensor *a = call.input(0), *b = call.input(1);
  if (a == nullptr || b == nullptr || a->type.type == b->type.type) return std::nullopt;
  // Booleans are signed bytes there.
  const auto is_truth = [](const BackendTensor* tensor) {
    return tensor->type.type == v1::DATA_TYPE_BOOL || tensor->type.type == v1::DATA_TYPE_INT8;
  };
  if (absl::StartsWith(call.name(), "LOGICAL_") && is_truth(a) && is_truth(b)) return std::nullopt;
  return Complaint{"inputs of two types", "one type", -1, Complaint::kStops};
}

// Same scale and zero point.
bool SameParameters(const BackendTensor& a, const BackendTensor& b) {
  if (a.qparams == nullptr || b.qparams == nullptr) return a.qparams == b.qparams;
  if (a.qparams->scales.empty() || b.qparams->scales.empty()) return true;
  return a.qparams->scales[0] == b.qparams->scales[0] && a.qparams->zero_point(0) == b.qparams->zero_point(0);
}

struct Range {
  double low, high;
};

// Of a constant's numbers as they are stored; none: not known. Many nodes may share long slopes.
std::optional<Range> RangeOf(const Call& call, size_t position) {
  const BackendTensor* tensor = call.input(position);
  if (tensor == nullptr || tensor->value < 0) return std::nullopt;
  const v1::Constant& constant = call.graph().value(tensor->value).constant();
  if (constant.statistics().count() > 0) return Range{constant.statistics().min(), constant.statistics().max()};
  const std::optional<IntegerView> numbers = call.integers(position);
  if (!numbers) return std::nullopt;
  const auto [low, high] = std::minmax_element(numbers->begin(), numbers->end());
  return Range{static_cast<double>(*low), static_cast<double>(*high)};
}

// One slope makes a LEAKY_RELU. Slopes up to 1 make the larger of two products, one of which only rescales the input:
// by a signed byte, which is no factor for an unsigned one.
Found PRelu(const Call& call) {
  const BackendTensor *in = call.input(0), *slopes = call.input(1), *out = call.output();
  const std::optional<Range> range = RangeOf(call, 1);
  if (range && range->low == range->high) return std::nullopt;
  if (Found found = OneInputType(call); found || !range || in == nullptr || out == nullptr) return found;
  if (in->type.type != v1::DATA_TYPE_UINT8 || SameParameters(*in, *out)) return std::nullopt;
  const QuantParams* params = slopes->qparams;
  if (params == nullptr || params->scales.empty()) return std::nullopt;
  if ((range->high - params->zero_point(0)) * params->scales[0] > 1) return std::nullopt;
  return Complaint{"uint8 with slopes up to 1 and other parameters of the output", "int8, or the input's parameters",
                   -1, Complaint::kStops};
}

struct Check {
  absl::string_view op;
  Found (*check)(const Call& call);
  bool only_before_u85 = false;
};

constexpr Check kChecks[] = {
    {"ARG_MAX", ArgMaxOf},
    {"ASSIGN_VARIABLE", Variable},
    {"AVERAGE_POOL_2D", Pool},
    {"BATCH_MATMUL", MatMul, true},
    {"CONCATENATION", MovedRank},
    {"CONV_2D", Convolution},
    {"DEPTHWISE_CONV_2D", Convolution},
    {"DIV", OneInputType},
    {"EQUAL", OneInputType},
    {"FULLY_CONNECTED", FullyConnected},
    {"GATHER", Gather},
    {"GREATER", OneInputType},
    {"GREATER_EQUAL", OneInputType},
    {"LESS", OneInputType},
    {"LESS_EQUAL", OneInputType},
    {"LOG", OneShape},
    {"LOGICAL_AND", OneInputType},
    {"LOGICAL_OR", OneInputType},
    {"MAX_POOL_2D", Pool},
    {"MEAN", Mean},
    {"NOT_EQUAL", OneInputType},
    {"PACK", MovedRank},
    {"PAD", NegativePads},
    {"PADV2", NegativePads},
    {"PRELU", PRelu},
    {"READ_VARIABLE", Variable},
    {"REDUCE_ALL", Reduce},
    {"REDUCE_ANY", Reduce},
    {"REDUCE_MAX", Reduce},
    {"REDUCE_MIN", Reduce},
    {"RESIZE_BILINEAR", Resize},
    {"RESIZE_NEAREST_NEIGHBOR", Resize},
    {"REVERSE_V2", ReverseOf},
    {"SCATTER_ND", ScatterNd},
    {"SOFTMAX", Softmax},
    {"SPLIT", Splits},
    {"SPLIT_V", Splits},
    {"STRIDED_SLICE", StridedSlice},
    {"SUM", Reduce},
    {"TILE", Tile},
    {"TRANSPOSE", Transpose},
    {"TRANSPOSE_CONV", Convolution},
    {"UNIDIRECTIONAL_SEQUENCE_LSTM", Lstm},
};

}  // namespace

std::optional<Complaint> NotPlaced(const Call& call) {
  if (Found found = call.Is("READ_VARIABLE") || call.Is("ASSIGN_VARIABLE") ? std::nullopt : Unshaped(call); found) {
    return found;
  }
  if (Found found = FusedActivation(call); found) return found;
  for (const Check& check : kChecks) {
    if (!call.Is(check.op) || (check.only_before_u85 && !call.before_u85())) continue;
    return check.check(call);
  }
  return std::nullopt;
}

}  // namespace quantgate::ethos_u
