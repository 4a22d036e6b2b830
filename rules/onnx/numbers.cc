#include "rules/onnx/numbers.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <type_traits>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "rules/graph/data_type.h"
#include "rules/graph/known_numbers.h"
#include "rules/onnx/data_type.h"
#include "rules/onnx/functions.h"
#include "rules/onnx/moved_numbers.h"
#include "rules/onnx/number_call.h"

namespace quantgate {
namespace {

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
// Of the sign of `a`.
int64_t Rest(int64_t a, int64_t b) { return b == 0 ? kUnknownNumber : b == -1 ? 0 : a % b; }
// Of the sign of `b`.
int64_t Remainder(int64_t a, int64_t b) {
  const int64_t rest = Rest(a, b);
  return b != 0 && rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}
int64_t IsEqual(int64_t a, int64_t b) { return a == b ? 1 : 0; }
int64_t IsLess(int64_t a, int64_t b) { return a < b ? 1 : 0; }
int64_t IsLessOrEqual(int64_t a, int64_t b) { return a <= b ? 1 : 0; }
int64_t IsGreater(int64_t a, int64_t b) { return a > b ? 1 : 0; }
int64_t IsGreaterOrEqual(int64_t a, int64_t b) { return a >= b ? 1 : 0; }
// A file may say truth by other numbers than 1.
int64_t Both(int64_t a, int64_t b) { return a != 0 && b != 0 ? 1 : 0; }
int64_t OneOrBoth(int64_t a, int64_t b) { return a != 0 || b != 0 ? 1 : 0; }
int64_t OneOnly(int64_t a, int64_t b) { return (a != 0) != (b != 0) ? 1 : 0; }
int64_t Negation(int64_t a) { return -a; }
int64_t Magnitude(int64_t a) { return a < 0 ? -a : a; }
int64_t Opposite(int64_t a) { return a == 0 ? 1 : 0; }

double Sum(double a, double b) { return a + b; }
double Difference(double a, double b) { return a - b; }
double Product(double a, double b) { return a * b; }
double Quotient(double a, double b) { return a / b; }
double Negation(double a) { return -a; }
double Magnitude(double a) { return std::abs(a); }
double RoundDown(double a) { return std::floor(a); }
double RoundUp(double a) { return std::ceil(a); }
double RoundToEven(double a) { return std::nearbyint(a); }
double Root(double a) { return std::sqrt(a); }

template <typename T>
T Sign(T a) {
  return a > 0 ? 1 : a < 0 ? -1 : 0;
}
template <typename T>
T Larger(T a, T b) {
  return std::max(a, b);
}
template <typename T>
T Smaller(T a, T b) {
  return std::min(a, b);
}

bool IsUnknown(int64_t number) { return number == kUnknownNumber; }
bool IsUnknown(double number) { return std::isnan(number); }

template <typename T>
T Apply(T (*operation)(T, T), T a, T b) {
  return IsUnknown(a) || IsUnknown(b) ? kUnknownElement<T> : operation(a, b);
}

// Of the first output, by operator. `dims`: its shape, of one element or more, and of no more than are kept.
template <typename T>
using Compute = Found<T>(const NumberCall&, absl::Span<const int64_t> dims);

// By element, from left to right over all arguments.
template <typename T, T (*kOperation)(T, T)>
Found<T> ByElement(const NumberCall& call, absl::Span<const int64_t> dims) {
  Found<T> result = Broadcasted<T>(call, 0, dims);
  for (int i = 1; result && i < call.node().num_inputs(); ++i) {
    const Found<T> next = Broadcasted<T>(call, i, dims);
    if (!next) return std::nullopt;
    for (size_t k = 0; k < next->size(); ++k) (*result)[k] = Apply(kOperation, (*result)[k], (*next)[k]);
  }
  return result;
}

template <typename T, T (*kOperation)(T)>
Found<T> OfEach(const NumberCall& call, absl::Span<const int64_t>) {
  Found<T> numbers = call.input<T>(0);
  if (!numbers) return numbers;
  for (T& number : *numbers) number = IsUnknown(number) ? number : kOperation(number);
  return numbers;
}

// All elements to one; axes that stay have one element each.
template <int64_t (*kOperation)(int64_t, int64_t)>
Found<int64_t> Reduced(const NumberCall& call, absl::Span<const int64_t> dims) {
  const Found<int64_t> numbers = call.input<int64_t>(0);
  if (!numbers || numbers->empty() || CountOf(dims) != 1) return std::nullopt;
  int64_t result = numbers->front();
  for (size_t i = 1; i < numbers->size(); ++i) result = Apply(kOperation, result, (*numbers)[i]);
  return Numbers<int64_t>{result};
}

Found<int64_t> RemainderOf(const NumberCall& call, absl::Span<const int64_t> dims) {
  const bool as_in_c = call.node().integer("fmod", 0) != 0;
  return as_in_c ? ByElement<int64_t, Rest>(call, dims) : ByElement<int64_t, Remainder>(call, dims);
}

// Towards zero; what 64 bits do not hold becomes something else.
int64_t Truncated(double number) {
  constexpr double kBeyond = 0x1p63;
  return number > -kBeyond && number < kBeyond ? static_cast<int64_t>(number) : kUnknownNumber;
}

Found<int64_t> CastToIntegers(const NumberCall& call, absl::Span<const int64_t>) {
  const v1::DataType to = DataTypeFromOnnx(static_cast<int>(call.node().integer("to", 0)));
  const bool is_truth = to == v1::DATA_TYPE_BOOL;
  if (!is_truth && !IsInteger(to)) return std::nullopt;
  Found<int64_t> numbers = call.input<int64_t>(0);
  if (const Found<double> reals = numbers ? std::nullopt : call.input<double>(0)) {
    numbers.emplace();
    // A fraction is true, too.
    for (double real : *reals) numbers->push_back(Truncated(is_truth && real != 0 && !IsUnknown(real) ? 1 : real));
  }
  if (!numbers || !is_truth) return numbers;
  for (int64_t& number : *numbers) number = IsUnknown(number) ? number : number != 0 ? 1 : 0;
  return numbers;
}

Found<double> CastToReals(const NumberCall& call, absl::Span<const int64_t>) {
  const Found<int64_t> numbers = call.input<int64_t>(0);
  if (!numbers) return call.input<double>(0);
  Numbers<double> reals;
  for (int64_t number : *numbers) reals.push_back(IsUnknown(number) ? kUnknownReal : static_cast<double>(number));
  return reals;
}

Found<int64_t> SizesOf(const NumberCall& call, absl::Span<const int64_t> dims) {
  const Shape shape = call.node().at(0);
  if (!shape.known || dims.size() != 1) return std::nullopt;
  Numbers<int64_t> sizes;
  for (int64_t size : shape.dims.subspan(ShapeStart(call.node(), shape.rank()), dims[0])) {
    sizes.push_back(size < 0 ? kUnknownNumber : size);
  }
  return sizes;
}

Found<int64_t> CountOfElements(const NumberCall& call, absl::Span<const int64_t>) {
  const Shape shape = call.node().at(0);
  const absl::optional<int64_t> count = shape.is_static() ? CountOf(shape.dims) : absl::nullopt;
  if (!count) return std::nullopt;
  return Numbers<int64_t>{*count};
}

// 0, a float, unless a value is stated.
template <typename T>
Found<T> Filled(const NumberCall& call, absl::Span<const int64_t> dims) {
  const v1::Attribute* attribute = call.graph().attribute(call.node().node(), "value");
  if (attribute == nullptr || attribute->value_case() != v1::Attribute::kTensor || attribute->tensor() < 1) {
    return std::nullopt;
  }
  const NumberView<T> numbers = NumberCall::StoredIn<T>(call.graph().value(attribute->tensor() - 1));
  if (numbers.size() != 1) return std::nullopt;
  return Numbers<T>(CountOf(dims).value_or(0), numbers[0]);
}

Found<int64_t> Counted(const NumberCall& call, absl::Span<const int64_t> dims) {
  const Found<int64_t> start = call.input<int64_t>(0);
  const Found<int64_t> step = call.input<int64_t>(2);
  if (dims.size() != 1 || !start || !step || start->size() != 1 || step->size() != 1) return std::nullopt;
  Numbers<int64_t> counted;
  for (int64_t i = 0; i < dims[0]; ++i) {
    counted.push_back(Apply<int64_t>(Sum, start->front(), Apply<int64_t>(Product, i, step->front())));
  }
  return counted;
}

// What an operator computes where its result is of integers or truth values, or of real numbers.
struct Functions {
  Compute<int64_t>* integers = nullptr;
  Compute<double>* reals = nullptr;

