// What operators write that put numbers in another order: Concat, Gather, Slice, …
#ifndef QUANTGATE_RULES_ONNX_MOVED_NUMBERS_H_
#define QUANTGATE_RULES_ONNX_MOVED_NUMBERS_H_

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "rules/onnx/functions.h"
#include "rules/onnx/number_call.h"

namespace quantgate {

template <typename T>
Found<T> Copied(const NumberCall& call, absl::Span<const int64_t>) {
  return call.input<T>(0);
}

template <typename T>
Found<T> Selected(const NumberCall& call, absl::Span<const int64_t> dims) {
  const Found<int64_t> condition = Broadcasted<int64_t>(call, 0, dims);
  const Found<T> yes = Broadcasted<T>(call, 1, dims);
  const Found<T> no = Broadcasted<T>(call, 2, dims);
  if (!condition || !yes || !no) return std::nullopt;
  Numbers<T> selected;
  for (size_t i = 0; i < condition->size(); ++i) {
    const bool same = (*yes)[i] == (*no)[i];
    const bool known = (*condition)[i] != kUnknownNumber || same;
    selected.push_back(!known ? kUnknownElement<T> : (*condition)[i] != 0 ? (*yes)[i] : (*no)[i]);
  }
  return selected;
}

template <typename T>
Found<T> Joined(const NumberCall& call, absl::Span<const int64_t> dims) {
  const int64_t axis = call.Axis(dims.size());
  if (axis < 0) return std::nullopt;
  const int64_t rows = CountOf(dims.first(axis)).value_or(0);
  std::vector<Numbers<T>> parts;
  int64_t total = 0;
  for (int i = 0; i < call.node().num_inputs(); ++i) {
    Found<T> part = call.input<T>(i);
    if (!part || call.input_dims(i).size() != dims.size()) return std::nullopt;
    total += static_cast<int64_t>(part->size());
    if (total > KnownNumbers::kMost) return std::nullopt;
    parts.push_back(*std::move(part));
  }
  Numbers<T> joined;
  for (int64_t row = 0; row < rows; ++row) {
    for (const Numbers<T>& part : parts) {
      const int64_t width = static_cast<int64_t>(part.size()) / rows;
      joined.insert(joined.end(), part.begin() + row * width, part.begin() + (row + 1) * width);
    }
  }
  return joined;
}

template <typename T>
Found<T> Gathered(const NumberCall& call, absl::Span<const int64_t> dims) {
  const Found<T> data = call.input<T>(0);
  const Found<int64_t> indices = call.input<int64_t>(1);
  const absl::Span<const int64_t> from = call.input_dims(0);
  const int64_t axis = call.Axis(from.size());
  if (!data || data->empty() || !indices || axis < 0) return std::nullopt;
  const int64_t rows = CountOf(from.first(axis)).value_or(0);
  const int64_t inner = CountOf(from.subspan(axis + 1)).value_or(0);
  Numbers<T> gathered;
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t index : *indices) {
      if (index < 0 && index >= -from[axis]) index += from[axis];
      if (index < 0 || index >= from[axis]) return std::nullopt;
      const auto begin = data->begin() + (row * from[axis] + index) * inner;
      gathered.insert(gathered.end(), begin, begin + inner);
    }
  }
  return gathered;
}

template <typename T>
Found<T> Transposed(const NumberCall& call, absl::Span<const int64_t> dims) {
  const Found<T> numbers = call.input<T>(0);
  if (!numbers) return std::nullopt;
  const Dims strides = StridesOf(call.input_dims(0));
  const absl::Span<const int64_t> perm = call.node().integers("perm");
  Dims moved(strides.rbegin(), strides.rend());
  if (!perm.empty()) {
    // One that is wrong is shape-mismatch's.
    const auto is_axis = [&](int64_t axis) { return axis >= 0 && axis < static_cast<int64_t>(strides.size()); };
    if (perm.size() != strides.size() || !absl::c_all_of(perm, is_axis)) return std::nullopt;
    absl::c_transform(perm, moved.begin(), [&](int64_t axis) { return strides[axis]; });
  }
  return moved.size() == dims.size() ? Rearrange<T>(*numbers, dims, moved) : std::nullopt;
}

template <typename T>
Found<T> Expanded(const NumberCall& call, absl::Span<const int64_t> dims) {
  return Broadcasted<T>(call, 0, dims);
}

template <typename T>
Found<T> Sliced(const NumberCall& call, absl::Span<const int64_t> dims) {
  const Found<T> numbers = call.input<T>(0);
  const NodeShapes& node = call.node();
  const auto starts = node.moved_list("starts", 1);
  const auto axes = node.moved_list("axes", 3);
  const auto steps = node.given(4) ? node.constant(4) : absl::Span<const int64_t>();
  const absl::Span<const int64_t> from = call.input_dims(0);
  const auto rank = static_cast<int64_t>(from.size());
  if (!numbers || numbers->empty() || !starts || !axes || !steps || dims.size() != from.size() ||
      (!axes->empty() && axes->size() != starts->size()) || (!steps->empty() && steps->size() != starts->size())) {
    return std::nullopt;
  }
  Dims strides = StridesOf(from);
  int64_t first = 0;
  for (size_t i = 0; i < starts->size(); ++i) {
    int64_t axis = axes->empty() ? static_cast<int64_t>(i) : (*axes)[i];
    if (axis < 0) axis += rank;
    if (axis < 0 || axis >= rank) return std::nullopt;
    const int64_t step = steps->empty() ? 1 : (*steps)[i];
    first += SliceStart(from[axis], (*starts)[i], step) * strides[axis];
    if (dims[axis] == 1) continue;  // taken at its start, whatever the step
    if (step < -KnownNumbers::kMost || step > KnownNumbers::kMost) return std::nullopt;
    strides[axis] *= step;
  }
  return Rearrange<T>(*numbers, dims, strides, first);
}

}  // namespace quantgate

#endif  // QUANTGATE_RULES_ONNX_MOVED_NUMBERS_H_
