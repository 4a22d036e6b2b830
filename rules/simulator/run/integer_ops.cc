#include "rules/simulator/run/integer_ops.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "rules/simulator/run/integer_products.h"
#include "rules/simulator/tensor.h"

namespace quantgate::simulator {
namespace {

// ONNX DynamicQuantizeLinear: all in float32, ties to even.
absl::Status DynamicQuantize(const Tensor& x, bool exact, absl::Span<Tensor> outputs) {
  if (x.type != kFloat) return absl::InvalidArgumentError("its input is not of real numbers");
  float low = 0, high = 0;
  for (float value : x.as<float>()) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  const float scale = high == low ? 1.0f : (high - low) / 255.0f;
  const float zero = std::nearbyint(std::min(std::max(0.0f - low / scale, 0.0f), 255.0f));
  std::vector<double> numbers;
  numbers.reserve(x.as<float>().size());
  for (float value : x.as<float>()) {
    numbers.push_back(exact ? std::min(std::max(std::nearbyint(value / scale) + zero, 0.0f), 255.0f)
                            : static_cast<double>(value) / scale + zero);
  }
  if (absl::Status status = WriteNumbers(exact ? v1::DATA_TYPE_UINT8 : kFloat, x.dims, numbers, outputs[0]);
      !status.ok())
    return status;
  if (outputs.size() > 1) {
    if (absl::Status status = WriteNumbers(kFloat, {}, {scale}, outputs[1]); !status.ok()) return status;
  }
  return outputs.size() > 2 ? WriteNumbers(exact ? v1::DATA_TYPE_UINT8 : kFloat, {}, {zero}, outputs[2])
                            : absl::OkStatus();
}

// quantized_decomposed.choose_qparams: scale and zero point of a tensor's range.
absl::Status ChooseQParams(const NodeReader& node, const Tensor& x, absl::Span<Tensor> outputs) {
  if (!absl::StartsWith(node.op_type(), "quantized_decomposed.choose_qparams.tensor")) {
    return absl::UnimplementedError("parameters chosen in this form");
  }
  if (x.type != kFloat || outputs.size() > 2) return absl::InvalidArgumentError("its input is not of real numbers");
  const double quant_min = node.Real("quant_min", -128), quant_max = node.Real("quant_max", 127);
  const double eps = node.Real("eps", 1.1920928955078125e-07);
  float low = 0, high = 0;
  for (float value : x.as<float>()) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  // As torch's determine_qparams: the scale in float32, the zero point by the lower end.
  float scale = (high - low) / static_cast<float>(quant_max - quant_min);
  scale = std::max(scale, static_cast<float>(eps));
  const float zero = static_cast<float>(quant_min) - std::nearbyint(low / scale);
  Tensor& first = outputs[0];
  first.type = kFloat;
  if (absl::Status status = Allocate(std::vector<int64_t>{1}, first); !status.ok()) return status;
  first.as<float>()[0] = scale;
  if (outputs.size() < 2) return absl::OkStatus();
  outputs[1].type = v1::DATA_TYPE_INT64;
  if (absl::Status status = Allocate(std::vector<int64_t>{1}, outputs[1]); !status.ok()) return status;
  outputs[1].as<int64_t>()[0] = static_cast<int64_t>(std::min(std::max<double>(zero, quant_min), quant_max));
  return absl::OkStatus();
}

}  // namespace

bool IsIntegerOp(absl::string_view op_type) {
  for (absl::string_view op : {"DynamicQuantizeLinear", "MatMulInteger", "ConvInteger",
                               "com.microsoft::DynamicQuantizeMatMul", "com.microsoft::MatMulIntegerToFloat"}) {
    if (op_type == op) return true;
  }
  return absl::StartsWith(op_type, "quantized_decomposed.choose_qparams");
}

absl::Status RunIntegerOp(const NodeReader& node, absl::Span<const Tensor* const> inputs, const Lowered& lowered,
                          bool exact, absl::Span<Tensor> outputs) {
  const absl::string_view op = node.op_type();
  if (inputs.empty() || inputs[0] == nullptr || outputs.empty())
    return absl::InvalidArgumentError("its input is not there");
  if (op == "DynamicQuantizeLinear") return DynamicQuantize(*inputs[0], exact, outputs);
  if (absl::StartsWith(op, "quantized_decomposed")) return ChooseQParams(node, *inputs[0], outputs);
  const auto at = [&](size_t i) { return i < inputs.size() ? inputs[i] : nullptr; };
  if (at(1) == nullptr) return absl::InvalidArgumentError("its weight is not there");
  if (op == "ConvInteger") {
    return IntegerConv({at(0), at(2)}, {at(1), at(3)}, lowered.attributes, exact, outputs[0]);
  }
  if (op == "MatMulInteger") return IntegerMatMul({at(0), at(2)}, {at(1), at(3)}, exact, outputs[0]);
  if (op == "com.microsoft::MatMulIntegerToFloat") {
    return ScaledMatMul({at(0), at(4)}, {at(1), at(5)}, at(2), at(3), at(6), exact, outputs[0]);
  }
  // DynamicQuantizeMatMul: the input is quantized as DynamicQuantizeLinear does it.
  std::vector<Tensor> quantized(3);
  if (absl::Status status = DynamicQuantize(*inputs[0], exact, absl::MakeSpan(quantized)); !status.ok()) return status;
  return ScaledMatMul({&quantized[0], &quantized[2]}, {at(1), at(3)}, &quantized[1], at(2), at(4), exact, outputs[0]);
}

absl::StatusOr<Tensor> UnpackedWeight(const NodeReader& node) {
  const int64_t n = node.Int("N", 0), k = node.Int("K", 0), bits = node.Int("bits", 4),
                block = node.Int("block_size", 32);
  const Tensor* packed = node.Argument(1);
  const Tensor* scales = node.Argument(2);
  const Tensor* zeros = node.Argument(3);
  if (packed == nullptr || scales == nullptr || scales->type != kFloat)
    return absl::UnimplementedError("weights or scales that are not known");
  if (n < 1 || k < 1 || block < 1 || n > (int64_t{1} << 31) || k > (int64_t{1} << 31) ||
      (bits != 2 && bits != 4 && bits != 8)) {
    return absl::InvalidArgumentError(
        absl::StrCat("a weight of ", n, " x ", k, " in blocks of ", block, " and ", bits, " bits"));
  }
  const int64_t blocks = (k + block - 1) / block, bytes = (block * bits + 7) / 8, per_byte = 8 / bits;
  const int64_t zero_bytes = (blocks * bits + 7) / 8;
  const bool real_zeros = zeros != nullptr && zeros->type == kFloat;
  if (static_cast<int64_t>(packed->data.size()) != n * blocks * bytes ||
      static_cast<int64_t>(scales->as<float>().size()) != n * blocks ||
      (zeros != nullptr && !real_zeros && static_cast<int64_t>(zeros->data.size()) != n * zero_bytes) ||
      (real_zeros && static_cast<int64_t>(zeros->as<float>().size()) != n * blocks)) {
    return absl::InvalidArgumentError(absl::StrCat("a weight of ", n, " x ", k, " in blocks of ", block, " and ", bits,
                                                   " bits has ", packed->data.size(), " bytes and ",
                                                   scales->as<float>().size(), " scales"));
  }
  if (node.HasArgument(4) && node.Argument(4) != nullptr && !node.Argument(4)->data.empty()) {
    return absl::UnimplementedError("weights in another order (g_idx)");
  }
  Tensor weight;
  weight.type = kFloat;
  if (absl::Status status = Allocate(std::vector<int64_t>{n, k}, weight); !status.ok()) return status;
  const auto field = [&](const Tensor& from, int64_t byte, int64_t index) {
    return (static_cast<int>(from.data[byte + index / per_byte]) >> (index % per_byte * bits)) & ((1 << bits) - 1);
  };
  for (int64_t row = 0; row < n; ++row) {
    for (int64_t i = 0; i < k; ++i) {
      const int64_t b = i / block;
      const float scale = scales->as<float>()[row * blocks + b];
      const float zero = zeros == nullptr ? static_cast<float>(1 << (bits - 1))
                         : real_zeros     ? zeros->as<float>()[row * blocks + b]
                                          : static_cast<float>(field(*zeros, row * zero_bytes, b));
      const int q = field(*packed, (row * blocks + b) * bytes, i % block);
      weight.as<float>()[row * k + i] = (static_cast<float>(q) - zero) * scale;
    }
  }
  return weight;
}

// accuracy_level 4: int8 in blocks of the weight's along the last axis, to the largest element of each. Weights of 8
// bits and of 4 bits in all blocks that the runtime takes, of 2 bits in three of them.
bool RoundsInput(const NodeReader& node) {
  if (!absl::EndsWith(node.op_type(), "::MatMulNBits") || node.Int("accuracy_level", 0) != 4) return false;
  const Tensor* zeros = node.Argument(3);
  if (zeros != nullptr && zeros->type == kFloat) return false;
  const int64_t bits = node.Int("bits", 4), block = node.Int("block_size", 32);
  return bits == 4 || bits == 8 || (bits == 2 && (block == 32 || block == 64 || block == 128));
}

absl::StatusOr<Tensor> RoundedInput(const NodeReader& node, const Tensor& x) {
  const int64_t block = node.Int("block_size", 32), size = x.dims.empty() ? 0 : x.dims.back();
  if (x.type != kFloat || block < 1) return absl::InvalidArgumentError("its input is not of real numbers");
  Tensor rounded = x;
  const absl::Span<float> all = rounded.as<float>();
  for (size_t row = 0; size > 0 && row < all.size(); row += static_cast<size_t>(size)) {
    for (int64_t first = 0; first < size; first += block) {
      const absl::Span<float> some =
          all.subspan(row + static_cast<size_t>(first), static_cast<size_t>(std::min(block, size - first)));
      float largest = 0;
      for (const float value : some) largest = std::max(largest, std::fabs(value));
      if (largest == 0) continue;
      const float scale = largest / 127.0f, inverse = 127.0f / largest;
      for (float& value : some) value = std::nearbyint(value * inverse) * scale;
    }
  }
  return rounded;
}

}  // namespace quantgate::simulator
