#include "rules/simulator/run/integer_ops.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "rules/simulator/float/kernels.h"

namespace quantgate::simulator {
namespace {

constexpr v1::DataType kFloat = v1::DATA_TYPE_FLOAT32;

// Elements as doubles: integers and reals alike.
absl::StatusOr<std::vector<double>> Numbers(const Tensor& tensor) {
  if (tensor.type == kFloat) return std::vector<double>(tensor.as<float>().begin(), tensor.as<float>().end());
  const absl::StatusOr<std::vector<int64_t>> integers = ToInt64(tensor);
  if (!integers.ok()) return integers.status();
  return std::vector<double>(integers->begin(), integers->end());
}

absl::Status Write(v1::DataType type, const Dims& dims, absl::Span<const double> numbers, Tensor& out) {
  out.type = type;
  if (absl::Status status = Allocate(dims, out); !status.ok()) return status;
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (type == kFloat) {
      out.as<float>()[i] = static_cast<float>(numbers[i]);
    } else if (type == v1::DATA_TYPE_UINT8) {
      out.as<uint8_t>()[i] = static_cast<uint8_t>(numbers[i]);
    } else {
      // Accumulators wrap.
      out.as<int32_t>()[i] = static_cast<int32_t>(static_cast<uint32_t>(static_cast<int64_t>(numbers[i])));
    }
  }
  return absl::OkStatus();
}

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
  if (absl::Status status = Write(exact ? v1::DATA_TYPE_UINT8 : kFloat, x.dims, numbers, outputs[0]); !status.ok())
    return status;
  if (outputs.size() > 1) {
    if (absl::Status status = Write(kFloat, {}, {scale}, outputs[1]); !status.ok()) return status;
  }
  return outputs.size() > 2 ? Write(exact ? v1::DATA_TYPE_UINT8 : kFloat, {}, {zero}, outputs[2]) : absl::OkStatus();
}

// The tensor minus its zero point (of each row or column, where there are several).
absl::StatusOr<Tensor> Centered(const Tensor& tensor, const Tensor* zero_point, int axis) {
  absl::StatusOr<std::vector<double>> numbers = Numbers(tensor);
  if (!numbers.ok()) return numbers.status();
  std::vector<double> zeros = {0};
  if (zero_point != nullptr) {
    absl::StatusOr<std::vector<double>> given = Numbers(*zero_point);
    if (!given.ok()) return given.status();
    if (!given->empty()) zeros = *std::move(given);
  }
  const size_t rank = tensor.dims.size();
  const size_t at = axis < 0 ? rank - static_cast<size_t>(-axis) : static_cast<size_t>(axis);
  if (zeros.size() > 1 && (at >= rank || static_cast<int64_t>(zeros.size()) != tensor.dims[at])) {
    return absl::UnimplementedError(absl::StrCat(zeros.size(), " zero points of a tensor ", DimsText(tensor.dims)));
  }
  const int64_t inner = zeros.size() > 1 ? Count(absl::MakeConstSpan(tensor.dims).subspan(at + 1)) : 1;
  Tensor result;
  result.type = v1::DATA_TYPE_FLOAT64;
  if (absl::Status status = Allocate(tensor.dims, result); !status.ok()) return status;
  for (size_t i = 0; i < numbers->size(); ++i) {
    const size_t zero = zeros.size() > 1 ? (static_cast<int64_t>(i) / inner) % zeros.size() : 0;
    result.as<double>()[i] = (*numbers)[i] - zeros[zero];
  }
  return result;
}

// Sums of products in double: exact for integers of 8 bits.
absl::Status MatMulInteger(absl::Span<const Tensor* const> inputs, bool exact, absl::Span<Tensor> outputs) {
  const auto at = [&](size_t i) { return i < inputs.size() ? inputs[i] : nullptr; };
  const absl::StatusOr<Tensor> a = Centered(*inputs[0], at(2), -2), b = Centered(*inputs[1], at(3), -1);
  if (!a.ok()) return a.status();
  if (!b.ok()) return b.status();
  const size_t ra = a->dims.size(), rb = b->dims.size();
  if (ra < 2 || rb < 2 || a->dims[ra - 1] != b->dims[rb - 2]) {
    return absl::InvalidArgumentError(absl::StrCat("matrices ", DimsText(a->dims), " and ", DimsText(b->dims)));
  }
  const int64_t m = a->dims[ra - 2], k = a->dims[ra - 1], n = b->dims[rb - 1];
  const Dims batch_a(a->dims.begin(), a->dims.end() - 2), batch_b(b->dims.begin(), b->dims.end() - 2);
  if (Count(batch_b) != 1 && batch_a != batch_b) return absl::UnimplementedError("batches of different sizes");
  Dims dims = batch_a;
  if (batch_a.empty()) dims = batch_b;
  dims.push_back(m);
  dims.push_back(n);
  const int64_t batches = Count(batch_a);
  std::vector<double> sums(static_cast<size_t>(batches * m * n), 0.0);
  const double* left = a->as<double>().data();
  for (int64_t row = 0; row < batches * m; ++row) {
    const double* right = b->as<double>().data() + (Count(batch_b) == 1 ? 0 : row / m * k * n);
    double* out = sums.data() + row * n;
    for (int64_t i = 0; i < k; ++i) {
      const double factor = left[row * k + i];
      for (int64_t column = 0; column < n; ++column) out[column] += factor * right[i * n + column];
    }
  }
  return Write(exact ? v1::DATA_TYPE_INT32 : kFloat, dims, sums, outputs[0]);
}

