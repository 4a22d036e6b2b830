#include "rules/backends/onnxruntime/kernels.h"

#include <algorithm>
#include <cmath>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "rules/backends/onnxruntime/rules.h"
#include "rules/engine/render.h"
#include "rules/graph/data_type.h"
#include "rules/graph/elements.h"
#include "rules/graph/quantizer.h"
#include "rules/values/signs.h"

namespace quantgate::onnxruntime {

const RuleInfo kConcatTypes = {
    "DT503",
    "quantized-concat-types",
    v1::Finding::REFUSED,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject} is {observed}; the kernel takes {allowed}.",
    "The definition of QLinearConcat lets every input have a type of its own. The kernel copies bytes through a table "
    "and refuses inputs that are not of the output's type.",
    "Give all inputs the type of the output.",
    "Fires: QLinearConcat of a uint8 and an int8 tensor. Does not: of two uint8 tensors.",
};

const RuleInfo kClippedType = {
    "DT504",
    "clip-before-narrow-type",
    v1::Finding::REFUSED,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject} writes {observed} behind a Clip; the optimizer knows {allowed}.",
    "The optimizer asks whether the QuantizeLinear makes the Clip redundant, and ends the session with \"Unexpected "
    "data type\" when it does not know the range of the type.",
    "Leave the Clip out, or quantize to 8 or 16 bits there.",
    "Fires: Clip in front of a QuantizeLinear to int4. Does not: in front of one to int8.",
};

const RuleInfo kBlockGeometry = {
    "AX502",
    "block-geometry",
    v1::Finding::REFUSED,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject} has {observed}; the kernel takes {allowed}.",
    "MatMulNBits has kernels for some widths and block sizes only, and for weights of 8 bits none that reads real zero "
    "points or an index of groups, nor for those of 2 bits one that reads both; those are found missing when the model "
    "runs.",
    "Quantize the weight again with one of them.",
    "Fires: blocks of 48. Does not: blocks of 32.",
};

const RuleInfo kRunTimeBlocks = {
    "GS502",
    "block-parameters-at-run-time",
    v1::Finding::WRONG_NUMBERS,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject} is {observed}; with accuracy_level 4 it has to be {allowed}.",
    "With accuracy_level 4 the kernel computes on activations quantized to 8 bits and packs scales and zero points "
    "with the weight when the session is made. Those that are known at run time only are not applied.",
    "Make scales and zero points initializers, or ask for another accuracy_level.",
    "Fires: scales that are an input of the graph, with accuracy_level 4. Does not: the same with accuracy_level 0.",
};

const RuleInfo kFusedBias = {
    "FX501",
    "fused-bias",
    v1::Finding::WRONG_NUMBERS,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject} has {observed}; QGemm adds it with {allowed}.",
    "DequantizeLinear, Gemm and QuantizeLinear are fused into QGemm, which takes the integers of the bias and nothing "
    "else of its DequantizeLinear: another scale or zero point than the accumulator's is lost. (A Conv with such a "
    "bias is not fused.)",
    "Requantize the bias with input scale x weight scale and zero point 0, or leave it in float.",
    "Fires: a Gemm with a bias of twice the scale. Does not: a Conv with the same.",
};

const RuleInfo kSoftmaxOverflow = {
    "NR501",
    "softmax-overflow",
    v1::Finding::WRONG_NUMBERS,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject} has an output scale of {observed}; along this axis the kernel computes right down to {allowed}.",
    "QLinearSoftmax sums entries of a table in 32 bits. An output scale that is small for the length of the axis makes "
    "the largest probabilities overflow, and they come out as 0.",
    "Choose an output scale of at least that, or leave the softmax in float.",
    "Fires: scale 1/1000 over 4 elements. Does not: scale 1/256.",
};

const RuleInfo kRunTimeWhere = {
    "GS504",
    "where-parameters-at-run-time",
    v1::Finding::REFUSED,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject} is {observed} while those of the output are constants; QLinearWhere takes {allowed}.",
    "The kernel prepares a table when the session is made if the parameters of the output are constant, and reads "
    "the zero points of the inputs for it, which are not there yet: the process ends with a segmentation fault.",
    "Make all zero points of the node initializers that are not inputs of the graph.",
    "Fires: a zero point of an input that is an input of the graph. Does not: all of them constants, or none; a scale.",
};

