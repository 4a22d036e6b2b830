#include "rules/onnx/numbers.h"

#include <algorithm>
#include <optional>
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

int64_t Apply(Operation* operation, int64_t a, int64_t b) {
  return a == kUnknownNumber || b == kUnknownNumber ? kUnknownNumber : operation(a, b);
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
int64_t Quotient(int64_t a, int64_t b) {
  if (b == 0) return kUnknownNumber;
  return b == -1 ? -a : a / b;
}
int64_t Larger(int64_t a, int64_t b) { return std::max(a, b); }
int64_t Smaller(int64_t a, int64_t b) { return std::min(a, b); }
int64_t IsEqual(int64_t a, int64_t b) { return a == b ? 1 : 0; }
int64_t IsLess(int64_t a, int64_t b) { return a < b ? 1 : 0; }
int64_t IsGreater(int64_t a, int64_t b) { return a > b ? 1 : 0; }

// Of the first output, by operator. `dims`: its shape, of one element or more, and of no more than are kept.
using Compute = Found(const Call&, absl::Span<const int64_t> dims);

// By element, from left to right over all arguments.
template <Operation* kOperation>
Found ByElement(const Call& call, absl::Span<const int64_t> dims) {
  Found result = Broadcasted(call, 0, dims);
  for (int i = 1; result && i < call.node().num_inputs(); ++i) {
    const Found next = Broadcasted(call, i, dims);
    if (!next) return std::nullopt;
    for (size_t k = 0; k < next->size(); ++k) (*result)[k] = Apply(kOperation, (*result)[k], (*next)[k]);
  }
  return result;
}

// All elements to one; axes that stay have one element each.
template <Operation* kOperation>
Found Reduced(const Call& call, absl::Span<const int64_t> dims) {
  const Found numbers = call.input(0);
  if (!numbers || numbers->empty() || CountOf(dims) != 1) return std::nullopt;
  int64_t result = numbers->front();
  for (size_t i = 1; i < numbers->size(); ++i) result = Apply(kOperation, result, (*numbers)[i]);
  return Numbers{result};
}

Found Copied(const Call& call, absl::Span<const int64_t>) { return call.input(0); }

Found Negated(const Call& call, absl::Span<const int64_t>) {
  Found numbers = call.input(0);
  if (!numbers) return numbers;
  for (int64_t& number : *numbers) number = Apply(Difference, 0, number);
  return numbers;
}

Found CastToIntegers(const Call& call, absl::Span<const int64_t>) {
  const v1::DataType to = DataTypeFromOnnx(static_cast<int>(call.node().integer("to", 0)));
  Found numbers = call.input(0);
  if (!numbers || (!IsInteger(to) && to != v1::DATA_TYPE_BOOL)) return std::nullopt;
  for (int64_t& number : *numbers) {
    if (to == v1::DATA_TYPE_BOOL && number != kUnknownNumber) number = number != 0 ? 1 : 0;
  }
  return numbers;
}

Found Selected(const Call& call, absl::Span<const int64_t> dims) {
  const Found condition = Broadcasted(call, 0, dims);
  const Found yes = Broadcasted(call, 1, dims);
  const Found no = Broadcasted(call, 2, dims);
  if (!condition || !yes || !no) return std::nullopt;
  Numbers selected;
  for (size_t i = 0; i < condition->size(); ++i) {
    const bool same = (*yes)[i] == (*no)[i];
    const bool known = (*condition)[i] != kUnknownNumber || same;
    selected.push_back(!known ? kUnknownNumber : (*condition)[i] != 0 ? (*yes)[i] : (*no)[i]);
  }
  return selected;
}

Found SizesOf(const Call& call, absl::Span<const int64_t> dims) {
  const Shape shape = call.node().at(0);
  if (!shape.known || dims.size() != 1) return std::nullopt;
  Numbers sizes;
  for (int64_t size : shape.dims.subspan(ShapeStart(call.node(), shape.rank()), dims[0])) {
    sizes.push_back(size < 0 ? kUnknownNumber : size);
  }
  return sizes;
}

Found CountOfElements(const Call& call, absl::Span<const int64_t>) {
  const Shape shape = call.node().at(0);
  const absl::optional<int64_t> count = shape.is_static() ? CountOf(shape.dims) : absl::nullopt;
  if (!count) return std::nullopt;
  return Numbers{*count};
}

Found Filled(const Call& call, absl::Span<const int64_t> dims) {
  const v1::Attribute* attribute = call.graph().attribute(call.node().node(), "value");
  if (attribute == nullptr || attribute->value_case() != v1::Attribute::kTensor || attribute->tensor() < 1) {
    return std::nullopt;
  }
  const IntegerView numbers = IntegersOf(call.graph().value(attribute->tensor() - 1));
  if (numbers.size() != 1) return std::nullopt;
  return Numbers(CountOf(dims).value_or(0), numbers[0]);
}

Found Counted(const Call& call, absl::Span<const int64_t> dims) {
  const Found start = call.input(0);
  const Found step = call.input(2);
  if (dims.size() != 1 || !start || !step || start->size() != 1 || step->size() != 1) return std::nullopt;
  Numbers counted;
  for (int64_t i = 0; i < dims[0]; ++i) {
    counted.push_back(Apply(Sum, start->front(), Apply(Product, i, step->front())));
  }
  return counted;
}

Found Joined(const Call& call, absl::Span<const int64_t> dims) {
  const int64_t axis = call.Axis(dims.size());
  if (axis < 0) return std::nullopt;
  const int64_t rows = CountOf(dims.first(axis)).value_or(0);
  std::vector<Numbers> parts;
  int64_t total = 0;
  for (int i = 0; i < call.node().num_inputs(); ++i) {
    Found part = call.input(i);
    if (!part || call.input_dims(i).size() != dims.size()) return std::nullopt;
    total += static_cast<int64_t>(part->size());
    if (total > KnownNumbers::kMost) return std::nullopt;
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

Found Gathered(const Call& call, absl::Span<const int64_t> dims) {
  const Found data = call.input(0);
  const Found indices = call.input(1);
  const absl::Span<const int64_t> from = call.input_dims(0);
  const int64_t axis = call.Axis(from.size());
  if (!data || data->empty() || !indices || axis < 0) return std::nullopt;
  const int64_t rows = CountOf(from.first(axis)).value_or(0);
  const int64_t inner = CountOf(from.subspan(axis + 1)).value_or(0);
  Numbers gathered;
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

Found Transposed(const Call& call, absl::Span<const int64_t> dims) {
  const Found numbers = call.input(0);
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
  return moved.size() == dims.size() ? Rearrange(*numbers, dims, moved) : std::nullopt;
}

Found Expanded(const Call& call, absl::Span<const int64_t> dims) { return Broadcasted(call, 0, dims); }

Found Sliced(const Call& call, absl::Span<const int64_t> dims) {
  const Found numbers = call.input(0);
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
  return Rearrange(*numbers, dims, strides, first);
}

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
      {"Flatten", &Copied},
      {"Gather", &Gathered},
      {"Greater", &ByElement<IsGreater>},
      {"Identity", &Copied},
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
      {"Reshape", &Copied},
      {"Shape", &SizesOf},
      {"Size", &CountOfElements},
      {"Slice", &Sliced},
      {"Squeeze", &Copied},
      {"Sub", &ByElement<Difference>},
      {"Transpose", &Transposed},
      {"Unsqueeze", &Copied},
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
  const int64_t axis = call.Axis(from.size());
  if (!numbers || axis < 0) return;
  const Dims strides = StridesOf(from);
  int64_t first = 0;
  for (int i = 0; i < call.node().num_outputs(); ++i) {
    const int32_t output = call.graph().output(call.node().node(), i);
    if (output < 0) return;
    const auto dims = call.output_dims(i);
    if (!dims || dims->size() != from.size() || first > KnownNumbers::kMost) return;
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
  const auto dims = call.output_dims(0);
  if (!dims) return;
  const int64_t count = CountOf(*dims).value_or(0);
  Found numbers = count == 0 ? Numbers() : compute(call, *dims);
  // What contradicts itself holds nothing that could be told.
  if (!numbers || static_cast<int64_t>(numbers->size()) != count) return;
  ForgetOverflow(node.graph().dtype(output), *numbers);
  inferred.numbers.Set(output, *std::move(numbers));
}

}  // namespace quantgate
