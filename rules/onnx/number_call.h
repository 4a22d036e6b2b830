// A node around shapes with what is known of its inputs, for the functions that compute what it writes. Elements are
// integers (int64_t) or real numbers (double).
#ifndef QUANTGATE_RULES_ONNX_NUMBER_CALL_H_
#define QUANTGATE_RULES_ONNX_NUMBER_CALL_H_

#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>

#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "rules/graph/elements.h"
#include "rules/graph/inferred.h"
#include "rules/graph/known_numbers.h"
#include "rules/graph/node_shapes.h"

namespace quantgate {

template <typename T>
using Numbers = std::vector<T>;
template <typename T>
constexpr T kUnknownElement = T(kUnknownNumber);
template <>
inline constexpr double kUnknownElement<double> = kUnknownReal;
// None: not known.
template <typename T>
using Found = std::optional<Numbers<T>>;

// What nodes compute of this kind.
template <typename T>
auto& KnownOf(auto& inferred) {
  if constexpr (std::is_same_v<T, double>) {
    return inferred.reals;
  } else {
    return inferred.numbers;
  }
}

// A node with what is known of its inputs.
class NumberCall {
 public:
  NumberCall(const NodeShapes& node, const Inferred& inferred) : node_(node), inferred_(inferred) {}

  const NodeShapes& node() const { return node_; }
  const Graph& graph() const { return node_.graph(); }

  // All elements of an argument, which are of the kind of `T`.
  template <typename T>
  Found<T> input(int argument) const {
    if (!node_.given(argument)) return std::nullopt;
    const int32_t id = graph().input(node_.node(), argument);
    if (const auto known = KnownOf<T>(inferred_).of(id)) return Numbers<T>(known->begin(), known->end());
    const v1::Value& value = graph().value(id);
    const absl::optional<int64_t> count = CountAt(argument);
    if (!value.has_constant() || graph().is_graph_input(id) || !count) return std::nullopt;
    const NumberView<T> stored = StoredIn<T>(value);
    if (static_cast<int64_t>(stored.size()) != *count) return std::nullopt;
    return Numbers<T>(stored.begin(), stored.end());
  }

  // Elements that a constant holds.
  template <typename T>
  static NumberView<T> StoredIn(const v1::Value& value) {
    if constexpr (std::is_same_v<T, double>) {
      return RealsOf(value);
    } else {
      return IntegersOf(value);
    }
  }

  absl::Span<const int64_t> input_dims(int argument) const { return node_.at(argument).dims; }
  // None: not known in full, or of more elements than are kept.
  absl::optional<int64_t> CountAt(int argument) const { return Few(node_.at(argument)); }
  absl::optional<absl::Span<const int64_t>> output_dims(int output) const {
    const Shape shape = inferred_.shapes[graph().output(node_.node(), output)];
    if (!Few(shape)) return absl::nullopt;
    return shape.dims;
  }
  // `axis` of the node in a tensor of `rank`; -1: it has none.
  int64_t Axis(size_t rank) const {
    const auto size = static_cast<int64_t>(rank);
    const int64_t axis = node_.integer("axis", 0);
    return axis < -size || axis >= size ? -1 : axis < 0 ? axis + size : axis;
  }

 private:
  static absl::optional<int64_t> Few(const Shape& shape) {
    if (!shape.is_static()) return absl::nullopt;
    const absl::optional<int64_t> count = CountOf(shape.dims);
    return count && *count <= KnownNumbers::kMost ? count : absl::nullopt;
  }

  const NodeShapes& node_;
  const Inferred& inferred_;
};

inline Dims StridesOf(absl::Span<const int64_t> dims) {
  Dims strides(dims.size(), 1);
  for (size_t i = dims.size(); i-- > 1;) strides[i - 1] = strides[i] * dims[i];
  return strides;
}

// Element [i, j, …] of the result is number first + i * strides[0] + j * strides[1] + … of `numbers`.
template <typename T>
Found<T> Rearrange(const Numbers<T>& numbers, absl::Span<const int64_t> dims, absl::Span<const int64_t> strides,
                   int64_t first = 0) {
  Numbers<T> rearranged;
  Dims at(dims.size(), 0);
  for (int64_t left = CountOf(dims).value_or(0); left > 0; --left) {
    int64_t from = first;
    for (size_t i = 0; i < dims.size(); ++i) from += at[i] * strides[i];
    if (from < 0 || from >= static_cast<int64_t>(numbers.size())) return std::nullopt;
    rearranged.push_back(numbers[from]);
    for (size_t i = dims.size(); i-- > 0 && ++at[i] == dims[i];) at[i] = 0;
  }
  return rearranged;
}

// An argument in the shape that it is broadcast to.
template <typename T>
Found<T> Broadcasted(const NumberCall& call, int argument, absl::Span<const int64_t> dims) {
  const Found<T> numbers = call.input<T>(argument);
  const absl::Span<const int64_t> from = call.input_dims(argument);
  if (!numbers || from.size() > dims.size()) return std::nullopt;
  Dims strides = StridesOf(from);
  for (size_t i = 0; i < from.size(); ++i) {
    if (from[i] == 1) strides[i] = 0;
  }
  strides.insert(strides.begin(), dims.size() - from.size(), 0);
  return Rearrange<T>(*numbers, dims, strides);
}

}  // namespace quantgate

#endif  // QUANTGATE_RULES_ONNX_NUMBER_CALL_H_