const RuleInfo kRemovedRelu = {
    "NR502",
    "relu-removed",
    v1::Finding::WRONG_NUMBERS,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject} stands in front of a QuantizeLinear to {observed}; it is removed, and right only with {allowed}.",
    "A Relu is redundant when the QuantizeLinear behind it cannot say negative numbers. The optimizer tests that for 8 "
    "and 16-bit integers and removes the Relu in front of any other type without a test, so that negative numbers come "
    "through.",
    "Quantize to 8 or 16 bits there, or make the session without optimizations.",
    "Fires: Relu, then QuantizeLinear to int4 with zero point 0. Does not: with zero point -8, or to int8.",
};

namespace {

// The table's largest entry: exp(5) for each element of the axis.
constexpr double kSoftmaxRange = 148.4;

constexpr int64_t kBits[] = {2, 4, 8};
constexpr int64_t kBlocks[] = {16, 32, 64, 128, 256};

template <typename List>
bool Has(const List& list, int64_t number) {
  return std::find(std::begin(list), std::end(list), number) != std::end(list);
}

// Empty: not a constant, or not known.
RealView Reals(const Graph& graph, int32_t value) {
  return value >= 0 && graph.is_constant(value) ? RealsOf(graph.value(value)) : RealView();
}

IntegerView Integers(const Graph& graph, int32_t value) {
  return value >= 0 && graph.is_constant(value) ? IntegersOf(graph.value(value)) : IntegerView();
}

// Operator set 23 lets data and scale differ, the kernel does not.
bool CheckScaleType(const KernelCall& call, const FindingSource& source, FindingSink& sink) {
  if (call.input(0) < 0 || call.input(1) < 0 || !IsFloat(call.types[0]) || !IsFloat(call.types[1])) return false;
  if (call.types[0] == call.types[1]) return false;
  sink.Add(kKernelTypes, call.places[1], absl::StrCat("a scale of ", DataTypeName(call.types[1])),
           absl::StrCat(DataTypeName(call.types[0]), ", as the data is"), source);
  return true;
}

bool CheckConcat(const KernelCall& call, const FindingSource& source, FindingSink& sink) {
  const v1::DataType output = call.input(1) < 0 ? v1::DATA_TYPE_UNSPECIFIED : call.types[1];
  bool refused = false;
  for (size_t i = 2; i < call.inputs.size(); i += 3) {
    const v1::DataType type = call.types[i];
    if (type == output || type == v1::DATA_TYPE_UNSPECIFIED || output == v1::DATA_TYPE_UNSPECIFIED) continue;
    sink.Add(kConcatTypes, call.places[i], std::string(DataTypeName(type)), std::string(DataTypeName(output)), source);
    refused = true;
  }
  return refused;
}

bool CheckNBits(const Graph& graph, const KernelCall& call, const FindingSource& source, FindingSink& sink) {
  Place place;
  place.node = call.node;
  bool refused = false;
  const int64_t bits = graph.int_attribute(call.node, "bits", 4);
  const int64_t block = graph.int_attribute(call.node, "block_size", 0);
  if (!Has(kBits, bits)) {
    sink.Add(kBlockGeometry, place, absl::StrCat(bits, " bits"), "2, 4 or 8 bits", source);
    refused = true;
  }
  if (!Has(kBlocks, block)) {
    sink.Add(kBlockGeometry, place, absl::StrCat("blocks of ", block), "blocks of 16, 32, 64, 128 or 256", source);
    refused = true;
  }
  constexpr size_t kZeroPoints = 3, kGroups = 4;
  const bool real = call.input(kZeroPoints) >= 0 && IsFloat(graph.dtype(call.input(kZeroPoints)));
  const bool groups = call.input(kGroups) >= 0;
  const bool both = real && groups;
  if (both ? bits == 2 || bits == 8 : bits == 8 && (real || groups)) {
    const char* beside = both   ? "real zero points and an index of groups"
                         : real ? "real zero points"
                                : "an index of groups";
    sink.Add(kBlockGeometry, place, absl::StrCat(bits, " bits and ", beside),
             both ? "4 bits beside them" : "2 or 4 bits beside them", source);
    refused = true;
  }
  if (refused || graph.int_attribute(call.node, "accuracy_level", 0) != 4) return refused;
  for (size_t i : {2, 3}) {
    if (call.input(i) < 0 || graph.is_static(call.input(i))) continue;
    sink.Add(kRunTimeBlocks, call.places[i], "not a constant", "one", source);
  }
  return false;
}

void CheckSoftmax(const Graph& graph, const KernelCall& call, const FindingSource& source, FindingSink& sink) {
  const RealView scale = Reals(graph, call.input(3));
  const int32_t data = call.input(0);
  if (scale.size() != 1 || data < 0 || !graph.value(data).has_shape()) return;
  const int rank = graph.value(data).dims_size();
  const int64_t axis = graph.int_attribute(call.node, "axis", -1);
  const int64_t at = axis < 0 ? axis + rank : axis;
  if (at < 0 || at >= rank || graph.value(data).dims(static_cast<int>(at)) <= 0) return;
  // What overflows becomes the least 32-bit integer, and the zero point is added to that: a negative one wraps it
  // around to the largest value, which is right.
  const IntegerView zero = Integers(graph, call.input(4));
  const bool made_unsigned =
      call.input(4) >= 0 && graph.dtype(call.input(4)) == v1::DATA_TYPE_INT8 && call.types[4] == v1::DATA_TYPE_UINT8;
  const int64_t point = (zero.size() == 1 ? zero[0] : 0) + (made_unsigned ? 128 : 0);
  if (point < 0 || point == MaxOf(v1::DATA_TYPE_UINT8)) return;
  const double least = 1 / (kSoftmaxRange * static_cast<double>(graph.value(data).dims(static_cast<int>(at))));
  if (!(scale[0] > 0) || scale[0] >= least) return;
  sink.Add(kSoftmaxOverflow, call.places[3], FormatNumber(scale[0]), FormatNumber(least), source);
}

// True: the process ends.
bool CheckWhere(const Graph& graph, const KernelCall& call, const FindingSource& source, FindingSink& sink) {
  for (size_t i : {7, 8}) {
    if (call.input(i) >= 0 && !graph.is_static(call.input(i))) return false;
  }
  bool refused = false;
  for (size_t i : {3, 6}) {
    if (call.input(i) < 0 || graph.is_static(call.input(i))) continue;
    sink.Add(kRunTimeWhere, call.places[i], "not a constant", "constants", source);
    refused = true;
  }
  return refused;
}

// Relative difference that a product of two float32 scales can make.
constexpr double kTolerance = 1e-3;

void CheckFusedBias(const Graph& graph, const KernelCall& call, const FindingSource& source, FindingSink& sink) {
  // The integers are the call's; scale and zero point are those of the node that dequantizes them.
  const int32_t bias = call.input(6);
  const int32_t dequantize = bias < 0 ? -1 : call.places[6].node;
  if (!IsDequantize(graph, dequantize)) return;
  const auto input = [&](int i) { return i < graph.num_inputs(dequantize) ? graph.input(dequantize, i) : -1; };
  for (int64_t point : Integers(graph, input(2))) {
    if (point == 0) continue;
    sink.Add(kFusedBias, call.places[6], absl::StrCat("zero point ", point), "zero point 0", source);
    return;
  }
  const RealView scales = Reals(graph, input(1));
  const RealView inputs = Reals(graph, call.input(1));
  const RealView weights = Reals(graph, call.input(4));
  if (inputs.size() != 1 || scales.empty() || weights.empty()) return;
  const size_t count = std::max(scales.size(), weights.size());
  // 0 is 0 in any scale.
  const IntegerView stored = Integers(graph, bias);
  const auto is_zero = [&stored, count](size_t i) {
    if (stored.size() == count && count > 1) return stored[i] == 0;
    return !stored.empty() && absl::c_all_of(stored, [](int64_t element) { return element == 0; });
  };
  if ((scales.size() != 1 && scales.size() != count) || (weights.size() != 1 && weights.size() != count)) return;
  for (size_t i = 0; i < count; ++i) {
    const double scale = scales[scales.size() == 1 ? 0 : i];
    const double expected = inputs[0] * weights[weights.size() == 1 ? 0 : i];
    if (std::fabs(scale - expected) <= kTolerance * std::fabs(expected) || is_zero(i)) continue;
    Place place = call.places[6];
    place.index = count > 1 ? static_cast<int64_t>(i) : -1;
    sink.Add(kFusedBias, place, absl::StrCat("scale ", FormatNumber(scale)),
             absl::StrCat("scale ", FormatNumber(expected)), source);
    return;
  }
}

}  // namespace

