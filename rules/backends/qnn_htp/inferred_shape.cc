#include "rules/backends/qnn_htp/inferred_shape.h"

#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "rules/constraints/defaults.h"

namespace quantgate::qnn_htp {
namespace {

using Dims = absl::Span<const int64_t>;

bool Known(Dims dims) {
  for (int64_t size : dims) {
    if (size < 0) return false;
  }
  return !dims.empty();
}

// Element of a parameter's list; `otherwise` where the parameter is not given or shorter.
int64_t Element(const BackendOp& op, absl::string_view name, size_t index, int64_t otherwise) {
  const BackendParam* param = FindParam(op, name);
  return param == nullptr || index >= param->ints.size() ? otherwise : param->ints[index];
}

// Size of a convolution's output along one spatial dimension; -1: its parameters say nothing sensible.
int64_t Spatial(const BackendOp& op, size_t axis, int64_t in, int64_t kernel, bool transposed) {
  const int64_t stride = Element(op, "stride", axis, 1);
  const int64_t dilation = Element(op, "dilation", axis, 1);
  const int64_t pads = Element(op, "pad_amount", 2 * axis, 0) + Element(op, "pad_amount", 2 * axis + 1, 0);
  constexpr int64_t kLimit = int64_t{1} << 31;  // beyond what QNN's 32 bits hold; products stay far from overflow
  if (stride <= 0 || dilation <= 0 || stride > kLimit || dilation > kLimit || in > kLimit || kernel > kLimit) return -1;
  const int64_t reach = dilation * (kernel - 1) + 1;
  if (transposed) return stride * (in - 1) + reach - pads + Element(op, "output_padding", axis, 0);
  return in + pads < reach ? 0 : (in + pads - reach) / stride + 1;
}

void CheckConvolution(const BackendOp& op, OpReport& report) {
  const Dims in = Input(op, 0).dims, filter = Input(op, 1).dims, out = Output(op, 0).dims;
  const size_t rank = in.size();
  if (rank < 4 || filter.size() != rank || out.size() != rank || !Known(in) || !Known(filter) || !Known(out)) return;
  const bool transposed = Is(op, {"TransposeConv2d", "TransposeConv3d"});
  const int64_t group = Element(op, "group", 0, 1);
  if (op.name != "DepthWiseConv2d" && group > 0) {
    const int64_t wanted = transposed ? in[rank - 1] : in[rank - 1] / group;
    if (in[rank - 1] % group != 0 || out[rank - 1] % group != 0) {
      report.Add(kInferredShape, Whole(),
                 absl::StrCat(in[rank - 1], " input and ", out[rank - 1], " output channels in ", group, " groups"),
                 "the groups must divide the channels");
      return;
    }
    if (filter[rank - 2] != wanted) {
      report.Add(kInferredShape, In(1), absl::StrCat("depth ", filter[rank - 2]),
                 absl::StrCat("it must be ", wanted, ", by the input's channels and the groups"));
      return;
    }
  }
  for (size_t i = 1; i + 1 < rank; ++i) {
    const int64_t wanted = Spatial(op, i - 1, in[i], filter[i - 1], transposed);
    if (wanted < 0 || wanted == out[i]) continue;
    report.Add(kInferredShape, Out(0), absl::StrCat("size ", out[i], " in dimension ", i),
               absl::StrCat("it must be ", wanted, ", by input, filter, stride, padding and dilation"));
    return;
  }
}

void CheckProduct(const BackendOp& op, OpReport& report) {
  const Dims a = Input(op, 0).dims, b = Input(op, 1).dims;
  if (a.size() < 2 || b.size() < 2 || !Known(a) || !Known(b)) return;
  const int64_t left = a[a.size() - (Element(op, "transpose_in0", 0, 0) != 0 ? 2 : 1)];
  const int64_t right = b[b.size() - (Element(op, "transpose_in1", 0, 0) != 0 ? 1 : 2)];
  if (left == right) return;
  report.Add(kInferredShape, In(1), absl::StrCat("inner size ", right),
             absl::StrCat("it must equal the first operand's, ", left));
}

void CheckConcatenation(const BackendOp& op, OpReport& report) {
  const Dims out = Output(op, 0).dims;
  const int64_t axis = Element(op, "axis", 0, 0);
  if (!Known(out) || axis < 0 || axis >= static_cast<int64_t>(out.size())) return;  // axis-range says so
  int64_t sum = 0;
  for (const BackendTensor& input : op.inputs) {
    if (input.dims.size() != out.size() || !Known(input.dims) || input.dims[axis] > INT32_MAX) return;
    sum += input.dims[axis];
  }
  if (sum == out[axis]) return;
  report.Add(kInferredShape, Out(0), absl::StrCat("size ", out[axis], " in dimension ", axis),
             absl::StrCat("the inputs add up to ", sum));
}

// Reductions and arguments: the axes go, or stay with size 1.
void CheckReduction(const BackendOp& op, OpReport& report) {
  const Dims in = Input(op, 0).dims, out = Output(op, 0).dims;
  const BackendParam* axes = FindParam(op, Is(op, {"Argmax", "Argmin"}) ? "axis" : "axes");
  if (axes == nullptr || axes->ints.empty() || !Known(in) || !Known(out)) return;
  const bool keeps = Element(op, "keep_dims", 0, 0) != 0;
  std::vector<int64_t> wanted;
  for (size_t i = 0; i < in.size(); ++i) {
    const bool reduced = absl::c_linear_search(axes->ints, static_cast<int64_t>(i));
    if (!reduced || keeps) wanted.push_back(reduced ? 1 : in[i]);
  }
  if (wanted.empty()) wanted.push_back(1);  // QNN has no tensors of rank 0
  if (absl::c_equal(wanted, out)) return;
  report.Add(kInferredShape, Out(0), absl::StrCat("shape [", absl::StrJoin(out, ", "), "]"),
             absl::StrCat("it must be [", absl::StrJoin(wanted, ", "), "]"));
}

// Rounding up, the library computes (in + pads - filter) / stride + 1 without a sign: a filter that is larger
// overflows.
void CheckPool(const BackendOp& op, OpReport& report) {
  const Dims in = Input(op, 0).dims;
  if (Element(op, "rounding_mode", 0, 0) != 1 || in.size() < 4 || !Known(in)) return;
  for (size_t i = 1; i + 1 < in.size(); ++i) {
    const int64_t filter = Element(op, "filter_size", i - 1, 1);
    const int64_t before = Element(op, "pad_amount", 2 * (i - 1), 0);
    const int64_t after = Element(op, "pad_amount", 2 * (i - 1) + 1, 0);
    constexpr int64_t kLimit = int64_t{1} << 31;
    if (in[i] > kLimit || before < 0 || after < 0 || before > kLimit || after > kLimit) return;
    if (filter <= in[i] + before + after) continue;
    report.Add(kInferredShape, Whole(), absl::StrCat("a filter of ", filter, " in dimension ", i, ", rounding up"),
               absl::StrCat("at most ", in[i] + before + after, ", the padded input"));
    return;
  }
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
    "Fires: Conv2d with a filter of depth 8 on 16 channels and one group. Does not: the same filter with two groups.",
};

void CheckInferredShape(const BackendOp& op, const Target&, OpReport& report) {
  if (Is(op, {"PoolAvg2d", "PoolMax2d"})) CheckPool(op, report);
  // Toolchains that translate a model work sizes out themselves.
  if (!op.as_stated) return;
  if (IsConvolution(op)) CheckConvolution(op, report);
  if (op.name == "MatMul") CheckProduct(op, report);
  if (op.name == "Concat") CheckConcatenation(op, report);
  if (Is(op, {"Argmax", "Argmin", "ReduceMax", "ReduceMean", "ReduceMin", "ReduceSum"})) CheckReduction(op, report);
}

}  // namespace quantgate::qnn_htp