  template <typename T>
  Compute<T>* of() const {
    if constexpr (std::is_same_v<T, double>) {
      return reals;
    } else {
      return integers;
    }
  }
};

// Operators of the default domain; built once, on first use, and never destroyed.
Functions FunctionsOf(absl::string_view op_type) {
  static const auto& all = *new absl::flat_hash_map<absl::string_view, Functions>{
      {"Abs", {&OfEach<int64_t, Magnitude>, &OfEach<double, Magnitude>}},
      {"Add", {&ByElement<int64_t, Sum>, &ByElement<double, Sum>}},
      {"And", {&ByElement<int64_t, Both>}},
      {"Cast", {&CastToIntegers, &CastToReals}},
      {"Ceil", {nullptr, &OfEach<double, RoundUp>}},
      {"Concat", {&Joined<int64_t>, &Joined<double>}},
      {"ConstantOfShape", {&Filled<int64_t>, &Filled<double>}},
      {"Div", {&ByElement<int64_t, Quotient>, &ByElement<double, Quotient>}},
      {"Equal", {&ByElement<int64_t, IsEqual>}},
      {"Expand", {&Expanded<int64_t>, &Expanded<double>}},
      {"Flatten", {&Copied<int64_t>, &Copied<double>}},
      {"Floor", {nullptr, &OfEach<double, RoundDown>}},
      {"Gather", {&Gathered<int64_t>, &Gathered<double>}},
      {"Greater", {&ByElement<int64_t, IsGreater>}},
      {"GreaterOrEqual", {&ByElement<int64_t, IsGreaterOrEqual>}},
      {"Identity", {&Copied<int64_t>, &Copied<double>}},
      {"Less", {&ByElement<int64_t, IsLess>}},
      {"LessOrEqual", {&ByElement<int64_t, IsLessOrEqual>}},
      {"Max", {&ByElement<int64_t, Larger>, &ByElement<double, Larger>}},
      {"Min", {&ByElement<int64_t, Smaller>, &ByElement<double, Smaller>}},
      {"Mod", {&RemainderOf}},
      {"Mul", {&ByElement<int64_t, Product>, &ByElement<double, Product>}},
      {"Neg", {&OfEach<int64_t, Negation>, &OfEach<double, Negation>}},
      {"Not", {&OfEach<int64_t, Opposite>}},
      {"Or", {&ByElement<int64_t, OneOrBoth>}},
      {"Range", {&Counted}},
      {"ReduceMax", {&Reduced<Larger>}},
      {"ReduceMin", {&Reduced<Smaller>}},
      {"ReduceProd", {&Reduced<Product>}},
      {"ReduceSum", {&Reduced<Sum>}},
      {"Reshape", {&Copied<int64_t>, &Copied<double>}},
      {"Round", {nullptr, &OfEach<double, RoundToEven>}},
      {"Shape", {&SizesOf}},
      {"Sign", {&OfEach<int64_t, Sign>, &OfEach<double, Sign>}},
      {"Size", {&CountOfElements}},
      {"Slice", {&Sliced<int64_t>, &Sliced<double>}},
      {"Sqrt", {nullptr, &OfEach<double, Root>}},
      {"Squeeze", {&Copied<int64_t>, &Copied<double>}},
      {"Sub", {&ByElement<int64_t, Difference>, &ByElement<double, Difference>}},
      {"Transpose", {&Transposed<int64_t>, &Transposed<double>}},
      {"Unsqueeze", {&Copied<int64_t>, &Copied<double>}},
      {"Where", {&Selected<int64_t>, &Selected<double>}},
      {"Xor", {&ByElement<int64_t, OneOnly>}},
  };
  const auto found = all.find(op_type);
  return found == all.end() ? Functions() : found->second;
}

// What a narrower type cannot hold comes out as something else.
void FitInto(v1::DataType type, Numbers<int64_t>& numbers) {
  if (!IsInteger(type)) return;
  for (int64_t& number : numbers) {
    if (number < MinOf(type) || number > MaxOf(type)) number = kUnknownNumber;
  }
}

// A sum, product, quotient or root of floats is the nearest float to that in double precision.
void FitInto(v1::DataType type, Numbers<double>& reals) {
  for (double& real : reals) {
    if (type == v1::DATA_TYPE_FLOAT32) real = static_cast<double>(static_cast<float>(real));
    if (type != v1::DATA_TYPE_FLOAT32 && type != v1::DATA_TYPE_FLOAT64) real = kUnknownReal;
  }
}

// The parts lie one behind the other along the axis.
template <typename T>
void ComputeParts(const NumberCall& call, Inferred& inferred) {
  const Found<T> numbers = call.input<T>(0);
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
    if (Found<T> part = Rearrange<T>(*numbers, *dims, strides, first * strides[axis])) {
      KnownOf<T>(inferred).Set(output, *std::move(part));
    }
    first += (*dims)[axis];
  }
}

template <typename T>
void ComputeFirst(const NumberCall& call, absl::string_view op_type, int32_t output, Inferred& inferred) {
  Compute<T>* const compute = FunctionsOf(op_type).of<T>();
  const auto dims = compute == nullptr ? absl::nullopt : call.output_dims(0);
  if (!dims) return;
  const int64_t count = CountOf(*dims).value_or(0);
  Found<T> numbers = count == 0 ? Numbers<T>() : compute(call, *dims);
  // What contradicts itself holds nothing that could be told.
  if (!numbers || static_cast<int64_t>(numbers->size()) != count) return;
  FitInto(call.graph().dtype(output), *numbers);
  KnownOf<T>(inferred).Set(output, *std::move(numbers));
}

}  // namespace

void ComputeNumbers(const NodeShapes& node, Inferred& inferred) {
  const Graph& graph = node.graph();
  const int32_t output = node.num_outputs() > 0 ? graph.output(node.node(), 0) : -1;
  if (output < 0 || graph.producer(output) != node.node()) return;
  const absl::string_view op_type = graph.op_type(node.node());
  const NumberCall call(node, inferred);
  const bool real = IsFloat(graph.dtype(output));
  if (op_type == "Split") return real ? ComputeParts<double>(call, inferred) : ComputeParts<int64_t>(call, inferred);
  if (real) return ComputeFirst<double>(call, op_type, output, inferred);
  ComputeFirst<int64_t>(call, op_type, output, inferred);
}

}  // namespace quantgate
