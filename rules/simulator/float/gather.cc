// Elements and slices by index.
#include <cstring>

#include "absl/strings/str_cat.h"
#include "rules/simulator/float/kernels.h"
#include "rules/simulator/shapes.h"

namespace quantgate::simulator {
namespace {

absl::Status OutOfRange(int64_t index, int64_t size) {
  return absl::InvalidArgumentError(absl::StrCat("index ", index, " of ", size, " elements"));
}

absl::Status GatherSlices(FloatCall& call, const Tensor& x, const Tensor& indices, int axis,
                          const std::vector<int64_t>& values) {
  Dims dims(x.dims.begin(), x.dims.begin() + axis);
  // LiteRT gathers within batches that both have.
  const int64_t batch_dims = call.attributes.Int("batch_dims", 0);
  if (batch_dims < 0 || batch_dims > axis || batch_dims > static_cast<int64_t>(indices.dims.size())) {
    return absl::InvalidArgumentError(absl::StrCat(batch_dims, " batch axes"));
  }
  dims.insert(dims.end(), indices.dims.begin() + batch_dims, indices.dims.end());
  dims.insert(dims.end(), x.dims.begin() + axis + 1, x.dims.end());
  if (absl::Status status = call.Make(0, x.type, dims); !status.ok()) return status;
  const absl::Span<const int64_t> x_dims(x.dims);
  const int64_t batches = Count(x_dims.subspan(0, batch_dims));
  const int64_t outer = Count(x_dims.subspan(batch_dims, axis - batch_dims));
  const int64_t bytes = Count(x_dims.subspan(axis + 1)) * static_cast<int64_t>(ElementSize(x.type));
  const int64_t size = x.dims[axis];
  if (Count(absl::MakeConstSpan(indices.dims).subspan(0, batch_dims)) != batches) {
    return absl::InvalidArgumentError("batches of data and of indices differ");
  }
  const int64_t each = batches == 0 ? 0 : static_cast<int64_t>(values.size()) / batches;
  std::byte* to = call.outputs[0].data.data();
  for (int64_t b = 0; b < batches; ++b) {
    for (int64_t o = 0; o < outer; ++o) {
      for (int64_t i = 0; i < each; ++i, to += bytes) {
        int64_t index = values[b * each + i];
        if (index < 0) index += size;
        if (index < 0 || index >= size) return OutOfRange(values[b * each + i], size);
        if (bytes > 0) std::memcpy(to, x.data.data() + ((b * outer + o) * size + index) * bytes, bytes);
      }
    }
  }
  return absl::OkStatus();
}

absl::Status GatherElements(FloatCall& call, const Tensor& x, const Tensor& indices, int axis,
                            const std::vector<int64_t>& values) {
  const size_t rank = x.dims.size();
  if (indices.dims.size() != rank) return absl::InvalidArgumentError("indices of another rank than the data");
  if (absl::Status status = call.Make(0, x.type, indices.dims); !status.ok()) return status;
  const Dims strides = StridesOf(x.dims);
  const size_t width = ElementSize(x.type);
  Dims at(rank, 0);
  for (size_t i = 0; i < values.size(); ++i) {
    int64_t index = values[i];
    if (index < 0) index += x.dims[axis];
    if (index < 0 || index >= x.dims[axis]) return OutOfRange(values[i], x.dims[axis]);
    int64_t from = 0;
    for (size_t a = 0; a < rank; ++a) {
      if (static_cast<int>(a) != axis && at[a] >= x.dims[a]) return OutOfRange(at[a], x.dims[a]);
      from += (static_cast<int>(a) == axis ? index : at[a]) * strides[a];
    }
    std::memcpy(call.outputs[0].data.data() + i * width, x.data.data() + from * width, width);
    for (size_t a = rank; a-- > 0;) {
      if (++at[a] < indices.dims[a]) break;
      at[a] = 0;
    }
  }
  return absl::OkStatus();
}

absl::Status GatherNd(FloatCall& call, const Tensor& x, const Tensor& indices, const std::vector<int64_t>& values) {
  const int64_t batch_dims = call.attributes.Int("batch_dims", 0);
  const int64_t rank = static_cast<int64_t>(x.dims.size());
  if (indices.dims.empty()) return absl::InvalidArgumentError("indices without axes");
  const int64_t depth = indices.dims.back();
  if (batch_dims < 0 || batch_dims >= static_cast<int64_t>(indices.dims.size()) || depth < 0 ||
      batch_dims + depth > rank) {
    return absl::InvalidArgumentError(absl::StrCat("indices of ", depth, " axes and ", batch_dims, " batch axes"));
  }
  Dims dims(indices.dims.begin(), indices.dims.end() - 1);
  dims.insert(dims.end(), x.dims.begin() + batch_dims + depth, x.dims.end());
  if (absl::Status status = call.Make(0, x.type, dims); !status.ok()) return status;
  const absl::Span<const int64_t> x_dims(x.dims);
  const int64_t batches = Count(absl::MakeConstSpan(indices.dims).subspan(0, batch_dims));
  if (batches != Count(x_dims.subspan(0, batch_dims)))
    return absl::InvalidArgumentError("batches of data and of indices differ");
  const int64_t tuples = Count(absl::MakeConstSpan(indices.dims).subspan(0, indices.dims.size() - 1));
  const int64_t bytes = Count(x_dims.subspan(batch_dims + depth)) * static_cast<int64_t>(ElementSize(x.type));
  const int64_t each = batches == 0 ? 0 : tuples / batches;
  const int64_t rows = Count(x_dims.subspan(batch_dims, depth));
  std::byte* to = call.outputs[0].data.data();
  for (int64_t tuple = 0; tuple < tuples; ++tuple, to += bytes) {
    int64_t from = tuple / std::max<int64_t>(each, 1);
    for (int64_t i = 0; i < depth; ++i) {
      const int64_t size = x.dims[batch_dims + i], given = values[tuple * depth + i];
      const int64_t index = given < 0 ? given + size : given;
      if (index < 0 || index >= size) return OutOfRange(given, size);
      from = from * size + index;
    }
    (void)rows;
    if (bytes > 0) std::memcpy(to, x.data.data() + from * bytes, bytes);
  }
  return absl::OkStatus();
}

// torch's x[i, j, ...]: index tensors in front, broadcast to one shape.
absl::Status Index(FloatCall& call, const Tensor& x) {
  const size_t depth = call.inputs.size() - 1;
  if (depth == 0 || depth > x.dims.size()) return absl::InvalidArgumentError(absl::StrCat(depth, " indices"));
  Dims shape;
  size_t skipped = 0;
  while (skipped < depth && call.inputs[1 + skipped] == nullptr) ++skipped;
  for (size_t i = skipped; i < depth; ++i) {
    if (call.inputs[1 + i] == nullptr) return absl::UnimplementedError("an index of all between others");
    if (call.inputs[1 + i]->type == v1::DATA_TYPE_BOOL) return absl::UnimplementedError("an index that is a mask");
    const absl::StatusOr<Dims> met = BroadcastShape(shape, call.inputs[1 + i]->dims);
    if (!met.ok()) return met.status();
    shape = *met;
  }
  // One index per element of `shape`, into the axes behind the skipped ones taken as one.
  const int64_t count = Count(shape);
  std::vector<int64_t> flat(static_cast<size_t>(count), 0);
  Tensor folded = x;
  int64_t combined = 1;
  for (size_t i = skipped; i < depth; ++i) {
    const Tensor& index = *call.inputs[1 + i];
    const absl::StatusOr<std::vector<int64_t>> values = ToInt64(index);
    if (!values.ok()) return values.status();
    const Dims strides = StridesOf(index.dims);
    const int64_t size = x.dims[i];
    combined *= size;
    for (int64_t at = 0; at < count; ++at) {
      int64_t rest = at, from = 0;
      for (size_t a = shape.size(), b = index.dims.size(); a-- > 0 && b-- > 0; rest /= shape[a]) {
        if (index.dims[b] != 1) from += rest % shape[a] * strides[b];
      }
      const int64_t given = (*values)[from];
      const int64_t position = given < 0 ? given + size : given;
      if (position < 0 || position >= size) return OutOfRange(given, size);
      flat[at] = flat[at] * size + position;
    }
  }
  folded.dims.erase(folded.dims.begin() + skipped, folded.dims.begin() + depth);
  folded.dims.insert(folded.dims.begin() + skipped, combined);
  Tensor indices;
  indices.dims = shape;
  return GatherSlices(call, folded, indices, static_cast<int>(skipped), flat);
}

}  // namespace

absl::Status RunGather(FloatCall& call) {
  const Tensor* x = call.input(0);
  if (x == nullptr || x->dims.empty()) return absl::InvalidArgumentError("its data is not there, or a scalar");
  if (call.op == OpId::kIndex) return Index(call, *x);
  const Tensor* indices = call.input(1);
  if (indices == nullptr) return absl::InvalidArgumentError("its indices are not there");
  const absl::StatusOr<std::vector<int64_t>> values = ToInt64(*indices);
  if (!values.ok()) return values.status();
  if (call.op == OpId::kGatherNd) return GatherNd(call, *x, *indices, *values);
  const absl::StatusOr<int> axis = NormalizedAxis(call.attributes.Int("axis", 0), x->dims.size());
  if (!axis.ok()) return axis.status();
  if (call.op == OpId::kGatherElements) return GatherElements(call, *x, *indices, *axis, *values);
  return GatherSlices(call, *x, *indices, *axis, *values);
}

}  // namespace quantgate::simulator
