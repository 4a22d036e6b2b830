#include "rules/simulator/run/integer_products.h"

#include "absl/strings/str_cat.h"
#include "rules/simulator/float/kernels.h"
#include "rules/simulator/shapes.h"
#include "rules/simulator/tensor.h"
#include "rules/simulator/window.h"

namespace quantgate::simulator {
namespace {

// Elements as doubles: integers and reals alike.
absl::StatusOr<std::vector<double>> NumbersOf(const Tensor& tensor) {
  if (tensor.type == kFloat) return std::vector<double>(tensor.as<float>().begin(), tensor.as<float>().end());
  const absl::StatusOr<std::vector<int64_t>> integers = ToInt64(tensor);
  if (!integers.ok()) return integers.status();
  return std::vector<double>(integers->begin(), integers->end());
}

// The tensor minus its zero point (of each row or column, where there are several).
absl::StatusOr<Tensor> Shifted(const IntegerOperand& operand, int axis) {
  const Tensor& tensor = *operand.tensor;
  const Tensor* zero_point = operand.zero_point;
  absl::StatusOr<std::vector<double>> numbers = NumbersOf(tensor);
  if (!numbers.ok()) return numbers.status();
  std::vector<double> zeros = {0};
  if (zero_point != nullptr) {
    absl::StatusOr<std::vector<double>> given = NumbersOf(*zero_point);
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

absl::StatusOr<absl::Span<const float>> ScalesOf(const Tensor* scale, int64_t columns) {
  if (scale == nullptr || scale->type != kFloat) return absl::InvalidArgumentError("a scale that is no real number");
  const absl::Span<const float> scales = scale->as<float>();
  if (scales.size() == 1 || static_cast<int64_t>(scales.size()) == columns) return scales;
  return absl::UnimplementedError(absl::StrCat(scales.size(), " scales for ", columns, " columns"));
}

}  // namespace

absl::Status WriteNumbers(v1::DataType type, const Dims& dims, absl::Span<const double> numbers, Tensor& out) {
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

// Sums of products in double: exact for integers of 8 bits.
absl::Status IntegerMatMul(const IntegerOperand& left, const IntegerOperand& right, bool exact, Tensor& out) {
  absl::StatusOr<Tensor> a = Shifted(left, -2), b = Shifted(right, -1);
  if (!a.ok()) return a.status();
  if (!b.ok()) return b.status();
  // Vectors are matrices of one row or column, as in numpy.
  const bool row_vector = a->dims.size() == 1, column_vector = b->dims.size() == 1;
  if (row_vector) a->dims.insert(a->dims.begin(), 1);
  if (column_vector) b->dims.push_back(1);
  const size_t ra = a->dims.size(), rb = b->dims.size();
  if (ra < 2 || rb < 2 || a->dims[ra - 1] != b->dims[rb - 2]) {
    return absl::InvalidArgumentError(
        absl::StrCat("matrices ", DimsText(left.tensor->dims), " and ", DimsText(right.tensor->dims)));
  }
  const int64_t m = a->dims[ra - 2], k = a->dims[ra - 1], n = b->dims[rb - 1];
  const absl::Span<const int64_t> a_batch = absl::MakeConstSpan(a->dims).first(ra - 2);
  const absl::Span<const int64_t> b_batch = absl::MakeConstSpan(b->dims).first(rb - 2);
  const absl::StatusOr<std::vector<int64_t>> batch = BroadcastShape(a_batch, b_batch);
  if (!batch.ok()) return batch.status();
  Dims dims = *batch;
  dims.push_back(m);
  dims.push_back(n);
  Tensor room;  // asks for it, as a result would
  room.type = v1::DATA_TYPE_FLOAT64;
  if (absl::Status status = Allocate(dims, room); !status.ok()) return status;
  const absl::Span<double> sums = room.as<double>();
  const std::vector<int64_t> a_index = BroadcastIndex(a_batch, *batch), b_index = BroadcastIndex(b_batch, *batch);
  for (int64_t matrix = 0; matrix < Count(*batch); ++matrix) {
    const double* from = a->as<double>().data() + (a_index.empty() ? matrix : a_index[matrix]) * m * k;
    const double* with = b->as<double>().data() + (b_index.empty() ? matrix : b_index[matrix]) * k * n;
    double* to = sums.data() + matrix * m * n;
    for (int64_t row = 0; row < m; ++row, to += n) {
      for (int64_t i = 0; i < k; ++i) {
        const double factor = from[row * k + i];
        for (int64_t column = 0; column < n; ++column) to[column] += factor * with[i * n + column];
      }
    }
  }
  if (column_vector) dims.pop_back();
  if (row_vector) dims.erase(dims.end() - (column_vector ? 1 : 2));
  return WriteNumbers(exact ? v1::DATA_TYPE_INT32 : kFloat, dims, sums, out);
}

absl::Status IntegerConv(const IntegerOperand& data, const IntegerOperand& weight, const Attributes& attributes,
                         bool exact, Tensor& out_tensor) {
  absl::StatusOr<Tensor> x = Shifted(data, 0), w = Shifted(weight, 0);
  if (!x.ok()) return x.status();
  if (!w.ok()) return w.status();
  if (x->dims.size() != w->dims.size() || (x->dims.size() != 3 && x->dims.size() != 4))
    return absl::UnimplementedError("integer convolutions of other ranks than 3 and 4");
  absl::StatusOr<std::vector<Window>> windows =
      Windows(attributes, absl::MakeConstSpan(x->dims).subspan(2), absl::MakeConstSpan(w->dims).subspan(2));
  if (!windows.ok()) return windows.status();
  // One row, where there is one axis.
  const bool line = windows->size() == 1;
  if (line) {
    windows->insert(windows->begin(), Window());
    x->dims.insert(x->dims.begin() + 2, 1);
    w->dims.insert(w->dims.begin() + 2, 1);
  }
  const Window &down = (*windows)[0], &across = (*windows)[1];
  const int64_t group = attributes.Int("group", 1), in = w->dims[1];
  if (group < 1 || in * group != x->dims[1] || w->dims[0] % group != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("data ", DimsText(x->dims), ", weight ", DimsText(w->dims), " and ", group, " groups"));
  }
  const int64_t height = x->dims[2], width = x->dims[3], out_per_group = w->dims[0] / group;
  Dims dims = {x->dims[0], w->dims[0], down.output, across.output};
  Tensor room;  // asks for it, as a result would
  room.type = v1::DATA_TYPE_FLOAT64;
  if (absl::Status status = Allocate(dims, room); !status.ok()) return status;
  const absl::Span<double> sums = room.as<double>();
  const double* pixels = x->as<double>().data();
  const double* weights = w->as<double>().data();
  double* out = sums.data();
  for (int64_t n = 0; n < dims[0]; ++n) {
    for (int64_t o = 0; o < dims[1]; ++o, out += dims[2] * dims[3]) {
      for (int64_t c = 0; c < in; ++c) {
        const double* plane = pixels + (n * x->dims[1] + o / out_per_group * in + c) * height * width;
        for (int64_t r = 0; r < down.kernel; ++r) {
          for (int64_t s = 0; s < across.kernel; ++s) {
            const double weight = weights[((o * in + c) * down.kernel + r) * across.kernel + s];
            for (int64_t y = 0; y < dims[2]; ++y) {
              const int64_t row = y * down.stride - down.pad_begin + r * down.dilation;
              if (row < 0 || row >= height) continue;
              for (int64_t z = 0; z < dims[3]; ++z) {
                const int64_t column = z * across.stride - across.pad_begin + s * across.dilation;
                if (column >= 0 && column < width) out[y * dims[3] + z] += weight * plane[row * width + column];
              }
            }
          }
        }
      }
    }
  }
  if (line) dims.erase(dims.begin() + 2);
  return WriteNumbers(exact ? v1::DATA_TYPE_INT32 : kFloat, dims, sums, out_tensor);
}

absl::Status ScaledMatMul(const IntegerOperand& a, const IntegerOperand& b, const Tensor* a_scale,
                          const Tensor* b_scale, const Tensor* bias, bool exact, Tensor& out) {
  Tensor sums;
  if (absl::Status status = IntegerMatMul(a, b, exact, sums); !status.ok()) return status;
  const int64_t columns = b.tensor->dims.size() > 1 ? b.tensor->dims.back() : 1;
  const absl::StatusOr<absl::Span<const float>> one = ScalesOf(a_scale, 1), many = ScalesOf(b_scale, columns);
  if (!one.ok()) return one.status();
  if (!many.ok()) return many.status();
  if (bias != nullptr && (bias->type != kFloat || static_cast<int64_t>(bias->as<float>().size()) != columns)) {
    return absl::InvalidArgumentError(absl::StrCat("a bias ", DimsText(bias->dims), " for ", columns, " columns"));
  }
  out.type = kFloat;
  if (absl::Status status = Allocate(sums.dims, out); !status.ok()) return status;
  const absl::Span<float> to = out.as<float>();
  for (size_t i = 0; i < to.size(); ++i) {
    const size_t column = i % static_cast<size_t>(columns);
    const float sum = exact ? static_cast<float>(sums.as<int32_t>()[i]) : sums.as<float>()[i];
    to[i] = sum * ((*one)[0] * (*many)[many->size() == 1 ? 0 : column]);
    if (bias != nullptr) to[i] += bias->as<float>()[column];
  }
  return absl::OkStatus();
}

}  // namespace quantgate::simulator
