#include "rules/onnx/numbers.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "rules/graph/data_type.h"
#include "rules/graph/elements.h"
#include "rules/graph/known_numbers.h"
#include "rules/onnx/data_type.h"
#include "rules/onnx/functions.h"

namespace quantgate {
namespace {

using Numbers = std::vector<int64_t>;
using Found = std::optional<Numbers>;

// A node with what is known of its inputs.
class Call {
 public:
  Call(const NodeShapes& node, const Inferred& inferred) : node_(node), inferred_(inferred) {}

  const NodeShapes& node() const { return node_; }
  const Graph& graph() const { return node_.graph(); }

  Found input(int argument) const {
    if (!node_.given(argument)) return std::nullopt;
    const int32_t id = graph().input(node_.node(), argument);
    if (const auto known = inferred_.numbers.of(id)) return Numbers(known->begin(), known->end());
    const v1::Value& value = graph().value(id);
    const absl::optional<int64_t> count = CountAt(argument);
    if (!value.has_constant() || graph().is_graph_input(id) || !count) return std::nullopt;
    const IntegerView stored = IntegersOf(value);
    if (static_cast<int64_t>(stored.size()) != *count) return std::nullopt;
    return Numbers(stored.begin(), stored.end());
  }

  absl::Span<const int64_t> input_dims(int argument) const { return node_.at(argument).dims; }
  // None: not known in full, or of more elements than are kept.
  absl::optional<int64_t> CountAt(int argument) const { return Few(node_.at(argument)); }
  absl::optional<absl::Span<const int64_t>> output_dims(int output) const {
    const Shape shape = inferred_.shapes[graph().output(node_.node(), output)];
    if (!Few(shape)) return absl::nullopt;
    return shape.dims;
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

Dims StridesOf(absl::Span<const int64_t> dims) {
  Dims strides(dims.size(), 1);
  for (size_t i = dims.size(); i-- > 1;) strides[i - 1] = strides[i] * dims[i];
  return strides;
}

// Element [i, j, …] of the result is number first + i * strides[0] + j * strides[1] + … of `numbers`.
Found Rearrange(const Numbers& numbers, absl::Span<const int64_t> dims, absl::Span<const int64_t> strides,
                int64_t first = 0) {
  Numbers rearranged;
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
Found Broadcasted(const Call& call, int argument, absl::Span<const int64_t> dims) {
  const Found numbers = call.input(argument);
  const absl::Span<const int64_t> from = call.input_dims(argument);
  if (!numbers || from.size() > dims.size()) return std::nullopt;
  Dims strides = StridesOf(from);
  for (size_t i = 0; i < from.size(); ++i) {
    if (from[i] == 1) strides[i] = 0;
  }
  strides.insert(strides.begin(), dims.size() - from.size(), 0);
  return Rearrange(*numbers, dims, strides);
}

using Operation = int64_t(int64_t, int64_t);

// By element, from left to right over all arguments.
Found Elementwise(const Call& call, Operation* operation) {
  const auto dims = call.output_dims(0);
  if (!dims) return std::nullopt;
  Found result;
  for (int i = 0; i < call.node().num_inputs(); ++i) {
    const Found next = Broadcasted(call, i, *dims);
    if (!next) return std::nullopt;
    if (!result) {
      result = next;
      continue;
    }
    for (size_t k = 0; k < next->size(); ++k) {
      const bool known = (*result)[k] != kUnknownNumber && (*next)[k] != kUnknownNumber;
      (*result)[k] = known ? operation((*result)[k], (*next)[k]) : kUnknownNumber;
    }
  }
  return result;
}

template <int64_t (*kOperation)(int64_t, int64_t)>
Found ByElement(const Call& call) {
  return Elementwise(call, kOperation);
}

int64_t Sum(int64_t a, int64_t b) {
  int64_t result;
  return __builtin_add_overflow(a, b, &result) ? kUnknownNumber : result;
}
int64_t Difference(int64_t a, int64_t b) {
  int64_t result;
  return __builtin_sub_overflow(a, b, &result) ? kUnknownNumber : result;
}
int64_t Product(int64_t a, int64_t b) {
  int64_t result;
  return __builtin_mul_overflow(a, b, &result) ? kUnknownNumber : result;
}
int64_t Quotient(int64_t a, int64_t b) { return b == 0 || b == -1 ? (b == 0 ? kUnknownNumber : -a) : a / b; }
int64_t Larger(int64_t a, int64_t b) { return std::max(a, b); }
int64_t Smaller(int64_t a, int64_t b) { return std::min(a, b); }
int64_t IsEqual(int64_t a, int64_t b) { return a == b ? 1 : 0; }
int64_t IsLess(int64_t a, int64_t b) { return a < b ? 1 : 0; }
int64_t IsGreater(int64_t a, int64_t b) { return a > b ? 1 : 0; }

Found Copy(const Call& call) { return call.input(0); }

Found Negated(const Call& call) {
  Found numbers = call.input(0);
  if (!numbers) return numbers;
  for (int64_t& number : *numbers) number = number == kUnknownNumber ? number : -number;
  return numbers;
}

Found CastToIntegers(const Call& call) {
  const v1::DataType to = DataTypeFromOnnx(static_cast<int>(call.node().integer("to", 0)));
  Found numbers = call.input(0);
  if (!numbers || (!IsInteger(to) && to != v1::DATA_TYPE_BOOL)) return std::nullopt;
  for (int64_t& number : *numbers) {
    if (to == v1::DATA_TYPE_BOOL && number != kUnknownNumber) number = number != 0 ? 1 : 0;
  }
  return numbers;
}

Found Selected(const Call& call) {
  const auto dims = call.output_dims(0);
  if (!dims) return std::nullopt;
  const Found condition = Broadcasted(call, 0, *dims);
  const Found yes = Broadcasted(call, 1, *dims);
  const Found no = Broadcasted(call, 2, *dims);
  if (!condition || !yes || !no) return std::nullopt;
  Numbers selected;
  for (size_t i = 0; i < condition->size(); ++i) {
    const int64_t chosen = (*condition)[i];
    const bool same = (*yes)[i] == (*no)[i];
    selected.push_back(chosen == kUnknownNumber && !same ? kUnknownNumber : chosen != 0 ? (*yes)[i] : (*no)[i]);
  }
  return selected;
}

Found ShapeOf(const Call& call) {
  const Shape shape = call.node().at(0);
  if (!shape.known) return std::nullopt;
  const int64_t rank = shape.rank();
  const auto place = [&](absl::string_view attribute, int64_t fallback) {
    const int64_t at = call.node().integer(attribute, fallback);
    return std::clamp<int64_t>(at < 0 ? (at < -rank ? 0 : at + rank) : at, 0, rank);
  };
  const int64_t start = place("start", 0);
  const int64_t end = std::max(start, place("end", rank));
  Numbers sizes;
  for (int64_t size : shape.dims.subspan(start, end - start)) sizes.push_back(size < 0 ? kUnknownNumber : size);
  return sizes;
}

Found SizeOf(const Call& call) {
  const Shape shape = call.node().at(0);
  const absl::optional<int64_t> count = shape.is_static() ? CountOf(shape.dims) : absl::nullopt;
  if (!count) return std::nullopt;
  return Numbers{*count};
}

Found Filled(const Call& call) {
  const auto dims = call.output_dims(0);
  const v1::Attribute* attribute = call.graph().attribute(call.node().node(), "value");
  if (!dims || attribute == nullptr || attribute->value_case() != v1::Attribute::kTensor || attribute->tensor() < 1) {
    return std::nullopt;
  }
  const IntegerView numbers = IntegersOf(call.graph().message().values(attribute->tensor() - 1));
  if (numbers.size() != 1) return std::nullopt;
  return Numbers(CountOf(*dims).value_or(0), numbers[0]);
}

Found Counted(const Call& call) {
  const auto dims = call.output_dims(0);
  const Found start = call.input(0);
  const Found step = call.input(2);
  if (!dims || dims->size() != 1 || !start || !step || start->size() != 1 || step->size() != 1) return std::nullopt;
  Numbers counted;
  for (int64_t i = 0; i < (*dims)[0]; ++i) counted.push_back(Sum((*start)[0], Product(i, (*step)[0])));
  return counted;
}

Found Joined(const Call& call) {
  const auto dims = call.output_dims(0);
  if (!dims || dims->empty()) return std::nullopt;
  int64_t axis = call.node().integer("axis", 0);
  if (axis < 0) axis += static_cast<int64_t>(dims->size());
  if (axis < 0 || axis >= static_cast<int64_t>(dims->size())) return std::nullopt;
  const int64_t rows = CountOf(dims->first(axis)).value_or(0);
  std::vector<Numbers> parts;
  for (int i = 0; i < call.node().num_inputs(); ++i) {
    Found part = call.input(i);
    if (!part) return std::nullopt;
    parts.push_back(*std::move(part));
  }
  Numbers joined;
  for (int64_t row = 0; row < rows; ++row) {
    for (const Numbers& part : parts) {
      const int64_t width = static_cast<int64_t>(part.size()) / rows;
      joined.insert(joined.end(), part.begin() + row * width, part.begin() + (row + 1) * width);
    }
  }
  return joined;
}

Found Gathered(const Call& call) {
  const Found data = call.input(0);
  const Found indices = call.input(1);
  const absl::Span<const int64_t> dims = call.input_dims(0);
  int64_t axis = call.node().integer("axis", 0);
  if (axis < 0) axis += static_cast<int64_t>(dims.size());
  if (!data || !indices || axis < 0 || axis >= static_cast<int64_t>(dims.size())) return std::nullopt;
  const int64_t rows = CountOf(dims.first(axis)).value_or(0);
  const int64_t inner = CountOf(dims.subspan(axis + 1)).value_or(0);
  Numbers gathered;
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t index : *indices) {
      if (index < 0 && index >= -dims[axis]) index += dims[axis];
      if (index < 0 || index >= dims[axis]) return std::nullopt;
      const auto from = data->begin() + (row * dims[axis] + index) * inner;
      gathered.insert(gathered.end(), from, from + inner);
    }
  }
  return gathered;
}

Found Transposed(const Call& call) {
  const Found numbers = call.input(0);
  const auto dims = call.output_dims(0);
  if (!numbers || !dims) return std::nullopt;
  const Dims strides = StridesOf(call.input_dims(0));
  const absl::Span<const int64_t> perm = call.node().integers("perm");
  Dims moved(strides.rbegin(), strides.rend());
  for (size_t i = 0; i < perm.size() && i < moved.size(); ++i) moved[i] = strides[perm[i]];
  return Rearrange(*numbers, *dims, moved);
}

Found Expanded(const Call& call) {
  const auto dims = call.output_dims(0);
  return dims ? Broadcasted(call, 0, *dims) : std::nullopt;
}

Found Sliced(const Call& call) {
  const Found numbers = call.input(0);
  const auto dims = call.output_dims(0);
  const NodeShapes& node = call.node();
  const auto starts = node.moved_list("starts", 1);
  const auto axes = node.moved_list("axes", 3);
  const auto steps = node.given(4) ? node.constant(4) : absl::Span<const int64_t>();
  if (!numbers || !dims || !starts || !axes || !steps) return std::nullopt;
  const absl::Span<const int64_t> from = call.input_dims(0);
  const auto rank = static_cast<int64_t>(from.size());
  Dims strides = StridesOf(from);
  int64_t first = 0;
  for (size_t i = 0; i < starts->size(); ++i) {
    int64_t axis = axes->empty() ? static_cast<int64_t>(i) : (*axes)[i];
    if (axis < 0) axis += rank;
    if (axis < 0 || axis >= rank) return std::nullopt;
    if (from[axis] == 0) continue;
    const int64_t step = steps->empty() ? 1 : (*steps)[i];
    first += SliceStart(from[axis], (*starts)[i], step) * strides[axis];
    // One element is taken at its start, whatever the step.
    strides[axis] = (*dims)[axis] > 1 ? strides[axis] * step : 0;
  }
  return Rearrange(*numbers, *dims, strides, first);
}

// All elements to one; axes that stay have one element each.
template <int64_t (*kOperation)(int64_t, int64_t)>
Found Reduced(const Call& call) {
  const Found numbers = call.input(0);
  const auto dims = call.output_dims(0);
  if (!numbers || numbers->empty() || !dims || CountOf(*dims) != 1) return std::nullopt;
  int64_t result = numbers->front();
  for (size_t i = 1; i < numbers->size(); ++i) {
    const bool known = result != kUnknownNumber && (*numbers)[i] != kUnknownNumber;
    result = known ? kOperation(result, (*numbers)[i]) : kUnknownNumber;
  }
  return Numbers{result};
}

using Compute = Found(const Call&);

// Operators of the default domain; built once, on first use, and never destroyed.
Compute* ComputeOf(absl::string_view op_type) {
  static const auto& all = *new absl::flat_hash_map<absl::string_view, Compute*>{
      {"Add", &ByElement<Sum>},
      {"Cast", &CastToIntegers},
      {"Concat", &Joined},
      {"ConstantOfShape", &Filled},
      {"Div", &ByElement<Quotient>},
      {"Equal", &ByElement<IsEqual>},
      {"Expand", &Expanded},
      {"Flatten", &Copy},
      {"Gather", &Gathered},
      {"Greater", &ByElement<IsGreater>},
      {"Identity", &Copy},
      {"Less", &ByElement<IsLess>},
      {"Max", &ByElement<Larger>},
      {"Min", &ByElement<Smaller>},
      {"Mul", &ByElement<Product>},
      {"Neg", &Negated},
      {"Range", &Counted},
      {"ReduceMax", &Reduced<Larger>},
      {"ReduceMin", &Reduced<Smaller>},
      {"ReduceProd", &Reduced<Product>},
      {"ReduceSum", &Reduced<Sum>},
      {"Reshape", &Copy},
      {"Shape", &ShapeOf},
      {"Size", &SizeOf},
      {"Slice", &Sliced},
      {"Squeeze", &Copy},
      {"Sub", &ByElement<Difference>},
      {"Transpose", &Transposed},
      {"Unsqueeze", &Copy},
      {"Where", &Selected},
  };
  const auto found = all.find(op_type);
  return found == all.end() ? nullptr : found->second;
}

// What a narrower type cannot hold comes out as something else.
void ForgetOverflow(v1::DataType type, Numbers& numbers) {
  if (!IsInteger(type)) return;
  for (int64_t& number : numbers) {
    if (number < MinOf(type) || number > MaxOf(type)) number = kUnknownNumber;
  }
}

// The parts lie one behind the other along the axis.
void Split(const Call& call, Inferred& inferred) {
  const Found numbers = call.input(0);
  const absl::Span<const int64_t> from = call.input_dims(0);
  const Dims strides = StridesOf(from);
  int64_t axis = call.node().integer("axis", 0);
  if (axis < 0) axis += static_cast<int64_t>(from.size());
  if (!numbers || axis < 0 || axis >= static_cast<int64_t>(from.size())) return;
  int64_t first = 0;
  for (int i = 0; i < call.node().num_outputs(); ++i) {
    const int32_t output = call.graph().output(call.node().node(), i);
    if (output < 0) return;
    const auto dims = call.output_dims(i);
    if (!dims || dims->size() != from.size()) return;
    if (Found part = Rearrange(*numbers, *dims, strides, first * strides[axis])) {
      inferred.numbers.Set(output, *std::move(part));
    }
    first += (*dims)[axis];
  }
}

}  // namespace

void ComputeNumbers(const NodeShapes& node, Inferred& inferred) {
  const absl::string_view op_type = node.graph().op_type(node.node());
  const Call call(node, inferred);
  if (op_type == "Split") return Split(call, inferred);
  Compute* const compute = ComputeOf(op_type);
  const int32_t output = node.num_outputs() > 0 ? node.graph().output(node.node(), 0) : -1;
  if (compute == nullptr || output < 0 || node.graph().producer(output) != node.node()) return;
  Found numbers = compute(call);
  if (!numbers || numbers->size() > KnownNumbers::kMost) return;
  ForgetOverflow(node.graph().dtype(output), *numbers);
  inferred.numbers.Set(output, *std::move(numbers));
}

}  // namespace quantgate
