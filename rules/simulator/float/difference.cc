// Differences of neighbors.
#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "rules/simulator/float/kernels.h"
#include "rules/simulator/shapes.h"

namespace quantgate::simulator {
namespace {

template <typename T>
void Subtract(const std::vector<const Tensor*>& parts, size_t axis, Tensor& out) {
  const int64_t inner = Count(absl::MakeConstSpan(out.dims).subspan(axis + 1));
  const int64_t outer = Count(absl::MakeConstSpan(out.dims).first(axis));
  T* to = out.as<T>().data();
  for (int64_t o = 0; o < outer; ++o) {
    const T* before = nullptr;
    for (const Tensor* part : parts) {
      const int64_t along = part->dims[axis];
      for (int64_t i = 0; i < along; ++i) {
        const T* line = part->as<T>().data() + (o * along + i) * inner;
        for (int64_t k = 0; k < inner && before != nullptr; ++k) *to++ = line[k] - before[k];
        before = line;
      }
    }
  }
}

}  // namespace

absl::Status RunDifference(FloatCall& call) {
  if (call.attributes.Int("n", 1) != 1) return absl::UnimplementedError("differences of differences");
  std::vector<const Tensor*> parts;
  for (const size_t port : {1, 0, 2}) {  // prepend, input, append
    if (call.input(port) != nullptr) parts.push_back(call.input(port));
  }
  if (call.input(0) == nullptr) return absl::InvalidArgumentError("input 0 is not there");
  const Tensor& x = *call.inputs[0];
  const absl::StatusOr<int> axis = NormalizedAxis(call.attributes.Int("axis", -1), x.dims.size());
  if (!axis.ok()) return axis.status();
  Dims dims = x.dims;
  dims[*axis] = -1;
  for (const Tensor* part : parts) {
    Dims others = part->dims, wanted = x.dims;
    if (others.size() == wanted.size()) others[*axis] = wanted[*axis] = 0;
    if (others != wanted || part->type != x.type) {
      return absl::InvalidArgumentError(
          absl::StrCat("shapes ", DimsText(part->dims), " and ", DimsText(x.dims), " do not meet"));
    }
    dims[*axis] += part->dims[*axis];
  }
  dims[*axis] = std::max<int64_t>(dims[*axis], 0);
  if (x.type != v1::DATA_TYPE_FLOAT32 && x.type != v1::DATA_TYPE_INT64) {
    return absl::UnimplementedError(absl::StrCat("differences of ", v1::DataType_Name(x.type)));
  }
  if (absl::Status status = call.Make(0, x.type, dims); !status.ok()) return status;
  if (x.type == v1::DATA_TYPE_INT64) {
    // Modulo 2^64.
    Subtract<uint64_t>(parts, *axis, call.outputs[0]);
  } else {
    Subtract<float>(parts, *axis, call.outputs[0]);
  }
  return absl::OkStatus();
}

}  // namespace quantgate::simulator
