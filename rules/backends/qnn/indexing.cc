#include "rules/backends/qnn/lowerers.h"

namespace quantgate::qnn {
namespace {

constexpr int kRankOfCasts = 4;  // from INT_64: what HTP prepares

Lowering EmitGather(const NodeView& view, absl::string_view name, const Operand* data, const Operand* indices,
                    absl::string_view param, int64_t value, Emission& emission) {
  BackendTensor places;
  FillTensor(view, indices, Layout::kSame, -1, emission, places);
  // ExecuTorch casts indices of int64, which matters where a Cast cannot be prepared.
  if (view.graph().origin() == v1::Graph::PT2E && places.rank > kRankOfCasts && indices->type == v1::DATA_TYPE_INT64) {
    BackendTensor stored = WithType(places, v1::DATA_TYPE_INT64);
    stored.is_static = stored.static_chain = places.is_static;
    AddUnary("Cast", view, stored, places, emission);
  }
  emission.Begin(name, view.node());
  AddInput(view, data, emission);
  emission.AddInput() = places;
  AddOutput(view, view.output(0), emission);
  emission.AddInt(param, value);
  return Emitted();
}

// A single index is a tensor of one element in QNN, so the dimension stays; a Reshape drops it.
Lowering EmitGatherOne(const NodeView& view, absl::string_view name, int axis, Emission& emission) {
  BackendTensor full;
  FillTensor(view, view.output(0), Layout::kSame, -1, emission, full);
  BackendTensor kept = full;
  kept.rank = full.rank + 1;
  kept.dims = {};
  if (!full.dims.empty()) {
    auto& dims = emission.NewDims();
    for (int i = 0; i < kept.rank; ++i) dims[i] = i == axis ? 1 : full.dims[i < axis ? i : i - 1];
    kept.dims = absl::MakeConstSpan(dims.data(), kept.rank);
  }
  emission.Begin(name, view.node());
  AddInput(view, view.input(0), emission);
  AddInput(view, view.input(1), emission);
  emission.AddOutput() = kept;
  emission.AddInt("axis", axis);
  emission.Begin("Reshape", view.node());
  emission.AddInput() = kept;
  emission.AddOutput() = full;
  return Emitted();
}

// Stored as `other` is; shape and origin stay.
void TakeForm(const BackendTensor& other, BackendTensor& tensor) {
  tensor.type = other.type;
  tensor.bits = other.bits;
  tensor.encoding = other.encoding;
  tensor.symmetric = other.symmetric;
  tensor.asked_symmetric = other.asked_symmetric;
  tensor.qparams = other.qparams;
  tensor.without_encoding = other.without_encoding;
  tensor.axis = other.axis;
  tensor.encoded_as = other.value;
}

int64_t Reduction(absl::string_view text) {
  if (text == "add" || text == "sum") return 1;
  if (text == "mul" || text == "prod") return 2;
  if (text == "max" || text == "amax") return 3;
  if (text == "min" || text == "amin") return 4;
  return 0;
}

}  // namespace

Lowering LowerGather(const NodeView& view, absl::string_view name, Emission& emission) {
  const Operand* data = view.input(0);
  const int rank = view.rank(data);
  const int64_t axis = Normalize(view.integer({"axis", "dim"}).value_or(0), rank);
  if (rank >= 2 && rank <= kMaxBackendRank && view.rank(view.input(1)) == 0 && view.rank(view.output(0)) == rank - 1 &&
      axis >= 0 && axis < rank) {
    return EmitGatherOne(view, name, static_cast<int>(axis), emission);
  }
  return EmitGather(view, name, data, view.input(1), "axis", axis, emission);
}

Lowering LowerEmbedding(const NodeView& view, absl::string_view name, Emission& emission) {
  const Operand* table = view.input(0);
  BackendTensor weight;
  FillTensor(view, table, Layout::kSame, -1, emission, weight);
  if (weight.encoding != Encoding::kPerChannel && weight.encoding != Encoding::kBwPerChannel) {
    return EmitGather(view, name, table, view.input(1), "axis", 0, emission);
  }
  // Gather takes no per-channel table: ExecuTorch converts the table to the output's encoding first.
  BackendTensor converted = weight;
  const Operand* result = view.output(0);
  BackendTensor output;
  FillTensor(view, result, Layout::kSame, -1, emission, output);
  TakeForm(output, converted);
  converted.is_static = false;
  converted.constant = nullptr;
  emission.Begin("Convert", view.node());
  emission.AddInput() = weight;
  emission.AddOutput() = converted;
  emission.Begin(name, view.node());
  emission.AddInput() = converted;
  AddInput(view, view.input(1), emission);
  emission.AddOutput() = output;
  emission.AddInt("axis", 0);
  return Emitted();
}

Lowering LowerIndexSelect(const NodeView& view, absl::string_view name, Emission& emission) {
  // index_select has dim between data and indices, index has a list of index tensors: the indices are what follows.
  const Operand* indices = nullptr;
  int given = 0;
  int position = 0;  // in the list: the axis, when no dim says so
  int last = 0;
  for (const Operand& input : view.inputs()) {
    if (input.port == 0) continue;
    if (input.present) {
      indices = &input;
      last = position;
      ++given;
    }
    ++position;
  }
  if (given > 1) {
    return NoCounterpart("one Gather takes one index tensor; ExecuTorch gives it the last and a shape that is not its");
  }
  if (given == 0) return Unknown("which index it takes cannot be told");
  const int64_t axis = Normalize(view.integer({"dim"}).value_or(last), view.rank(view.input(0)));
  return EmitGather(view, name, view.input(0), indices, "axis", axis, emission);
}

Lowering LowerGatherElements(const NodeView& view, absl::string_view name, Emission& emission) {
  const Operand* data = view.input(0);
  const int64_t axis = Normalize(view.integer({"axis", "dim"}).value_or(0), view.rank(data));
  return EmitGather(view, name, data, view.input(1), "axis", axis, emission);
}

Lowering LowerGatherNd(const NodeView& view, absl::string_view name, Emission& emission) {
  return EmitGather(view, name, view.input(0), view.input(1), "batch_dims", view.integer({"batch_dims"}).value_or(0),
                    emission);
}

namespace {

// ExecuTorch's builder of scatter_reduce is for two of its reductions, and for those alone that count in what is there.
bool IsBuiltReduction(const NodeView& view) {
  const absl::string_view reduce = view.text({"reduce"});
  return (reduce == "sum" || reduce == "prod") && view.integer({"include_self"}).value_or(1) != 0;
}

}  // namespace

Lowering LowerScatter(const NodeView& view, absl::string_view name, Emission& emission) {
  if (view.op_type() == "aten.scatter_reduce.two" && !IsBuiltReduction(view)) {
    return NoCounterpart("ExecuTorch builds sums and products that include what is there");
  }
  BackendTensor input;
  FillTensor(view, view.input(0), Layout::kSame, -1, emission, input);
  emission.Begin(name, view.node());
  emission.AddInput() = input;
  AddInput(view, view.input(1), emission);
  if (view.input(2) != nullptr) {
    AddInput(view, view.input(2), emission);
  } else {
    AddMadeConstant(input, view.rank(view.input(1)), emission);  // a number, spread
  }
  AddOutput(view, view.output(0), emission);
  if (name == "ScatterElements") {
    emission.AddInt("axis", Normalize(view.integer({"axis", "dim"}).value_or(0), view.rank(view.input(0))));
  }
  emission.AddInt("reduction", Reduction(view.text({"reduction", "reduce"})));
  return Emitted();
}

Lowering LowerSlotAssignment(const NodeView& view, absl::string_view name, Emission& emission) {
  // The indices are made, or brought into shape, by the toolchain: int32, [..., rank of what is addressed].
  emission.Begin(name, view.node());
  BackendTensor target;
  BackendTensor output;
  FillTensor(view, view.input(0), Layout::kSame, -1, emission, target);
  FillTensor(view, view.output(0), Layout::kSame, -1, emission, output);
  // A buffer that is written to has the encoding of what is written.
  if (output.type.quantized && !target.type.quantized) TakeForm(output, target);
  emission.AddInput() = target;
  BackendTensor& indices = emission.AddInput();
  indices.present = true;
  indices.type = {v1::DATA_TYPE_INT32, false};
  indices.is_static = true;
  indices.static_chain = true;
  const Operand* updates = nullptr;  // the last tensor, behind any number of indices
  for (const Operand& input : view.inputs()) {
    if (input.present && input.port != 0) updates = &input;
  }
  AddInput(view, updates, emission);
  emission.AddOutput() = output;
  emission.AddInt("reduction", 0);
  return Emitted();
}

Lowering LowerOneHot(const NodeView& view, absl::string_view name, Emission& emission) {
  const std::optional<IntVector> depth = view.integers({"depth", "num_classes"}, 1);
  if (!depth || depth->empty()) return WithoutArgument(view, 1, "QNN's OneHot needs a depth that is a constant");
  emission.Begin(name, view.node());
  AddInput(view, view.input(0), emission);
  AddOutput(view, view.output(0), emission);
  emission.AddInt("depth", (*depth)[0]);
  emission.AddInt("axis", Normalize(view.integer({"axis"}).value_or(-1), view.rank(view.output(0))));
  return Emitted();
}

Lowering LowerNonMaxSuppression(const NodeView& view, absl::string_view name, Emission& emission) {
  const std::optional<double> overlap = view.scalar({"iou_threshold"}, 3);
  const std::optional<double> score = view.scalar({"score_threshold"}, 4);
  if ((view.input(3) != nullptr && !overlap) || (view.input(4) != nullptr && !score)) {
    return NoCounterpart("QNN's NonMaxSuppression needs thresholds that are constants");
  }
  emission.Begin(name, view.node());
  AddInput(view, view.input(0), emission);
  AddInput(view, view.input(1), emission);
  AddOutput(view, view.output(0), emission);
  emission.AddReal("iou_threshold", overlap.value_or(0.0));
  emission.AddReal("score_threshold", score.value_or(0.0));
  return Emitted();
}

}  // namespace quantgate::qnn
