#include <limits>
#include <optional>
#include <vector>

#include "absl/strings/match.h"
#include "rules/backends/qnn/lowerers.h"
#include "rules/backends/qnn/removed.h"
#include "rules/backends/shared_encoding.h"
#include "rules/graph/data_type.h"
#include "rules/graph/port_role.h"

namespace quantgate::qnn {
namespace {

bool CarriesData(const NodeView& view, const Operand& operand) {
  return RoleOf(view.op(), operand) != PortRole::kParameter;
}

void AddOutputs(const NodeView& view, Emission& emission) {
  for (const Operand& output : view.outputs()) AddOutput(view, &output, emission);
}

// `name` with the first input only.
void Unary(const NodeView& view, absl::string_view name, Emission& emission) {
  emission.Begin(name, view.node());
  AddInput(view, view.input(0), emission);
  AddOutput(view, view.output(0), emission);
}

bool IsPlainInteger(const BackendTensor& tensor) {
  return tensor.present && !tensor.type.quantized && tensor.type.type == v1::DATA_TYPE_INT32;
}

// In PyTorch's order of promotion: truth values, integers, real numbers. -1: some other type.
int KindOfNumber(const BackendTensor& tensor) {
  if (tensor.type.quantized || IsFloat(tensor.type.type)) return 2;
  if (tensor.type.type == v1::DATA_TYPE_BOOL) return 0;
  return IsInteger(tensor.type.type) ? 1 : -1;
}

// What PyTorch computes with, of tensors that HTP stores: most int64 is int32 there. Nothing: it is not known.
std::optional<v1::DataType> PromotedType(const BackendTensor& first, const BackendTensor& second, bool into_floats) {
  const auto type = [](const BackendTensor& t) { return t.type.quantized ? v1::DATA_TYPE_FLOAT32 : t.type.type; };
  const int a = KindOfNumber(first);
  const int b = KindOfNumber(second);
  if (a < 0 || b < 0) return std::nullopt;
  if (into_floats && a < 2 && b < 2) return v1::DATA_TYPE_FLOAT32;
  if (a != b) return type(a < b ? second : first);
  if (type(first) == type(second)) return type(first);
  // A number without dimensions does not widen the other.
  if ((first.rank == 0) != (second.rank == 0)) return type(first.rank == 0 ? second : first);
  if (a == 2) return v1::DATA_TYPE_FLOAT32;
  const bool wide = type(first) == v1::DATA_TYPE_INT64 || type(second) == v1::DATA_TYPE_INT64;
  return wide ? v1::DATA_TYPE_INT64 : v1::DATA_TYPE_INT32;
}

void CastTo(v1::DataType type, const NodeView& view, BackendTensor& tensor, Emission& emission) {
  const BackendTensor cast = WithType(tensor, type);
  AddUnary("Cast", view, tensor, cast, emission);
  tensor = cast;
}

// Both as what PyTorch computes with: an edge program casts in front of these operators (ExecuTorch 1.5.1,
// RemoveMixedTypeOperators), and leaves others with operands of two types.
void Promote(const NodeView& view, BackendTensor& first, BackendTensor& second, Emission& emission) {
  const OpId id = view.graph().op(view.node());
  if (id != OpId::kAdd && id != OpId::kSub && id != OpId::kMul && id != OpId::kDiv && id != OpId::kMinimum) return;
  const bool divides = id == OpId::kDiv && view.text({"rounding_mode"}).empty();
  const std::optional<v1::DataType> promoted = PromotedType(first, second, divides);
  if (!promoted) return;
  for (BackendTensor* operand : {&first, &second}) {
    if (operand->type.quantized || operand->type.type == *promoted) continue;
    // QNN casts between 64 and 32 bits alone; ExecuTorch casts twice.
    const bool twice = operand->type.type == v1::DATA_TYPE_INT64 && *promoted != v1::DATA_TYPE_INT32;
    if (twice) CastTo(v1::DATA_TYPE_INT32, view, *operand, emission);
    CastTo(*promoted, view, *operand, emission);
  }
}

}  // namespace

void AddUnary(absl::string_view name, const NodeView& view, const BackendTensor& from, const BackendTensor& to,
              Emission& emission) {
  emission.Begin(name, view.node());
  emission.AddInput() = from;
  emission.AddOutput() = to;
}

BackendTensor& AddMadeConstant(const BackendTensor& like, int rank, Emission& emission) {
  const BackendTensor source = like;  // `like` may move
  BackendTensor& made = emission.AddInput();
  made.present = true;
  made.type = source.type;
  made.bits = source.bits;
  made.encoding = source.type.quantized ? Encoding::kPerTensor : Encoding::kNone;
  made.rank = rank;
  made.is_static = true;
  made.static_chain = true;
  return made;
}

BackendTensor WithType(const BackendTensor& tensor, v1::DataType type) {
  BackendTensor plain;
  plain.present = true;
  plain.type = {type, false};
  plain.bits = BitWidth(type);
  plain.rank = tensor.rank;
  plain.dims = tensor.dims;
  plain.dynamic_shape = tensor.dynamic_shape;
  plain.value = tensor.value;
  return plain;
}

Lowering LowerRandomLike(const NodeView& view, absl::string_view, Emission& emission) {
  const bool normal = absl::StrContains(view.op_type(), "randn") || absl::StrContains(view.op_type(), "Normal");
  emission.Begin(normal ? "RandomNormalLike" : "RandomUniformLike", view.node());
  // The shape, told by a constant.
  BackendTensor& shape = emission.AddInput();
  shape.present = true;
  shape.type = {v1::DATA_TYPE_UINT32, false};
  shape.bits = 32;
  shape.rank = 1;
  shape.is_static = shape.static_chain = true;
  AddOutputs(view, emission);
  return Emitted();
}

Lowering LowerSame(const NodeView& view, absl::string_view name, Emission& emission) {
  emission.Begin(name, view.node());
  for (const Operand& input : view.inputs()) {
    if (CarriesData(view, input)) AddInput(view, &input, emission);
  }
  AddOutputs(view, emission);
  return Emitted();
}

Lowering LowerCastLike(const NodeView& view, absl::string_view name, Emission& emission) {
  if (view.graph().origin() == v1::Graph::ONNX) return NoCounterpart("QNN has no operator for it");
  return LowerSame(view, name, emission);
}

Lowering LowerHadamardTransform(const NodeView& view, absl::string_view name, Emission& emission) {
  emission.Begin(name, view.node());
  AddInput(view, view.input(0), emission);
  AddOutput(view, view.output(0), emission);
  emission.AddReal("scale", view.real({"scale"}).value_or(1));
  return Emitted();
}

Lowering LowerFolded(const NodeView&, absl::string_view, Emission&) { return Folded(); }

Lowering LowerDropout(const NodeView& view, absl::string_view, Emission&) {
  if (!Drops(view.graph(), view.node())) return Folded();
  return NoCounterpart("what drops elements is for training, and QNN has no operator that does");
}

Lowering LowerBinary(const NodeView& view, absl::string_view name, Emission& emission) {
  // ONNX Sum, Max and Min take any number of inputs: a chain of binary operators whose middle values have no spec.
  if (view.graph().origin() == v1::Graph::ONNX && view.inputs().size() > 2) {
    return Unknown("more than two inputs: emitted as a chain whose intermediate tensors have no spec in the model");
  }
  if (view.inputs().empty()) return Unknown("no inputs");
  BackendTensor first;
  BackendTensor second;
  FillTensor(view, &view.inputs()[0], Layout::kSame, -1, emission, first);
  if (view.inputs().size() > 1) FillTensor(view, &view.inputs()[1], Layout::kSame, -1, emission, second);
  if (view.graph().origin() == v1::Graph::PT2E && second.present) Promote(view, first, second, emission);
  emission.Begin(name, view.node());
  emission.AddInput() = first;
  if (view.inputs().size() > 1) {
    emission.AddInput() = second;
  } else {
    AddMadeConstant(first, 1, emission);  // a scalar operand of ATen becomes a constant of rank 1
  }
  AddOutputs(view, emission);
  return Emitted();
}

Lowering LowerReciprocal(const NodeView& view, absl::string_view name, Emission& emission) {
  emission.Begin(name, view.node());
  BackendTensor input;
  FillTensor(view, view.input(0), Layout::kSame, -1, emission, input);
  AddMadeConstant(input, 1, emission);  // one divided by it
  emission.AddInput() = input;
  AddOutputs(view, emission);
  return Emitted();
}

Lowering LowerSquare(const NodeView& view, absl::string_view name, Emission& emission) {
  emission.Begin(name, view.node());
  AddInput(view, view.input(0), emission);
  BackendTensor like;
  FillTensor(view, view.input(0), Layout::kSame, -1, emission, like);
  AddMadeConstant(like, 1, emission);
  AddOutputs(view, emission);
  return Emitted();
}

Lowering LowerClamp(const NodeView& view, absl::string_view name, Emission& emission) {
  Unary(view, name, emission);
  const double lowest = std::numeric_limits<float>::lowest();
  const double highest = std::numeric_limits<float>::max();
  emission.AddReal("min_value", view.scalar({"min", "min_val"}, 1).value_or(lowest));
  emission.AddReal("max_value", view.scalar({"max", "max_val"}, 2).value_or(highest));
  return Emitted();
}

Lowering LowerRelu6(const NodeView& view, absl::string_view name, Emission& emission) {
  Unary(view, name, emission);
  emission.AddReal("min_value", 0.0);
  emission.AddReal("max_value", 6.0);
  return Emitted();
}

Lowering LowerLeakyRelu(const NodeView& view, absl::string_view name, Emission& emission) {
  emission.Begin(name, view.node());
  AddInput(view, view.input(0), emission);
  BackendTensor like;
  FillTensor(view, view.input(0), Layout::kSame, -1, emission, like);
  AddMadeConstant(like, 1, emission);
  AddOutput(view, view.output(0), emission);
  return Emitted();
}

namespace {

// Broadcast to the input, and laid out with it.
void AddSlope(const NodeView& view, Layout layout, Emission& emission) {
  BackendTensor& slope = emission.AddInput();
  FillTensor(view, view.input(1), Layout::kSame, -1, emission, slope);
  const int rank = view.rank(view.input(0));
  const int own = static_cast<int>(slope.dims.size());
  const LayoutMap map = MapLayout(layout, rank, rank);
  if (own < 2 || own > rank || map.rank != rank) return;
  auto& dims = emission.NewDims();
  for (int k = 0; k < rank; ++k) {
    const int axis = map.from[k] - (rank - own);
    dims[k] = axis < 0 ? 1 : slope.dims[axis];
  }
  slope.rank = rank;
  slope.dims = absl::MakeConstSpan(dims.data(), rank);
}

}  // namespace

void EmitPrelu(const NodeView& view, absl::string_view name, Layout layout, Emission& emission) {
  emission.Begin(name, view.node());
  AddInput(view, view.input(0), emission, layout);
  AddSlope(view, layout, emission);
  AddOutput(view, view.output(0), emission, layout);
}

Lowering LowerPrelu(const NodeView& view, absl::string_view name, Emission& emission) {
  EmitPrelu(view, name, view.channels_first() ? Layout::kChannelsLast : Layout::kSame, emission);
  return Emitted();
}

Lowering LowerHardSigmoid(const NodeView& view, absl::string_view name, Emission& emission) {
  Unary(view, name, emission);
  emission.AddInt("operation", 2);
  // ATen's hard sigmoid is relu6(x + 3) / 6; ONNX states its own slope, 0.2 when it does not.
  const bool onnx = view.graph().origin() == v1::Graph::ONNX;
  emission.AddReal("alpha", view.real({"alpha"}).value_or(onnx ? 0.2 : 1.0 / 6.0));
  emission.AddReal("beta", view.real({"beta"}).value_or(0.5));
  return Emitted();
}

Lowering LowerElu(const NodeView& view, absl::string_view name, Emission& emission) {
  Unary(view, name, emission);
  emission.AddReal("alpha", view.real({"alpha"}).value_or(1.0));
  return Emitted();
}

Lowering LowerSeluAsElu(const NodeView& view, absl::string_view name, Emission& emission) {
  if (view.graph().origin() != v1::Graph::PT2E) return NoCounterpart("QNN has no operator for it");
  // PyTorch takes it apart into an elu with a scale, which QNN does not know (EN210).
  Unary(view, name, emission);
  emission.AddReal("alpha", 1.6732632423543772);
  return Emitted();
}

namespace {

// ExecuTorch computes the quotient of integers in float32.
void DivideAsFloats(const NodeView& view, const BackendTensor& output, Emission& emission) {
  BackendTensor quotient = WithType(output, v1::DATA_TYPE_FLOAT32);
  std::vector<BackendTensor> operands;
  for (const Operand& input : view.inputs()) {
    BackendTensor operand;
    FillTensor(view, &input, Layout::kSame, -1, emission, operand);
    operands.push_back(operand);
    if (!IsPlainInteger(operand)) continue;
    operands.back() = WithType(operand, v1::DATA_TYPE_FLOAT32);
    AddUnary("Cast", view, operand, operands.back(), emission);
  }
  emission.Begin("ElementWiseDivide", view.node());
  for (const BackendTensor& operand : operands) emission.AddInput() = operand;
  if (operands.size() == 1) AddMadeConstant(operands[0], 1, emission);
  emission.AddOutput() = quotient;
  AddUnary("ElementWiseFloor", view, quotient, quotient, emission);
  AddUnary("Cast", view, quotient, output, emission);
}

}  // namespace

Lowering LowerFloorDivide(const NodeView& view, absl::string_view name, Emission& emission) {
  BackendTensor output;
  FillTensor(view, view.output(0), Layout::kSame, -1, emission, output);
  if (view.graph().origin() == v1::Graph::PT2E && IsPlainInteger(output) && !view.inputs().empty()) {
    DivideAsFloats(view, output, emission);
    return Emitted();
  }
  const Lowering lowering = LowerBinary(view, name, emission);
  if (lowering.status == Lowering::kEmitted) emission.AddInt("operation", 4);
  return lowering;
}

Lowering LowerDifference(const NodeView& view, absl::string_view name, Emission& emission) {
  if (view.input(1) != nullptr || view.input(2) != nullptr || view.integer({"n"}).value_or(1) != 1) {
    return Unknown("what is put in front of or behind it, and repeating it, take further operators");
  }
  if (view.graph().origin() == v1::Graph::PT2E && TouchesQuantized(view.context(), view.op())) {
    return NoCounterpart("ExecuTorch takes it apart, and what is between its parts is not quantized");
  }
  // All but the first, minus all but the last.
  for (int i = 0; i < 2; ++i) {
    emission.Begin("StridedSlice", view.node());
    AddInput(view, view.input(0), emission);
    AddOutput(view, view.output(0), emission);
  }
  emission.Begin(name, view.node());
  for (int i = 0; i < 2; ++i) AddInput(view, view.output(0), emission);
  AddOutput(view, view.output(0), emission);
  return Emitted();
}

Lowering LowerMaskedFill(const NodeView& view, absl::string_view name, Emission& emission) {
  emission.Begin(name, view.node());
  AddInput(view, view.input(1), emission);
  if (view.input(2) != nullptr) {
    AddInput(view, view.input(2), emission);
  } else {
    BackendTensor like;
    FillTensor(view, view.input(0), Layout::kSame, -1, emission, like);
    AddMadeConstant(like, 1, emission);
  }
  AddInput(view, view.input(0), emission);
  AddOutput(view, view.output(0), emission);
  return Emitted();
}

Lowering LowerSoftmax(const NodeView& view, absl::string_view name, Emission& emission) {
  const Operand* input = view.input(0);
  const int rank = view.rank(input);
  const int64_t axis = Normalize(view.integer({"axis", "dim"}).value_or(-1), rank);
  // Over channels the tensor is channels last by then; ONNX Runtime transposes around any other axis, ExecuTorch passes
  // the axis on.
  const bool channels = view.channels_first() && rank >= 3 && axis == 1;
  const bool transposed = channels || (view.graph().origin() == v1::Graph::ONNX && rank > 0 && axis != rank - 1);
  emission.Begin(name, view.node());
  AddInput(view, input, emission, channels ? Layout::kChannelsLast : Layout::kSame);
  AddOutput(view, view.output(0), emission, channels ? Layout::kChannelsLast : Layout::kSame);
  if (rank > 0) emission.AddInt("axis", transposed ? rank - 1 : axis);
  return Emitted();
}

}  // namespace quantgate::qnn
