#include "rules/simulator/run/hybrid.h"

#include <algorithm>
#include <cmath>

#include "absl/types/span.h"
#include "rules/graph/data_type.h"

namespace quantgate::simulator {
namespace {

constexpr float kLowest = -128, kHighest = 127;

// How a run of numbers, which is a row or an image, is quantized.
using QuantizeRun = void (*)(absl::Span<float>, float least, float most);

// LiteRT's built-in kernels, around zero: half away from zero.
void Symmetric(absl::Span<float> run, float least, float most) {
  const float range = std::max(std::fabs(least), std::fabs(most));
  if (range == 0) return;
  const float scale = range / kHighest, inverse = kHighest / range;
  for (float& x : run) x = std::clamp(std::round(x * inverse), -kHighest, kHighest) * scale;
}

// The same with a zero point, which is an integer.
void Asymmetric(absl::Span<float> run, float least, float most) {
  const double low = std::min(least, 0.0f), high = std::max(most, 0.0f);
  if (low == high) return;
  const double step = (high - low) / (double{kHighest} - kLowest);
  const double from_low = kLowest - low / step, from_high = kHighest - high / step;
  const double low_error = -double{kLowest} + std::fabs(low / step), high_error = kHighest + std::fabs(high / step);
  const double zero =
      std::clamp(std::round(low_error < high_error ? from_low : from_high), double{kLowest}, double{kHighest});
  const float scale = static_cast<float>(step), inverse = 1.0f / scale, offset = static_cast<float>(zero);
  for (float& x : run) x = (std::clamp(std::round(offset + x * inverse), kLowest, kHighest) - offset) * scale;
}

// XNNPACK: half to even.
void AsymmetricEven(absl::Span<float> run, float least, float most) {
  const float low = std::min(least, 0.0f), high = std::max(most, 0.0f);
  if (low == high) return;
  const float steps = (kHighest - kLowest) / (high - low);
  const float low_steps = low * steps, high_steps = high * steps;
  const bool from_low = (kLowest + low_steps) + (kHighest + high_steps) > 0;
  const float zero = std::rint(std::clamp(from_low ? kLowest - low_steps : kHighest - high_steps, kLowest, kHighest));
  const float scale = 1.0f / steps;
  for (float& x : run) x = (std::clamp(std::rint(x * steps) + zero, kLowest, kHighest) - zero) * scale;
}

void QuantizeRuns(absl::Span<float> numbers, size_t length, QuantizeRun quantize) {
  for (size_t first = 0; first + length <= numbers.size(); first += length) {
    const absl::Span<float> run = numbers.subspan(first, length);
    const auto [least, most] = std::minmax_element(run.begin(), run.end());
    // What is not finite has no range.
    if (std::isfinite(*least) && std::isfinite(*most)) quantize(run, *least, *most);
  }
}

// Whether XNNPACK takes it; what it does not take, the optimized kernels compute. It asks for rows of whole bytes, and
// leaves a version out that stands for sparse weights.
bool IsDelegated(const Profile& profile, const NodeReader& node, const Tensor& weight) {
  if (!profile.xnnpack_delegate || node.op_type() == "DEPTHWISE_CONV_2D") return false;
  if (node.op_type() == "FULLY_CONNECTED" && node.Int("operator_version", 1) == 8) return false;
  if (weight.type == v1::DATA_TYPE_INT8) return true;
  const int64_t row = weight.dims.empty() ? 0 : weight.dims.back();
  if (node.op_type() != "FULLY_CONNECTED") return false;
  return weight.type == v1::DATA_TYPE_INT4 ? row % 2 == 0 : row % 4 == 0;
}

QuantizeRun FormOf(const Profile& profile, const NodeReader& node, const QTensor& weight) {
  if (IsDelegated(profile, node, weight.tensor)) return AsymmetricEven;
  const bool per_channel = weight.q.scales.size() > 1;
  if (node.op_type() == "DEPTHWISE_CONV_2D" || node.op_type() == "TRANSPOSE_CONV") return Asymmetric;
  if (node.op_type() == "CONV_2D") return per_channel ? Asymmetric : Symmetric;
  // The optimized kernel of weights of four bits knows no zero points; it takes rows of whole bytes.
  const bool whole = !weight.tensor.dims.empty() && weight.tensor.dims.back() % 2 == 0;
  if (weight.tensor.type == v1::DATA_TYPE_INT4 && whole && !profile.reference_kernels) return Symmetric;
  return node.Int("asymmetric_quantize_inputs", 0) != 0 ? Asymmetric : Symmetric;
}

// XNNPACK takes a convolution of single pixels for a fully connected layer, whose rows are pixels.
bool IsPixelwise(const NodeReader& node, const Tensor& x, const Tensor& weight) {
  return node.op_type() == "CONV_2D" && weight.dims.size() == 4 && weight.dims[1] == 1 && weight.dims[2] == 1 &&
         node.Int("stride_h", 1) == 1 && node.Int("stride_w", 1) == 1 && !x.dims.empty() &&
         weight.dims[3] == x.dims.back();
}

// Numbers that are quantized together; 0: it is not known.
size_t RunLength(const Profile& profile, const NodeReader& node, const Tensor& x, const Tensor& weight) {
  const size_t count = x.data.size() / sizeof(float);
  size_t length = 0;
  if (node.op_type() == "FULLY_CONNECTED") {
    length = weight.dims.size() == 2 ? static_cast<size_t>(weight.dims[1]) : 0;
  } else if (IsDelegated(profile, node, weight) && IsPixelwise(node, x, weight)) {
    length = static_cast<size_t>(weight.dims[3]);
  } else if (node.op_type() == "BATCH_MATMUL") {
    length = node.Int("adj_x", 0) != 0 || x.dims.empty() ? 0 : static_cast<size_t>(x.dims.back());
  } else {
    length = x.dims.empty() || x.dims[0] < 1 ? 0 : count / static_cast<size_t>(x.dims[0]);
  }
  return length > 0 && count % length == 0 ? length : 0;
}

}  // namespace

bool IsHybrid(const NodeReader& node) {
  const absl::string_view op = node.op_type();
  const bool transposed = op == "TRANSPOSE_CONV";
  if (!transposed && op != "FULLY_CONNECTED" && op != "CONV_2D" && op != "DEPTHWISE_CONV_2D" && op != "BATCH_MATMUL") {
    return false;
  }
  // A transposed convolution has the shape of its result in front.
  return node.graph().origin() == v1::Graph::TFLITE &&
         node.argument_type(transposed ? 2 : 0) == v1::DATA_TYPE_FLOAT32 && IsInteger(node.argument_type(1));
}

std::optional<Tensor> HybridInput(const Profile& profile, const NodeReader& node, const QTensor& x,
                                  const QTensor& weight) {
  if (profile.family != Family::kLiteRt || !IsHybrid(node) || x.tensor.type != v1::DATA_TYPE_FLOAT32) {
    return std::nullopt;
  }
  const size_t length = RunLength(profile, node, x.tensor, weight.tensor);
  if (length == 0 || !weight.q.quantized()) return std::nullopt;
  Tensor rounded = x.tensor;
  QuantizeRuns(rounded.as<float>(), length, FormOf(profile, node, weight));
  return rounded;
}

}  // namespace quantgate::simulator
