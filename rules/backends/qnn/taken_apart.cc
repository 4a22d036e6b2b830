#include "rules/backends/qnn/taken_apart.h"

#include <algorithm>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "rules/backends/in_place.h"
#include "rules/backends/qnn/lowerers.h"
#include "rules/backends/shared_encoding.h"
#include "rules/graph/data_type.h"

namespace quantgate::qnn {
namespace {

// How the parts read and write.
enum class Form : uint8_t {
  kOne,      // one part, which reads and writes what the operator does
  kEach,     // the same for each result
  kSeveral,  // with tensors in between, of which nothing says how they are quantized
  kAll,      // whether none is false; of floats the first part is refused
  kRefused,  // a part is refused, or has no builder, whatever the types
  kUnknown,  // which parts they are depends on its arguments, or was not asked
};

struct Row {
  absl::string_view op;
  Form form;
  // QNN's names, of those that compute; what only moves elements comes without saying beside others. Of kSeveral,
  // empty: not known.
  absl::string_view parts;
};

constexpr Row kRows[] = {
    {"aten.addcdiv.default", Form::kSeveral, "ElementWiseMultiply ElementWiseDivide ElementWiseAdd"},
    {"aten.addcmul.default", Form::kSeveral, "ElementWiseMultiply ElementWiseAdd"},
    {"aten.addr.default", Form::kSeveral, "ElementWiseMultiply ElementWiseAdd"},
    {"aten.all.default", Form::kAll, ""},
    {"aten.all.dim", Form::kAll, ""},
    {"aten.aminmax.default", Form::kEach, "ReduceMin ReduceMax"},
    {"aten.baddbmm.default", Form::kSeveral, "MatMul ElementWiseAdd"},
    {"aten.bilinear.default", Form::kRefused, ""},
    {"aten.block_diag.default", Form::kSeveral, "Concat"},
    {"aten.broadcast_tensors.default", Form::kSeveral, ""},
    {"aten.cartesian_prod.default", Form::kSeveral, "Pack"},
    {"aten.column_stack.default", Form::kOne, "Concat"},
    {"aten.deg2rad.default", Form::kSeveral, "ElementWiseMultiply"},
    {"aten.diag_embed.default", Form::kSeveral, "ElementWiseSelect"},
    {"aten.dot.default", Form::kRefused, ""},
    {"aten.dsplit.int", Form::kEach, "StridedSlice"},
    {"aten.dstack.default", Form::kOne, "Concat"},
    {"aten.erf.default", Form::kRefused, ""},
    {"aten.fliplr.default", Form::kOne, "StridedSlice"},
    {"aten.flipud.default", Form::kOne, "StridedSlice"},
    {"aten.frac.default", Form::kSeveral,
     "ElementWiseSign ElementWiseAbs ElementWiseFloor ElementWiseMultiply ElementWiseSubtract"},
    {"aten.hsplit.int", Form::kEach, "StridedSlice"},
    {"aten.hstack.default", Form::kOne, "Concat"},
    {"aten.inner.default", Form::kSeveral, "MatMul"},
    {"aten.kron.default", Form::kSeveral, "ElementWiseMultiply"},
    {"aten.linalg_multi_dot.default", Form::kSeveral, "MatMul"},
    {"aten.index_add.default", Form::kSeveral, ""},
    {"aten.index_fill.int_Scalar", Form::kSeveral, ""},
    {"aten.index_fill.int_Tensor", Form::kSeveral, ""},
    {"aten.isnan.default", Form::kSeveral, ""},
    {"aten.log_sigmoid.default", Form::kSeveral,
     "ElementWiseMinimum ElementWiseAbs ElementWiseNeg ElementWiseExp ElementWiseAdd ElementWiseLog "
     "ElementWiseSubtract"},
    {"aten.mT.default", Form::kOne, "Transpose"},
    {"aten.matrix_H.default", Form::kOne, "Transpose"},
    {"aten.meshgrid.default", Form::kSeveral, "Tile"},
    {"aten.meshgrid.indexing", Form::kSeveral, "Tile"},
    {"aten.mv.default", Form::kSeveral, "ElementWiseMultiply ReduceSum"},
    {"aten.nansum.default", Form::kSeveral, ""},
    {"aten.outer.default", Form::kSeveral, "ElementWiseMultiply"},
    {"aten.pairwise_distance.default", Form::kRefused, ""},
    {"aten.rad2deg.default", Form::kSeveral, "ElementWiseMultiply"},
    {"aten.repeat_interleave.self_int", Form::kSeveral, "Tile"},
    {"aten.rot90.default", Form::kSeveral, "StridedSlice Transpose"},
    {"aten.tensor_split.indices", Form::kEach, "StridedSlice"},
    {"aten.tensor_split.sections", Form::kEach, "StridedSlice"},
    {"aten.tensordot.default", Form::kSeveral, "MatMul"},
    {"aten.upsample_linear1d.vec", Form::kSeveral, ""},
    {"aten.vdot.default", Form::kRefused, ""},
    {"aten.vsplit.int", Form::kEach, "StridedSlice"},
    {"aten.vstack.default", Form::kOne, "Concat"},
    {"aten.all.dims", Form::kUnknown, ""},
    {"aten.argsort.stable", Form::kUnknown, ""},
    {"aten.atleast_1d.default", Form::kUnknown, ""},
    {"aten.atleast_2d.default", Form::kUnknown, ""},
    {"aten.atleast_3d.default", Form::kUnknown, ""},
    {"aten.chain_matmul.default", Form::kUnknown, ""},
    {"aten.diag.default", Form::kUnknown, ""},
    {"aten.diagflat.default", Form::kUnknown, ""},
    {"aten.gru.data", Form::kUnknown, ""},
    {"aten.gru.input", Form::kUnknown, ""},
    {"aten.gru_cell.default", Form::kUnknown, ""},
    {"aten.linalg_cross.default", Form::kUnknown, ""},
    {"aten.linalg_diagonal.default", Form::kUnknown, ""},
    {"aten.linalg_matmul.default", Form::kUnknown, ""},
    {"aten.linalg_matrix_power.default", Form::kUnknown, ""},
    {"aten.linalg_vecdot.default", Form::kUnknown, ""},
    {"aten.lstm.data", Form::kUnknown, ""},
    {"aten.lstm.input", Form::kUnknown, ""},
    {"aten.lstm_cell.default", Form::kUnknown, ""},
    {"aten.pdist.default", Form::kUnknown, ""},
    {"aten.rnn_relu.data", Form::kUnknown, ""},
    {"aten.rnn_relu.input", Form::kUnknown, ""},
    {"aten.rnn_relu_cell.default", Form::kUnknown, ""},
    {"aten.rnn_tanh.data", Form::kUnknown, ""},
    {"aten.rnn_tanh.input", Form::kUnknown, ""},
    {"aten.rnn_tanh_cell.default", Form::kUnknown, ""},
    {"aten.row_stack.default", Form::kUnknown, ""},
    {"aten.sum_to_size.default", Form::kUnknown, ""},
    {"aten.take.default", Form::kUnknown, ""},
    {"aten.threshold.default", Form::kUnknown, ""},
    {"aten.trapezoid.x", Form::kUnknown, ""},
    {"aten.trapezoid.dx", Form::kUnknown, ""},
    {"aten.zero_.default", Form::kUnknown, ""},
};

constexpr char kHowIsNotKnown[] = "ExecuTorch says it by operators that the graph does not have";

// What joins or computes with several tensors reads them all; the others the first.
bool ReadsAll(absl::string_view part) { return part == "Concat" || part == "Pack"; }

constexpr absl::string_view kReadingTwo[] = {"ElementWiseAdd",    "ElementWiseSubtract", "ElementWiseMultiply",
                                             "ElementWiseDivide", "ElementWiseMinimum",  "MatMul"};

// Which axis hstack, column_stack and dstack join along; hstack of vectors has no other one.
int JoinedAxis(const NodeView& view, int rank) {
  if (view.op_type() == "aten.dstack.default") return 2;
  return rank == 1 ? 0 : 1;
}

// What has fewer axes than the result gets them first: of sizes that are not known here.
void AddJoined(const NodeView& view, const Operand& input, int rank, Emission& emission) {
  AddInput(view, &input, emission);
  BackendTensor& added = emission.inputs().back();
  if (added.rank < 0 || added.rank >= rank) return;
  added.rank = rank;
  added.dims = {};
}

// As the operator's own tensors are.
void EmitOne(const NodeView& view, absl::string_view part, const Operand& output, Emission& emission) {
  emission.Begin(part, view.node());
  if (ReadsAll(part)) {
    const int rank = view.rank(&output);
    for (const Operand& input : view.inputs()) AddJoined(view, input, rank, emission);
    if (rank > 0) emission.AddInt("axis", JoinedAxis(view, rank));
  } else {
    AddInput(view, view.input(0), emission);
  }
  AddOutput(view, &output, emission);
}

// mT, and matrix_H of reals.
void AddLastTwoSwapped(const NodeView& view, Emission& emission) {
  const int rank = view.rank(view.input(0));
  BackendParam& perm = emission.AddParam("perm");
  if (rank < 2) return;
  for (int i = 0; i < rank; ++i) perm.ints.push_back(i < rank - 2 ? i : 2 * rank - 3 - i);
}

// Floats of sizes that are not known.
void EmitOfFloats(const NodeView& view, absl::string_view part, Emission& emission) {
  const BackendTensor between = WithType(BackendTensor(), v1::DATA_TYPE_FLOAT32);
  const bool selects = part == "ElementWiseSelect";
  emission.Begin(part, view.node());
  if (selects) emission.AddInput() = WithType(BackendTensor(), v1::DATA_TYPE_BOOL);
  emission.AddInput() = between;
  if (selects || ReadsAll(part) || absl::c_linear_search(kReadingTwo, part)) emission.AddInput() = between;
  emission.AddOutput() = between;
}

bool AllFloats(const NodeView& view) {
  const auto is_float = [](const Operand& operand) { return !operand.present || IsFloat(operand.type); };
  return absl::c_all_of(view.inputs(), is_float) && absl::c_all_of(view.outputs(), is_float);
}

// Nothing is left of it: an expand that expands nothing is taken out.
bool HasOneShape(const NodeView& view) {
  if (!PassesOnSeveral(view.graph(), view.node()) || view.inputs().empty()) return false;
  const int rank = view.rank(&view.inputs()[0]);
  return rank >= 0 && absl::c_all_of(view.inputs(), [&](const Operand& input) {
           if (view.rank(&input) != rank) return false;
           for (int i = 0; i < rank; ++i) {
             const int64_t size = view.dim(&input, i);
             if (size < 0 || size != view.dim(&view.inputs()[0], i)) return false;
           }
           return true;
         });
}

// Null: none.
const Row* Find(absl::string_view op) {
  static const auto* rows = [] {
    auto* by_name = new absl::flat_hash_map<absl::string_view, const Row*>();
    for (const Row& row : kRows) by_name->emplace(row.op, &row);
    return by_name;
  }();
  const auto row = rows->find(op);
  return row == rows->end() ? nullptr : row->second;
}

}  // namespace

bool PassesOnSeveral(const Graph& graph, int32_t node) {
  return graph.origin() == v1::Graph::PT2E && graph.op_type(node) == "aten.broadcast_tensors.default";
}

std::optional<Lowering> LowerTakenApart(const NodeView& view, Emission& emission) {
  if (view.graph().origin() != v1::Graph::PT2E) return std::nullopt;
  if (WritesIntoSelection(view.graph(), view.node())) {
    // Of quantized tensors it is lost (GS017), and nothing of it is left.
    if (TouchesQuantized(view.context(), view.op())) return Folded();
    return NoCounterpart("PyTorch says the assignment by a comparison of indices, which ExecuTorch refuses");
  }
  const Row* row = Find(view.op_type());
  if (row == nullptr) return std::nullopt;
  if (HasOneShape(view)) return Folded();
  const bool quantized = TouchesQuantized(view.context(), view.op());
  switch (row->form) {
    case Form::kRefused:
      return NoCounterpart("ExecuTorch takes it apart, and QNN has no operator for a part");
    case Form::kSeveral:
      // Floats beside quantized tensors stay on the CPU.
      if (quantized) return NoCounterpart("ExecuTorch takes it apart, and what is between its parts is not quantized");
      if (row->parts.empty() || !AllFloats(view)) return Unknown(kHowIsNotKnown);
      for (absl::string_view part : absl::StrSplit(row->parts, ' ')) EmitOfFloats(view, part, emission);
      return Emitted();
    case Form::kAll:
      return LowerAll(view, emission);
    case Form::kUnknown:
      return Unknown(kHowIsNotKnown);
    case Form::kOne:
    case Form::kEach:
      break;
  }
  if ((!quantized && !AllFloats(view)) || view.outputs().empty()) return Unknown(kHowIsNotKnown);
  const std::vector<absl::string_view> parts = absl::StrSplit(row->parts, ' ');
  for (size_t i = 0; i < view.outputs().size(); ++i) {
    if (row->form == Form::kOne && i > 0) return Unknown(kHowIsNotKnown);
    if (!view.outputs()[i].present) continue;  // what nobody reads is not emitted
    const absl::string_view part = parts[std::min(i, parts.size() - 1)];
    EmitOne(view, part, view.outputs()[i], emission);
    if (part == "Transpose") AddLastTwoSwapped(view, emission);
    if (absl::StartsWith(part, "Reduce")) AddReducedAxes(view, emission);
  }
  return Emitted();
}

}  // namespace quantgate::qnn
