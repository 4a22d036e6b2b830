#include "rules/backends/onnxruntime/outer_weight.h"

#include "absl/algorithm/container.h"
#include "rules/backends/onnxruntime/values.h"
#include "rules/graph/data_type.h"
#include "rules/graph/elements.h"
#include "rules/graph/quantizer.h"

namespace quantgate::onnxruntime {

const RuleInfo kOuterWeight = {
    "GS511",
    "blocks-from-outside",
    v1::Finding::REFUSED,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject} is {observed}; ONNX Runtime makes a MatMulNBits of {allowed}.",
    "The optimizer makes a MatMulNBits of a product of float matrices whose weight is dequantized in blocks or per "
    "channel. In a body of control flow it takes weight and scales of the graphs around it for constants, and then "
    "looks for them in the body alone: the session ends with \"Missing required weight\". Without that optimization "
    "(level \"basic\") the same file runs.",
    "Move weight and scales into the body, or the DequantizeLinear out of it.",
    "Fires: an If whose branch dequantizes an int4 weight of the main graph in blocks of 16, for a MatMul. Does not: "
    "one whose weight is in the branch; one whose DequantizeLinear is in the main graph.",
};

const RuleInfo kOuterZeroPoint = {
    "GS512",
    "zero-points-from-outside",
    v1::Finding::WRONG_NUMBERS,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject} are {observed}; in ONNX Runtime's MatMulNBits they become {allowed}.",
    "The optimizer makes a MatMulNBits of a product of float matrices whose weight is dequantized in blocks or per "
    "channel. In a body of control flow it looks for the zero points in the body alone, does not find those of a graph "
    "around it, and takes 0.",
    "Move the zero points into the body, beside weight and scales.",
    "Fires: a branch with an int4 weight and scales, whose zero points of 1 are in the main graph. Does not: zero "
    "points in the branch; zero points of 0 in the main graph.",
};

namespace {

constexpr int64_t kBlockSizes[] = {16, 32, 64, 128, 256};

bool IsOfNBits(v1::DataType type) {
  return IsInteger(type) && (BitWidth(type) == 2 || BitWidth(type) == 4 || BitWidth(type) == 8);
}

// A product of which every factor is one.
bool IsPlainGemm(const Graph& graph, int32_t node) {
  const auto is_one = [&](absl::string_view name) {
    const v1::Attribute* attribute = graph.attribute(node, name);
    return attribute == nullptr || attribute->f() == 1;
  };
  return graph.int_attribute(node, "transA", 0) == 0 && graph.int_attribute(node, "transB", 0) == 0 &&
         is_one("alpha") && (InputAt(graph, node, 2) < 0 || is_one("beta"));
}

bool IsQuantized(const Graph& graph, int32_t product) {
  const int32_t data = InputAt(graph, product, 0);
  if (data >= 0 && graph.producer(data) >= 0 && IsDequantize(graph, graph.producer(data))) return true;
  const int32_t output = FirstOutput(graph, product);
  return output >= 0 && absl::c_any_of(graph.uses(output), [&](const Use& use) { return IsQuantize(graph, use.node); });
}

// The only reader is a product of float matrices, of which it is the second one.
bool FeedsFloatProduct(const Graph& graph, int32_t dequantize) {
  const int32_t output = FirstOutput(graph, dequantize);
  const Use* use = output >= 0 ? graph.only_use(output) : nullptr;
  if (use == nullptr || use->input != 1 || IsQuantized(graph, use->node)) return false;
  const absl::string_view op = graph.op_type(use->node);
  return op == "MatMul" || (op == "Gemm" && IsPlainGemm(graph, use->node));
}

// Blocks along what is summed over, or a scale for each output.
bool HasGeometry(const Graph& graph, int32_t dequantize, const v1::Value& weight, const v1::Value& scale) {
  if (weight.dims_size() != 2) return false;
  const int64_t axis = graph.int_attribute(dequantize, "axis", 1);
  const int64_t block = graph.int_attribute(dequantize, "block_size", 0);
  if (block == 0) return axis == 1 && scale.dims_size() == 1 && scale.dims(0) == weight.dims(1);
  return axis == 0 && absl::c_linear_search(kBlockSizes, block);
}

// Or not known.
bool IsZero(const v1::Value& value) {
  const v1::Constant& constant = value.constant();
  const v1::Statistics& all = constant.statistics();
  if (all.count() > 0) return all.min() == 0 && all.max() == 0;
  return absl::c_all_of(IntegersOf(value), [](int64_t number) { return number == 0; });
}

bool IsOuter(const Graph& graph, int32_t value) { return value >= 0 && graph.value(value).captured() > 0; }

}  // namespace

bool CheckOuterWeight(const CheckContext& context, const std::vector<v1::DataType>& types, int32_t dequantize,
                      const FindingSource& source, FindingSink& sink) {
  const Graph& graph = context.graph();
  if (!context.is_body() || !IsDequantize(graph, dequantize)) return false;
  constexpr int kWeight = 0, kScale = 1, kZeroPoint = 2;
  const int32_t data = InputAt(graph, dequantize, kWeight), zero_points = InputAt(graph, dequantize, kZeroPoint);
  const v1::Value* weight = FixedValue(context, data);
  const v1::Value* scale = FixedValue(context, InputAt(graph, dequantize, kScale));
  const v1::Value* zero_point = FixedValue(context, zero_points);
  if (weight == nullptr || scale == nullptr || (zero_points >= 0 && zero_point == nullptr)) return false;
  if (!IsOfNBits(types[data]) || !HasGeometry(graph, dequantize, *weight, *scale)) return false;
  if (!FeedsFloatProduct(graph, dequantize)) return false;
  Place place;
  place.node = dequantize;
  for (int input : {kWeight, kScale}) {
    place.input = input;
    place.value = graph.input(dequantize, input);
    if (!IsOuter(graph, place.value)) continue;
    sink.Add(kOuterWeight, place, "a constant of a graph around the body", "one in the body", source);
    return true;
  }
  if (!IsOuter(graph, zero_points) || IsZero(*zero_point)) return false;
  place.input = kZeroPoint;
  place.value = zero_points;
  sink.Add(kOuterZeroPoint, place, "constants of a graph around the body", "0", source);
  return false;
}

}  // namespace quantgate::onnxruntime
