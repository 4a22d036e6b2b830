#include "rules/backends/qnn_htp/ops/inferred_shape.h"

#include <algorithm>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "rules/backends/qnn_htp/ops/operand_shapes.h"
#include "rules/backends/qnn_htp/ops/output_shape.h"
#include "rules/constraints/defaults.h"

namespace quantgate::qnn_htp {
namespace {

using Dims = absl::Span<const int64_t>;

void CheckOutput(const BackendOp& op, Dims wanted, OpReport& report) {
  const Dims out = Output(op, 0).dims;
  if (!KnownSizes(wanted) || !KnownSizes(out) || absl::c_equal(wanted, out)) return;
  report.Add(kInferredShape, Out(0), absl::StrCat("shape [", absl::StrJoin(out, ", "), "]"),
             absl::c_linear_search(wanted, 0) ? "the inputs do not go together"
                                              : absl::StrCat("it must be [", absl::StrJoin(wanted, ", "), "]"));
}

// Reductions and arguments: the axes go, or stay with size 1.
void CheckReduction(const BackendOp& op, OpReport& report) {
  const Dims in = Input(op, 0).dims;
  const BackendParam* axes = FindParam(op, Is(op, {"Argmax", "Argmin"}) ? "axis" : "axes");
  if (axes == nullptr || axes->ints.empty() || !KnownSizes(in)) return;
  const auto is_none = [&](int64_t axis) { return axis < 0 || axis >= static_cast<int64_t>(in.size()); };
  if (absl::c_any_of(axes->ints, is_none)) return;  // axis-range says so
  const bool keeps = ParamElement(op, "keep_dims", 0, 0) != 0;
  std::vector<int64_t> wanted;
  for (size_t i = 0; i < in.size(); ++i) {
    const bool reduced = absl::c_linear_search(axes->ints, static_cast<int64_t>(i));
    if (!reduced || keeps) wanted.push_back(reduced ? 1 : in[i]);
  }
  if (wanted.empty()) wanted.push_back(1);  // QNN has no tensors of rank 0
  CheckOutput(op, wanted, report);
}

// Out of the element-wise operators: the first input's shape, or what all inputs broadcast to.
void CheckElementwise(const BackendOp& op, OpReport& report) {
  std::vector<int64_t> wanted;
  for (const BackendTensor& input : op.inputs) {
    if (!input.present) continue;
    if (!KnownSizes(input.dims)) return;
    if (input.dims.size() > wanted.size()) wanted.insert(wanted.begin(), input.dims.size() - wanted.size(), 1);
    const size_t offset = wanted.size() - input.dims.size();
    for (size_t i = 0; i < input.dims.size(); ++i) {
      int64_t& size = wanted[offset + i];
      if (size != 1 && input.dims[i] != 1 && size != input.dims[i]) {
        report.Add(kInferredShape, Whole(),
                   absl::StrCat("sizes ", size, " and ", input.dims[i], " in dimension ", offset + i),
                   "inputs must broadcast");
        return;
      }
      size = std::max(size, input.dims[i]);
    }
  }
  CheckOutput(op, wanted, report);
}

// Stand-alone comparisons (but Less) and logical operators: the library looks at the ranks alone.
bool ComparesAlone(const BackendOp& op) {
  return Is(op, {"ElementWiseAnd", "ElementWiseEqual", "ElementWiseGreater", "ElementWiseGreaterEqual",
                 "ElementWiseLessEqual", "ElementWiseNotEqual", "ElementWiseOr", "ElementWiseXor"});
}

void CheckOutputRank(const BackendOp& op, OpReport& report) {
  int wanted = -1;
  for (const BackendTensor& input : op.inputs) {
    if (input.present && input.rank < 0) return;
    wanted = std::max(wanted, input.rank);
  }
  const BackendTensor& out = Output(op, 0);
  if (out.rank < 0 || wanted < 0 || out.rank == wanted) return;
  report.Add(kInferredShape, Out(0), absl::StrCat("rank ", out.rank), absl::StrCat("it must be ", wanted));
}

// Operators whose output has the shape of in[0], whatever the others have.
bool KeepsShape(const BackendOp& op) {
  static constexpr absl::string_view kOps[] = {"Batchnorm",
                                               "Cast",
                                               "Convert",
                                               "CumulativeSum",
                                               "Dequantize",
                                               "ElementWiseNeuron",
                                               "ElementWiseUnary",
                                               "Elu",
                                               "Gelu",
                                               "GroupNorm",
                                               "HadamardTransform",
                                               "HardSwish",
                                               "InstanceNorm",
                                               "L2Norm",
                                               "LayerNorm",
                                               "LogSoftmax",
                                               "Lrn",
                                               "Quantize",
                                               "Relu",
                                               "Relu1",
                                               "Relu6",
                                               "ReluMinMax",
                                               "RmsNorm",
                                               "ScatterElements",
                                               "ScatterNd",
                                               "Sigmoid",
                                               "Softmax",
                                               "Tanh"};
  return absl::c_linear_search(kOps, op.name);
}

// Rounding up, the library computes (in + pads - filter) / stride + 1 without a sign: a filter that is larger
// overflows.
void CheckPool(const BackendOp& op, OpReport& report) {
  const Dims in = Input(op, 0).dims;
  if (ParamElement(op, "rounding_mode", 0, 0) != 1 || in.size() < 4 || !KnownSizes(in)) return;
  for (size_t i = 1; i + 1 < in.size(); ++i) {
    const int64_t filter = ParamElement(op, "filter_size", i - 1, 1);
    const int64_t before = ParamElement(op, "pad_amount", 2 * (i - 1), 0);
    const int64_t after = ParamElement(op, "pad_amount", 2 * (i - 1) + 1, 0);
    constexpr int64_t kLimit = int64_t{1} << 31;
    if (in[i] > kLimit || before < 0 || after < 0 || before > kLimit || after > kLimit) return;
    if (filter <= in[i] + before + after) continue;
    report.Add(kInferredShape, Whole(), absl::StrCat("a filter of ", filter, " in dimension ", i, ", rounding up"),
               absl::StrCat("at most ", in[i] + before + after, ", the padded input"));
    return;
  }
}

// Whether a range or a part takes nothing, whoever states it.
bool CheckEmptySlice(const BackendOp& op, OpReport& report) {
  if (!Is(op, {"StridedSlice", "Split"})) return false;
  const auto wanted = op.name == "StridedSlice" ? OutputShape(op) : std::nullopt;
  const bool takes_nothing =
      (wanted && absl::c_linear_search(*wanted, 0)) || absl::c_linear_search(Input(op, 0).dims, 0);
  for (size_t i = 0; i < op.outputs.size(); ++i) {
    if (!takes_nothing && !absl::c_linear_search(op.outputs[i].dims, 0)) continue;
    report.Add(kInferredShape, Out(static_cast<int>(i)),
               absl::StrCat("shape [", absl::StrJoin(op.outputs[i].dims, ", "), "]"),
               op.name == "Split" ? "every part must take an element" : "every range must take an element");
    return true;
  }
  return false;
}

}  // namespace

const RuleInfo kInferredShape = {
    "GS203",
    "inferred-shape",
    v1::Finding::REFUSED,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject} has {observed}; {allowed}.",
    "The vendor's library computes the sizes of the output from inputs and parameters and refuses an operator that "
    "states others.",
    "Correct the shape or the parameter that does not go with it.",
    "Fires: Conv2d with a filter of depth 8 on 16 channels and one group; StridedSlice from 4 to 4. Does not: the same "
    "filter with two groups; from 4 to 5.",
};

void CheckInferredShape(const BackendOp& op, const Target&, OpReport& report) {
  if (Is(op, {"PoolAvg2d", "PoolMax2d"})) CheckPool(op, report);
  if (CheckEmptySlice(op, report)) return;
  // Toolchains that translate a model work sizes out themselves. PyTorch takes more updates than indices.
  if (!op.as_stated) {
    CheckElementUpdates(op, report);
    return;
  }
  if (!CheckOperandShapes(op, report)) return;
  if (ComparesAlone(op) || op.name == "Prelu") CheckOutputRank(op, report);
  if (KeepsShape(op)) {
    CheckOutput(op, Input(op, 0).dims, report);
  } else if (absl::StartsWith(op.name, "ElementWise") && !ComparesAlone(op)) {
    CheckElementwise(op, report);
  }
  if (const auto wanted = OutputShape(op)) CheckOutput(op, *wanted, report);
  if (Is(op, {"Argmax", "Argmin", "ReduceMax", "ReduceMean", "ReduceMin", "ReduceSum"})) CheckReduction(op, report);
}

}  // namespace quantgate::qnn_htp