bool CheckKernel(const Graph& graph, const KernelCall& call, const FindingSource& source, FindingSink& sink) {
  if (call.op == "com.microsoft::QLinearConcat") return CheckConcat(call, source, sink);
  if (call.op == "com.microsoft::MatMulNBits") return CheckNBits(graph, call, source, sink);
  if (call.op == "com.microsoft::QLinearWhere") return CheckWhere(graph, call, source, sink);
  if (call.op == "com.microsoft::QLinearSoftmax") CheckSoftmax(graph, call, source, sink);
  if (call.op == "com.microsoft::QGemm" && call.fused) CheckFusedBias(graph, call, source, sink);
  if (call.op == "QuantizeLinear") return CheckScaleType(call, source, sink);
  return false;
}

namespace {

// No number of the tensor is below zero.
bool IsNotNegative(const CheckContext& context, int32_t value) {
  const Graph& graph = context.graph();
  if (value < 0) return false;
  if (context.Once(SignsOf)[value] == Sign::kNotNegative) return true;
  const int32_t dequantize = graph.producer(value);
  if (!IsDequantize(graph, dequantize) || graph.num_inputs(dequantize) < 1) return false;
  const int32_t stored = graph.input(dequantize, 0);
  const int32_t zero = graph.num_inputs(dequantize) > 2 ? graph.input(dequantize, 2) : -1;
  const v1::DataType type = zero < 0 ? v1::DATA_TYPE_UNSPECIFIED : graph.dtype(zero);
  const IntegerView points = Integers(graph, zero);
  return stored >= 0 && IsInteger(type) && !points.empty() && graph.is_static(zero) &&
         absl::c_all_of(points, [type](int64_t point) { return point == MinOf(type); });
}

}  // namespace

