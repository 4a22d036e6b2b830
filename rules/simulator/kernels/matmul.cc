// Matrix products: linear layers, general products, products of two activations.
#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "rules/graph/data_type.h"
#include "rules/simulator/kernels/byte_weights.h"
#include "rules/simulator/kernels/exact_float.h"
#include "rules/simulator/kernels/kernels.h"
#include "rules/simulator/kernels/matmul_bytes.h"
#include "rules/simulator/kernels/products.h"
#include "rules/simulator/shapes.h"

namespace quantgate::simulator {
namespace {

// a (..., rows, depth) times b (..., depth, columns), or transposed as the flags say; b's scales along its columns.
struct Product {
  bool transpose_a = false, transpose_b = false;
  ByWidth form;
  const QTensor* bias = nullptr;
};

// What a part of the sums used, beside what those before did.
void AddUse(const AccumulatorUse& part, bool first, AccumulatorUse& all) {
  all.bits_used = std::max(all.bits_used, part.bits_used);
  all.bits_worst_case = std::max(all.bits_worst_case, part.bits_worst_case);
  all.bits_available = part.bits_available;
  all.overflows += part.overflows;
  all.rounding.known = part.rounding.known && (first || all.rounding.known);
  all.rounding.signal += part.rounding.signal;
  all.rounding.noise += part.rounding.noise;
}

// A copy of the last two axes exchanged.
Centered Transposed(const Centered& from, int64_t matrices, int64_t rows, int64_t columns) {
  std::vector<int64_t> index;
  index.reserve(static_cast<size_t>(matrices * rows * columns));
  for (int64_t m = 0; m < matrices; ++m) {
    for (int64_t c = 0; c < columns; ++c) {
      for (int64_t r = 0; r < rows; ++r) index.push_back((m * rows + r) * columns + c);
    }
  }
  return Gathered(from, index);
}

absl::Status Multiply(const Profile& profile, KernelCall& call, const Product& product) {
  const QTensor& a = *call.inputs[0];
  const QTensor& b = *call.inputs[1];
  QTensor& out = call.outputs[0];
  std::vector<int64_t> a_dims = a.tensor.dims, b_dims = b.tensor.dims;
  const bool a_vector = a_dims.size() == 1, b_vector = b_dims.size() == 1;
  if (a_dims.empty() || b_dims.empty()) return absl::InvalidArgumentError("a matrix product of a scalar");
  if (a_vector) a_dims.insert(a_dims.begin(), 1);
  if (b_vector) b_dims.insert(product.transpose_b ? b_dims.begin() : b_dims.end(), 1);
  const size_t ra = a_dims.size(), rb = b_dims.size();
  const int64_t rows = a_dims[ra - (product.transpose_a ? 1 : 2)], depth = a_dims[ra - (product.transpose_a ? 2 : 1)];
  const int64_t columns = b_dims[rb - (product.transpose_b ? 2 : 1)];
  if (b_dims[rb - (product.transpose_b ? 1 : 2)] != depth) {
    return absl::InvalidArgumentError(absl::StrCat("a product of [", absl::StrJoin(a.tensor.dims, ", "), "] and [",
                                                   absl::StrJoin(b.tensor.dims, ", "), "]"));
  }
  absl::Span<const int64_t> a_batch = absl::MakeConstSpan(a_dims).first(ra - 2);
  absl::Span<const int64_t> b_batch = absl::MakeConstSpan(b_dims).first(rb - 2);
  absl::StatusOr<std::vector<int64_t>> batch = BroadcastShape(a_batch, b_batch);
  if (!batch.ok()) return batch.status();
  absl::StatusOr<int64_t> matrices = ElementCount(*batch), a_matrices = ElementCount(a_batch),
                          b_matrices = ElementCount(b_batch);
  for (const auto& count : {matrices, a_matrices, b_matrices}) {
    if (!count.ok()) return count.status();
  }
  if (b.q.scales.size() > 1 && b.q.axis != static_cast<int>(b.tensor.dims.size()) - (product.transpose_b ? 2 : 1)) {
    return absl::UnimplementedError(absl::StrCat("scales along axis ", b.q.axis, " of the second operand"));
  }
  absl::StatusOr<Requantization> requantization =
      MakeRequantization(profile, product.form, call, a, b, product.bias, columns, out);
  if (!requantization.ok()) return requantization.status();
  std::vector<int64_t> dims = *batch;
  if (!a_vector) dims.push_back(rows);
  if (!b_vector) dims.push_back(columns);
  const std::vector<int64_t> a_index = BroadcastIndex(a_batch, *batch), b_index = BroadcastIndex(b_batch, *batch);
  const int b_columns = static_cast<int>(b.tensor.dims.size()) - (product.transpose_b ? 2 : 1);
  if (!product.transpose_a && BitWidth(a.tensor.type) == 8 && rows * columns * depth > 0 &&
      FitsBytes(a, depth, *requantization) && AreBytes(b, b_columns)) {
    if (absl::Status status = Allocate(dims, out.tensor); !status.ok()) return status;
    const bool one = *b_matrices == 1, as_it_is = one && product.transpose_b && b.tensor.dims.size() == 2;
    QTensor matrix;
    if (one && !as_it_is) matrix = MatrixOf(b, 0, columns, depth, !product.transpose_b);
    for (int64_t m = 0; m < *matrices; ++m) {
      if (!one) {
        matrix =
            MatrixOf(b, (b_index.empty() ? m : b_index[m]) * columns * depth, columns, depth, !product.transpose_b);
      }
      AccumulatorUse use;
      MultiplyBytes(a, (a_index.empty() ? m : a_index[m]) * rows * depth, rows, as_it_is ? b : matrix, *requantization,
                    call.use != nullptr ? &use : nullptr, out.tensor, m * rows * columns);
      if (call.use == nullptr) continue;
      call.use->bits_used = std::max(call.use->bits_used, use.bits_used);
      call.use->bits_available = use.bits_available;
      call.use->rounding.known = use.rounding.known;
      call.use->rounding.signal += use.rounding.signal;
      call.use->rounding.noise += use.rounding.noise;
      // Products of two activations have no weights that bound them.
      if (one) call.use->bits_worst_case = std::max(call.use->bits_worst_case, use.bits_worst_case);
    }
    return absl::OkStatus();
  }
  absl::StatusOr<Centered> x = CenteredElements(a);
  if (!x.ok()) return x.status();
  absl::StatusOr<Centered> w = CenteredElements(b);
  if (!w.ok()) return w.status();
  if (!x->is_narrow() || !w->is_narrow()) {
    Widen(*x);
    Widen(*w);
  }
  if (absl::Status status = Allocate(dims, out.tensor); !status.ok()) return status;
  if (product.transpose_a) *x = Transposed(*x, *a_matrices, depth, rows);
  if (!product.transpose_b) *w = Transposed(*w, *b_matrices, depth, columns);
  NoteWorstCase(a, *w, *b_matrices == 1 ? columns : 0, depth, *requantization, call.use);
  if (FitsFast(*x, *w, depth, *requantization)) {
    const std::vector<float> left(x->narrow.begin(), x->narrow.end());
    std::vector<float> panels;
    int64_t packed = -1;
    for (int64_t m = 0; m < *matrices; ++m) {
      const int64_t right = b_index.empty() ? m : b_index[m];
      if (right != packed) panels = PackPanels(w->narrow.data() + right * columns * depth, columns, depth);
      packed = right;
      MultiplyRowsFast(left.data() + (a_index.empty() ? m : a_index[m]) * rows * depth, x->largest, w->largest,
                       panels.data(), rows, columns, depth, *requantization, 0,
                       {&out.tensor, m * rows * columns, columns, 1}, call.use);
    }
    return absl::OkStatus();
  }
  for (int64_t m = 0; m < *matrices; ++m) {
    MultiplyRows(*x, (a_index.empty() ? m : a_index[m]) * rows * depth, *w,
                 (b_index.empty() ? m : b_index[m]) * columns * depth, rows, columns, depth, *requantization, 0,
                 {&out.tensor, m * rows * columns, columns, 1}, call.use);
  }
  return absl::OkStatus();
}

// The elements of `from` by their places, as a tensor of its own.
QTensor Picked(const QTensor& from, absl::Span<const int64_t> places, std::vector<int64_t> dims) {
  const size_t width = ElementSize(from.tensor.type);
  QTensor to{{from.tensor.type, std::move(dims), {}}, from.q};
  to.tensor.data.resize(places.size() * width);
  for (size_t i = 0; i < places.size(); ++i) {
    std::copy_n(from.tensor.data.data() + places[i] * width, width, to.tensor.data.data() + i * width);
  }
  return to;
}

// A bias of any shape that broadcasts to rows and columns, as ONNX has it. One that differs between rows: a row each.
absl::Status MultiplyBroadcast(const Profile& profile, KernelCall& call, Product product) {
  const QTensor& a = *call.inputs[0];
  const QTensor& b = *call.inputs[1];
  const QTensor* bias = product.bias;
  if (bias == nullptr || a.tensor.dims.size() != 2 || b.tensor.dims.size() != 2) {
    return Multiply(profile, call, product);
  }
  const int64_t rows = a.tensor.dims[product.transpose_a ? 1 : 0], depth = a.tensor.dims[product.transpose_a ? 0 : 1];
  const int64_t columns = b.tensor.dims[product.transpose_b ? 0 : 1];
  const std::vector<int64_t>& dims = bias->tensor.dims;
  if (dims.size() <= 1 ? dims == std::vector<int64_t>{columns} : dims == std::vector<int64_t>{1, columns}) {
    return Multiply(profile, call, product);
  }
  const std::vector<int64_t> of_sums = {rows, columns};
  const absl::StatusOr<std::vector<int64_t>> common = BroadcastShape(dims, of_sums);
  if (!common.ok() || *common != of_sums) {
    return absl::InvalidArgumentError(
        absl::StrCat("a bias of [", absl::StrJoin(dims, ", "), "] for sums of [", rows, ", ", columns, "]"));
  }
  if (bias->q.scales.size() > 1) return absl::UnimplementedError("a bias with several scales that is broadcast");
  std::vector<int64_t> places = BroadcastIndex(dims, of_sums);
  if (places.empty()) {
    for (int64_t i = 0; i < rows * columns; ++i) places.push_back(i);
  }
  const absl::Span<const int64_t> all = absl::MakeConstSpan(places);
  const bool same_rows = dims.size() < 2 || dims[0] == 1;
  if (rows == 0 || same_rows) {
    const QTensor row = Picked(*bias, all.first(rows == 0 ? 0 : columns), {rows == 0 ? 0 : columns});
    product.bias = rows == 0 ? nullptr : &row;
    return Multiply(profile, call, product);
  }
  QTensor& out = call.outputs[0];
  if (absl::Status status = Allocate(of_sums, out.tensor); !status.ok()) return status;
  const size_t row_bytes = static_cast<size_t>(columns) * ElementSize(out.tensor.type);
  Product one = product;
  one.transpose_a = false;
  for (int64_t row = 0; row < rows; ++row) {
    std::vector<int64_t> of_row(static_cast<size_t>(depth));
    for (int64_t k = 0; k < depth; ++k) of_row[k] = product.transpose_a ? k * rows + row : row * depth + k;
    const QTensor x = Picked(a, of_row, {1, depth}),
                  added = Picked(*bias, all.subspan(row * columns, columns), {columns});
    one.bias = &added;
    const QTensor* inputs[2] = {&x, &b};
    QTensor result{{out.tensor.type, {}, {}}, out.q};
    AccumulatorUse use;
    KernelCall part{call.op,
                    call.layout,
                    call.attributes,
                    inputs,
                    absl::MakeSpan(&result, 1),
                    call.use != nullptr ? &use : nullptr};
    if (absl::Status status = Multiply(profile, part, one); !status.ok()) return status;
    std::copy_n(result.tensor.data.data(), row_bytes, out.tensor.data.data() + row * row_bytes);
    if (call.use != nullptr) AddUse(use, row == 0, *call.use);
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status MatMul(const Profile& profile, KernelCall& call) {
  const Attributes& attributes = AttributesOf(call);
  ByWidth form = profile.matmul;
  // XNNPACK takes a product of two activations where the second one has no zero point.
  if (profile.xnnpack_delegate && call.inputs[1]->q.zero_point() == 0) form.bits8 = profile.linear.bits8;
  return Multiply(profile, call,
                  {.transpose_a = attributes.Int("transA", 0) != 0,
                   .transpose_b = attributes.Int("transB", 0) != 0,
                   .form = form,
                   .bias = call.inputs.size() > 2 ? call.inputs[2] : nullptr});
}

absl::Status Linear(const Profile& profile, KernelCall& call) {
  if (call.inputs[1]->tensor.dims.size() != 2) {
    return absl::InvalidArgumentError(
        absl::StrCat("weights of rank ", call.inputs[1]->tensor.dims.size(), " of a linear layer"));
  }
  return Multiply(
      profile, call,
      {.transpose_b = true, .form = profile.linear, .bias = call.inputs.size() > 2 ? call.inputs[2] : nullptr});
}

absl::Status Gemm(const Profile& profile, KernelCall& call) {
  const Attributes& attributes = AttributesOf(call);
  const bool whole = attributes.Has("sum_factor");  // alpha and beta say the same of the reference
  if (!whole && (attributes.Float("alpha", 1) != 1 || attributes.Float("beta", 1) != 1)) {
    return absl::UnimplementedError("a general matrix product with alpha or beta");
  }
  if (whole && !(attributes.Float("sum_factor", 1) > 0)) {
    return absl::UnimplementedError("a general matrix product with a negative alpha");
  }
  return MultiplyBroadcast(profile, call,
                           {.transpose_a = attributes.Int("transA", 0) != 0,
                            .transpose_b = attributes.Int("transB", 0) != 0,
                            .form = profile.linear,
                            .bias = call.inputs.size() > 2 ? call.inputs[2] : nullptr});
}

}  // namespace quantgate::simulator
