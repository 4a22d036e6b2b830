#include "rules/backends/extreme_places.h"
#include "rules/backends/qnn/input_encoding.h"
#include "rules/backends/qnn/lowerers.h"
#include "rules/backends/shared_encoding.h"
#include "rules/graph/data_type.h"

namespace quantgate::qnn {
namespace {

int64_t KeepDims(const NodeView& view) {
  const bool onnx = view.graph().origin() == v1::Graph::ONNX;
  return view.integer({"keepdims", "keepdim", "keep_dims"}).value_or(onnx ? 1 : 0);
}

void AddAxes(const NodeView& view, int rank, Emission& emission) {
  const std::optional<IntVector> axes = view.integers({"axes", "dim", "axis"}, 1);
  BackendParam& out = emission.AddParam("axes");
  if (axes && !axes->empty()) {
    for (int64_t axis : *axes) out.ints.push_back(Normalize(axis, rank));
  } else {
    for (int i = 0; i < rank; ++i) out.ints.push_back(i);  // none given: all
  }
}

// PyTorch sums integers in 64 bits. ExecuTorch makes int32 of what goes in, and int64 comes out all the same.
bool SumsIntegers(const NodeView& view) {
  const Operand* output = view.output(0);
  return view.graph().origin() == v1::Graph::PT2E && view.op().op->id == OpId::kReduceSum && output != nullptr &&
         output->type == v1::DATA_TYPE_INT64;
}

// PyTorch says a sum of all over a list of no dimensions, and does not change such a list of other reductions; the
// library takes none. A mean over it gets all of them first.
bool IsOverNoDimension(const NodeView& view) {
  if (view.op_type() == "aten.sum.default") return true;
  const bool passes_on = view.op_type() == "aten.sum.dim_IntList" || view.op_type() == "aten.amax.default" ||
                         view.op_type() == "aten.amin.default";
  const v1::Attribute* dim = passes_on ? view.attribute({"dim"}) : nullptr;
  return dim != nullptr && dim->has_ints() && dim->ints().values().empty();
}

// ExecuTorch counts what is true, and asks whether it is none.
void EmitAny(const NodeView& view, absl::string_view sum, const BackendTensor& truth, const BackendTensor& output,
             Emission& emission) {
  const BackendTensor ones = WithType(truth, v1::DATA_TYPE_INT32);
  const BackendTensor count = WithType(output, v1::DATA_TYPE_INT32);
  AddUnary("Cast", view, truth, ones, emission);
  emission.Begin(sum, view.node());
  emission.AddInput() = ones;
  emission.AddOutput() = count;
  AddAxes(view, truth.rank, emission);
  emission.AddInt("keep_dims", KeepDims(view));
  emission.Begin("ElementWiseNotEqual", view.node());
  emission.AddInput() = count;
  AddMadeConstant(count, 1, emission);
  emission.AddOutput() = output;
}

}  // namespace

void AddReducedAxes(const NodeView& view, Emission& emission) {
  AddAxes(view, view.rank(view.input(0)), emission);
  emission.AddInt("keep_dims", KeepDims(view));
}

Lowering LowerReduction(const NodeView& view, absl::string_view name, Emission& emission) {
  if (SumsIntegers(view)) return NoCounterpart("the sum of integers is one of 64 bits, which QNN does not have");
  if (IsOverNoDimension(view)) return NoCounterpart("ExecuTorch asks for a reduction over no dimension");
  emission.Begin(name, view.node());
  AddInput(view, view.input(0), emission);
  AddOutput(view, view.output(0), emission);
  AddReducedAxes(view, emission);
  return Emitted();
}

Lowering LowerAny(const NodeView& view, absl::string_view name, Emission& emission) {
  if (view.graph().origin() != v1::Graph::PT2E) return NoCounterpart("QNN has no operator for it");
  BackendTensor input, output;
  FillTensor(view, view.input(0), Layout::kSame, -1, emission, input);
  FillTensor(view, view.output(0), Layout::kSame, -1, emission, output);
  const BackendTensor truth = WithType(input, v1::DATA_TYPE_BOOL);
  if (input.type != truth.type) AddUnary("Cast", view, input, truth, emission);
  EmitAny(view, name, truth, output, emission);
  return Emitted();
}

// ExecuTorch asks whether any is false.
Lowering LowerAll(const NodeView& view, Emission& emission) {
  const Operand* input = view.input(0);
  if (input != nullptr && IsFloat(input->type)) {
    return NoCounterpart("ExecuTorch asks for the logical not of floats, which QNN does not have");
  }
  if (input == nullptr || input->type != v1::DATA_TYPE_BOOL) return Unknown("whether integers are taken was not asked");
  BackendTensor truth, output;
  FillTensor(view, input, Layout::kSame, -1, emission, truth);
  FillTensor(view, view.output(0), Layout::kSame, -1, emission, output);
  const BackendTensor negated = WithType(truth, v1::DATA_TYPE_BOOL);
  const BackendTensor any = WithType(output, v1::DATA_TYPE_BOOL);
  AddUnary("ElementWiseNot", view, truth, negated, emission);
  EmitAny(view, "ReduceSum", negated, any, emission);
  AddUnary("ElementWiseNot", view, any, output, emission);
  return Emitted();
}

Lowering LowerArgument(const NodeView& view, absl::string_view name, Emission& emission) {
  emission.Begin(name, view.node());
  AddInput(view, view.input(0), emission);
  AddOutput(view, view.output(0), emission);
  emission.AddInt("axis", Normalize(view.integer({"axis", "dim"}).value_or(0), view.rank(view.input(0))));
  emission.AddInt("keep_dims", KeepDims(view));
  return Emitted();
}

namespace {

// A result that nobody takes is emitted all the same: values like the input, indices as int32.
void AddUnread(const NodeView& view, int port, Emission& emission) {
  BackendTensor result;
  FillTensor(view, view.input(0), Layout::kSame, -1, emission, result);
  result.is_static = false;
  result.dims = {};
  if (port == 1) {
    result.type = {v1::DATA_TYPE_INT32, false};
    result.encoding = Encoding::kNone;
    result.qparams = nullptr;
  }
  emission.AddOutput() = result;
}

void AddResult(const NodeView& view, int port, Emission& emission) {
  if (const Operand* output = view.output(port); output != nullptr) {
    AddOutput(view, output, emission);
  } else {
    AddUnread(view, port, emission);
  }
}

}  // namespace

Lowering LowerReductionWithIndex(const NodeView& view, absl::string_view name, Emission& emission) {
  if (RefusesPlaces(view)) {
    return NoCounterpart("ExecuTorch makes an arg max or arg min of torch.max and torch.min in a strict export alone");
  }
  const int rank = view.rank(view.input(0));
  const int64_t axis = Normalize(view.integer({"dim"}).value_or(-1), rank);
  emission.Begin(name, view.node());
  AddInput(view, view.input(0), emission);
  AddResult(view, 0, emission);
  emission.AddInt("axes", axis);
  emission.AddInt("keep_dims", KeepDims(view));
  if (view.output(1) != nullptr && !KeepsPlaces(view.graph(), view.node())) {
    emission.Begin(name == "ReduceMax" ? "Argmax" : "Argmin", view.node());
    AddInput(view, view.input(0), emission);
    AddOutput(view, view.output(1), emission);
    emission.AddInt("axis", axis);
    emission.AddInt("keep_dims", KeepDims(view));
  }
  return Emitted();
}

Lowering LowerCumulativeSum(const NodeView& view, absl::string_view name, Emission& emission) {
  const std::optional<IntVector> axis = view.integers({"axis", "dim"}, 1);
  if (!axis || axis->empty()) return WithoutArgument(view, 1, "QNN's CumulativeSum needs an axis that is a constant");
  emission.Begin(name, view.node());
  AddInput(view, view.input(0), emission);
  AddOutput(view, view.output(0), emission);
  emission.AddInt("axis", Normalize((*axis)[0], view.rank(view.input(0))));
  emission.AddInt("exclusive", view.integer({"exclusive"}).value_or(0));
  emission.AddInt("reverse", view.integer({"reverse"}).value_or(0));
  return Emitted();
}

namespace {

// ExecuTorch gives them the encoding that the input was written with, whatever Convert is in between.
void AddValues(const NodeView& view, Emission& emission) {
  const Operand* input = view.input(0);
  const Operand* written = input == nullptr ? nullptr : OtherWriting(view.context(), *input);
  if (written == nullptr || view.output(0) == nullptr) return AddResult(view, 0, emission);
  const Operand values = EncodedAs(*view.output(0), *written);
  AddOutput(view, &values, emission);
}

// Values and places. An arg sort has the places alone, and is a sort whose values nobody reads.
void AddSorted(const NodeView& view, Emission& emission) {
  if (view.op().op->id == OpId::kArgSort) {
    AddUnread(view, 0, emission);
    AddOutput(view, view.output(0), emission);
    return;
  }
  AddValues(view, emission);
  AddResult(view, 1, emission);
}

}  // namespace

Lowering LowerTopK(const NodeView& view, absl::string_view name, Emission& emission) {
  const int rank = view.rank(view.input(0));
  const int64_t axis = Normalize(view.integer({"axis", "dim"}).value_or(-1), rank);
  std::optional<IntVector> k = view.integers({"k", "K"}, 1);
  if (!k || k->empty()) k = IntVector{view.dim(view.input(0), static_cast<int>(axis))};  // a sort keeps everything
  emission.Begin(name, view.node());
  AddInput(view, view.input(0), emission);
  AddSorted(view, emission);
  emission.AddInt("k", (*k)[0]);
  // A sort states `descending`, a top-k `largest`.
  const std::optional<int64_t> descending = view.integer({"descending"});
  emission.AddInt("largest", descending ? *descending : view.integer({"largest"}).value_or(1));
  return Emitted();
}

}  // namespace quantgate::qnn