absl::Status ConvInteger(absl::Span<const Tensor* const> inputs, const Lowered& lowered, bool exact,
                         absl::Span<Tensor> outputs) {
  const auto at = [&](size_t i) { return i < inputs.size() ? inputs[i] : nullptr; };
  const absl::StatusOr<Tensor> x = Centered(*inputs[0], at(2), 0), w = Centered(*inputs[1], at(3), 0);
  if (!x.ok()) return x.status();
  if (!w.ok()) return w.status();
  if (x->dims.size() != 4 || w->dims.size() != 4)
    return absl::UnimplementedError("integer convolutions of other ranks than 4");
  const absl::StatusOr<SpatialWindow> window =
      MakeWindow(lowered.attributes, absl::MakeConstSpan(x->dims).subspan(2), absl::MakeConstSpan(w->dims).subspan(2));
  if (!window.ok()) return window.status();
  const int64_t group = lowered.attributes.Int("group", 1), in = w->dims[1];
  if (group < 1 || in * group != x->dims[1] || w->dims[0] % group != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("data ", DimsText(x->dims), ", weight ", DimsText(w->dims), " and ", group, " groups"));
  }
  const int64_t height = x->dims[2], width = x->dims[3], out_per_group = w->dims[0] / group;
  const Dims dims = {x->dims[0], w->dims[0], window->outputs[0], window->outputs[1]};
  std::vector<double> sums(static_cast<size_t>(Count(dims)), 0.0);
  const double* data = x->as<double>().data();
  const double* weights = w->as<double>().data();
  double* out = sums.data();
  for (int64_t n = 0; n < dims[0]; ++n) {
    for (int64_t o = 0; o < dims[1]; ++o, out += dims[2] * dims[3]) {
      for (int64_t c = 0; c < in; ++c) {
        const double* plane = data + (n * x->dims[1] + o / out_per_group * in + c) * height * width;
        for (int64_t r = 0; r < window->kernel[0]; ++r) {
          for (int64_t s = 0; s < window->kernel[1]; ++s) {
            const double weight = weights[((o * in + c) * window->kernel[0] + r) * window->kernel[1] + s];
            for (int64_t y = 0; y < dims[2]; ++y) {
              const int64_t row = y * window->strides[0] - window->pads_begin[0] + r * window->dilations[0];
              if (row < 0 || row >= height) continue;
              for (int64_t z = 0; z < dims[3]; ++z) {
                const int64_t column = z * window->strides[1] - window->pads_begin[1] + s * window->dilations[1];
                if (column >= 0 && column < width) out[y * dims[3] + z] += weight * plane[row * width + column];
              }
            }
          }
        }
      }
    }
  }
  return Write(exact ? v1::DATA_TYPE_INT32 : kFloat, dims, sums, outputs[0]);
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
  return op_type == "DynamicQuantizeLinear" || op_type == "MatMulInteger" || op_type == "ConvInteger" ||
         absl::StartsWith(op_type, "quantized_decomposed.choose_qparams");
}

absl::Status RunIntegerOp(const NodeReader& node, absl::Span<const Tensor* const> inputs, const Lowered& lowered,
                          bool exact, absl::Span<Tensor> outputs) {
  const absl::string_view op = node.op_type();
  if (inputs.empty() || inputs[0] == nullptr || outputs.empty())
    return absl::InvalidArgumentError("its input is not there");
  if (op == "DynamicQuantizeLinear") return DynamicQuantize(*inputs[0], exact, outputs);
  if (op != "MatMulInteger" && op != "ConvInteger") return ChooseQParams(node, *inputs[0], outputs);
  if (inputs.size() < 2 || inputs[1] == nullptr) return absl::InvalidArgumentError("its weight is not there");
  return op == "MatMulInteger" ? MatMulInteger(inputs, exact, outputs) : ConvInteger(inputs, lowered, exact, outputs);
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

}  // namespace quantgate::simulator