bool CheckClip(const CheckContext& context, const std::vector<v1::DataType>& types, int32_t node,
               const FindingSource& source, FindingSink& sink) {
  const Graph& graph = context.graph();
  const bool clip = graph.op_type(node) == "Clip";
  if (!clip && graph.op_type(node) != "Relu") return false;
  if (graph.num_outputs(node) != 1 || graph.output(node, 0) < 0) return false;
  const int32_t value = graph.output(node, 0);
  // There is no kernel of it: it is computed in float32, and by then a Cast is between it and the QuantizeLinear.
  if (types[value] == v1::DATA_TYPE_FLOAT16) return false;
  const Use* use = graph.only_use(value);
  if (use == nullptr || !IsQuantize(graph, use->node)) return false;
  const int32_t quantize = use->node;
  if (graph.num_outputs(quantize) == 0) return false;
  const int32_t stored = graph.output(quantize, 0);
  const v1::DataType type = stored < 0 ? v1::DATA_TYPE_UNSPECIFIED : types[stored];
  const int bits = IsInteger(type) ? BitWidth(type) : 0;
  if (type == v1::DATA_TYPE_UNSPECIFIED || bits == 8 || bits == 16) return false;
  const int32_t zero = graph.num_inputs(quantize) > 2 ? graph.input(quantize, 2) : -1;
  // Neither is touched where the zero point may be another one in each run.
  if (zero >= 0 && !graph.is_static(zero)) return false;
  Place place;
  if (clip) {
    place.node = quantize;
    place.output = 0;
    place.value = stored;
    sink.Add(kClippedType, place, std::string(DataTypeName(type)), "8 and 16 bit integers", source);
    return true;
  }
  const IntegerView points = Integers(graph, zero);
  const bool least =
      IsInteger(type) && !points.empty() && absl::c_all_of(points, [&](int64_t point) { return point == MinOf(type); });
  const bool constant = zero >= 0 && graph.is_constant(zero);
  if (least || (type == v1::DATA_TYPE_UINT4 && !constant) || IsNotNegative(context, graph.input(node, 0))) return false;
  place.node = node;
  sink.Add(kRemovedRelu, place, std::string(DataTypeName(type)),
           IsInteger(type) ? absl::StrCat("zero point ", MinOf(type)) : "8 or 16-bit integers", source);
  return false;
}

}  // namespace quantgate::onnxruntime
