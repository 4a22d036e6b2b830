// Linear, general and batched products of matrices.
#include "absl/strings/str_cat.h"
#include "rules/simulator/float/gemm.h"
#include "rules/simulator/float/kernels.h"
#include "rules/simulator/shapes.h"

namespace quantgate::simulator {
namespace {

absl::Status Mismatch(const Dims& a, const Dims& b) {
  return absl::InvalidArgumentError(
      absl::StrCat("matrices ", DimsText(a), " and ", DimsText(b), " do not go together"));
}

absl::Status RunProduct(FloatCall& call, bool transposed_a, bool transposed_b) {
  Dims a = call.inputs[0]->dims, b = call.inputs[1]->dims;
  if (a.empty() || b.empty()) return Mismatch(a, b);
  // Vectors are a row in front and a column behind, and leave no axis.
  const bool vector_a = a.size() == 1, vector_b = b.size() == 1;
  if (vector_a) a.insert(a.begin(), 1);
  if (vector_b) b.push_back(1);
  const size_t ra = a.size(), rb = b.size();
  const int64_t m = a[transposed_a ? ra - 1 : ra - 2], k = a[transposed_a ? ra - 2 : ra - 1];
  const int64_t n = b[transposed_b ? rb - 2 : rb - 1];
  if (b[transposed_b ? rb - 1 : rb - 2] != k) return Mismatch(a, b);
  const Dims batch_a(a.begin(), a.end() - 2), batch_b(b.begin(), b.end() - 2);
  const absl::StatusOr<Dims> batch = BroadcastShape(batch_a, batch_b);
  if (!batch.ok()) return batch.status();
  Dims dims = *batch;
  if (!vector_a) dims.push_back(m);
  if (!vector_b) dims.push_back(n);
  if (absl::Status status = call.MakeUnset(0, v1::DATA_TYPE_FLOAT32, dims); !status.ok()) return status;
  const float* left = call.inputs[0]->as<float>().data();
  const float* right = call.inputs[1]->as<float>().data();
  float* out = call.outputs[0].as<float>().data();
  const int64_t batches = Count(*batch);
  // One matrix on the right serves all rows on the left.
  if (Count(batch_b) == 1 && !transposed_a) {
    Gemm(batches * m, n, k, left, false, right, transposed_b, out);
    return absl::OkStatus();
  }
  const auto at = [&](int64_t index, const Dims& own) {
    const Dims strides = StridesOf(own);
    int64_t offset = 0;
    for (size_t i = batch->size(), j = own.size(); i-- > 0 && j-- > 0; index /= (*batch)[i]) {
      if (own[j] != 1) offset += index % (*batch)[i] * strides[j];
    }
    return offset;
  };
  for (int64_t i = 0; i < batches; ++i) {
    Gemm(m, n, k, left + at(i, batch_a) * m * k, transposed_a, right + at(i, batch_b) * k * n, transposed_b,
         out + i * m * n);
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status RunMatMul(FloatCall& call) {
  for (size_t i = 0; i < 2; ++i) {
    if (absl::StatusOr<absl::Span<const float>> operand = FloatInput(call, i); !operand.ok()) return operand.status();
  }
  const Attributes& attributes = call.attributes;
  const bool linear = call.op == OpId::kLinear;
  if (linear && call.inputs[1]->dims.size() != 2) return Mismatch(call.inputs[0]->dims, call.inputs[1]->dims);
  const bool transposed_a = attributes.Int("transA", 0) != 0;
  const bool transposed_b = linear || attributes.Int("transB", 0) != 0;
  // LiteRT's fully connected operator takes its input as rows of what the weight asks for.
  Tensor rows;
  const Tensor* inputs[2] = {call.inputs[0], call.inputs[1]};
  if (linear && attributes.Int("flatten", 0) != 0) {
    rows = *call.inputs[0];
    const int64_t k = call.inputs[1]->dims[1];
    if (k <= 0 || Count(rows.dims) % k != 0) return Mismatch(rows.dims, call.inputs[1]->dims);
    rows.dims = {Count(rows.dims) / k, k};
    inputs[0] = &rows;
  }
  FloatCall product{call.op, call.layout, attributes, inputs, call.outputs, call.max_bytes};
  if (absl::Status status = RunProduct(product, transposed_a, transposed_b); !status.ok()) return status;
  const absl::Span<float> out = call.outputs[0].as<float>();
  const float alpha = static_cast<float>(attributes.Float("alpha", 1));
  if (alpha != 1) {
    for (float& value : out) value *= alpha;
  }
  if (call.input(2) != nullptr) {
    const absl::StatusOr<absl::Span<const float>> bias = FloatInput(call, 2);
    if (!bias.ok()) return bias.status();
    const float beta = static_cast<float>(attributes.Float("beta", 1));
    const Dims& dims = call.outputs[0].dims;
    const absl::StatusOr<Dims> met = BroadcastShape(dims, call.inputs[2]->dims);
    if (!met.ok()) return met.status();
    if (*met != dims) return Mismatch(dims, call.inputs[2]->dims);
    const Dims& own = call.inputs[2]->dims;
    const int64_t n = dims.back();
    const int64_t columns = own.empty() ? 1 : own.back();
    // A row for all, or a column, or as many as the product has.
    const int64_t bias_rows = std::max<int64_t>(static_cast<int64_t>(bias->size()) / std::max<int64_t>(columns, 1), 1);
    for (size_t i = 0; i < out.size(); ++i) {
      const int64_t row = static_cast<int64_t>(i) / n % bias_rows,
                    column = columns == 1 ? 0 : static_cast<int64_t>(i) % n;
      out[i] += beta * (*bias)[row * columns + column];
    }
  }
  Activate(attributes, out);
  return absl::OkStatus();
}

}  // namespace quantgate::simulator
