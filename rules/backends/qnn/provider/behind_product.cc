// What stands between a product and the Quantize that ONNX Runtime makes one with it.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "absl/strings/string_view.h"
#include "rules/backends/qnn/provider/lowerers.h"
#include "rules/graph/data_type.h"
#include "rules/graph/elements.h"
#include "rules/graph/number_view.h"
#include "rules/graph/quantizer.h"

namespace quantgate::qnn::provider {
namespace {

bool LetsQuantizePass(OpId id) {
  return id == OpId::kReshape || id == OpId::kTranspose || id == OpId::kSqueeze || id == OpId::kUnsqueeze ||
         id == OpId::kSlice || id == OpId::kMaxPool || id == OpId::kIdentity || id == OpId::kDropout;
}

// The limits that the operators of a chain set.
struct Limits {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
};

bool TakesIn(const Graph& graph, int32_t clip, Limits& limits) {
  if (graph.op(clip) == OpId::kRelu) {
    limits.low = std::max(limits.low, 0.0);
    return true;
  }
  if (graph.op(clip) != OpId::kClamp) return false;
  const auto bound = [&](int input, absl::string_view attribute, double none) -> std::optional<double> {
    const int32_t value = input < graph.num_inputs(clip) ? graph.input(clip, input) : -1;
    if (value < 0) return graph.float_attribute(clip, attribute, none);
    const RealView reals = graph.is_constant(value) ? RealsOf(graph.value(value)) : RealView();
    return reals.size() == 1 ? std::optional<double>(reals[0]) : std::nullopt;
  };
  const std::optional<double> low = bound(1, "min", limits.low), high = bound(2, "max", limits.high);
  if (!low.has_value() || !high.has_value()) return false;
  limits.low = std::max(limits.low, *low);
  limits.high = std::min(limits.high, *high);
  return true;
}

// Whether no number that the Quantize can store is beyond them, compared as ONNX Runtime does, in float.
bool StoresWithin(const Graph& graph, int32_t quantize, const Limits& limits) {
  if (std::isinf(limits.low) && std::isinf(limits.high)) return true;
  const QuantizerInputs inputs = QuantizerInputsOf(graph, quantize);
  if (inputs.scale < 0 || !graph.is_constant(inputs.scale)) return false;
  if (inputs.zero_point < 0 || !graph.is_constant(inputs.zero_point)) return false;
  const v1::DataType type = graph.dtype(inputs.zero_point);
  const RealView scale = RealsOf(graph.value(inputs.scale));
  const IntegerView point = IntegersOf(graph.value(inputs.zero_point));
  if (!IsInteger(type) || BitWidth(type) > 16 || scale.size() != 1 || point.size() != 1) return false;
  const auto real = [&](int64_t stored) {
    return static_cast<float>(scale[0]) * static_cast<float>(stored - point[0]);
  };
  return static_cast<float>(limits.low) <= real(MinOf(type)) && static_cast<float>(limits.high) >= real(MaxOf(type));
}

// A product of matrices and the constant added to it are one operator to ONNX Runtime.
bool IsBiasOf(const Graph& graph, int32_t product, int32_t add) {
  if (graph.op(product) != OpId::kMatMul || graph.op(add) != OpId::kAdd || graph.num_inputs(add) != 2) return false;
  const int32_t other = graph.input(add, graph.input(add, 0) == graph.output(product, 0) ? 1 : 0);
  return other >= 0 && graph.is_constant(other);
}

}  // namespace

// Each node has one in front of it: all walks together are linear.
bool GetsQuantize(const Graph& graph, int32_t product) {
  Limits limits;
  for (int32_t node = product;;) {
    const int32_t next = OnlyReader(graph, node);
    if (next < 0) return false;
    const int32_t value = graph.output(node, 0);
    const bool bias = node == product && IsBiasOf(graph, product, next);
    if (graph.producer(value) != node || (graph.input(next, 0) != value && !bias)) return false;
    if (graph.op(next) == OpId::kQuantize) return StoresWithin(graph, next, limits);
    if (!bias && !LetsQuantizePass(graph.op(next)) && !TakesIn(graph, next, limits)) return false;
    node = next;
  }
}

}  // namespace quantgate::qnn::provider
