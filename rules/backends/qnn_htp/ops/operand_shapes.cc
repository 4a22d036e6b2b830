#include "rules/backends/qnn_htp/ops/operand_shapes.h"

#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "rules/backends/qnn_htp/ops/detection_shapes.h"
#include "rules/backends/qnn_htp/ops/inferred_shape.h"
#include "rules/backends/qnn_htp/ops/output_shape.h"
#include "rules/backends/qnn_htp/ops/port_ranks.h"
#include "rules/constraints/defaults.h"

namespace quantgate::qnn_htp {
namespace {

using Dims = absl::Span<const int64_t>;

// True: a port has another rank than the operator can take.
bool CheckRanks(const BackendOp& op, OpReport& report) {
  for (const PortRanks& ranks : AllPortRanks()) {
    if (ranks.op != op.name) continue;
    for (const bool output : {false, true}) {
      const absl::string_view wanted = output ? ranks.outputs : ranks.inputs;
      for (size_t i = 0; i < wanted.size(); ++i) {
        const BackendTensor& tensor = output ? Output(op, i) : Input(op, i);
        const int rank = wanted[i] - '0';
        if (!tensor.present || tensor.rank < 0 || rank == 0 || tensor.rank == rank) continue;
        report.Add(kInferredShape, output ? Out(static_cast<int>(i)) : In(static_cast<int>(i)),
                   absl::StrCat("rank ", tensor.rank), absl::StrCat("it must be ", rank));
        return true;
      }
    }
  }
  return false;
}

// Parameters with an entry, or so many, for each dimension of in[0].
void CheckLists(const BackendOp& op, OpReport& report) {
  struct List {
    absl::string_view op;
    absl::string_view param;
    int per_dimension;
  };
  static constexpr List kLists[] = {
      {"Pad", "pad_amount", 2}, {"StridedSlice", "ranges", 3}, {"Tile", "multiples", 1}, {"Transpose", "perm", 1}};
  for (const List& list : kLists) {
    if (op.name != list.op) continue;
    const BackendParam* param = FindParam(op, list.param);
    const int rank = Input(op, 0).rank;
    if (param == nullptr || param->ints.empty() || rank < 0) return;
    const size_t wanted = static_cast<size_t>(rank) * list.per_dimension;
    if (param->ints.size() == wanted) return;
    report.Add(kInferredShape, Whole(), absl::StrCat(param->ints.size(), " numbers in ", list.param),
               absl::StrCat("it must have ", wanted, " for rank ", rank));
  }
}

// A vector with one element per channel.
void CheckVector(const BackendOp& op, size_t input, int64_t size, OpReport& report) {
  const Dims dims = Input(op, input).dims;
  if (!KnownSizes(dims) || dims.size() != 1 || size < 0 || dims[0] == size) return;
  report.Add(kInferredShape, In(static_cast<int>(input)), absl::StrCat("size ", dims[0]),
             absl::StrCat("it must be ", size, ", one for each channel"));
}

bool IsOneElement(const BackendTensor& tensor) { return tensor.dims == Dims({1}); }

// Gamma and beta go with the one dimension that is normalized; RmsNorm broadcasts a single element as well.
void CheckNormalized(const BackendOp& op, OpReport& report) {
  const Dims in = Input(op, 0).dims;
  const BackendParam* axes = FindParam(op, "axes");
  if (axes == nullptr || axes->ints.size() != 1) return;
  const int64_t axis = axes->ints[0];
  if (axis < 0 || axis >= static_cast<int64_t>(in.size())) return;
  for (size_t i : {1, 2}) {
    if (op.name == "LayerNorm" || !IsOneElement(Input(op, i))) CheckVector(op, i, in[axis], report);
  }
}

void CheckVectors(const BackendOp& op, OpReport& report) {
  const Dims in = Input(op, 0).dims, filter = Input(op, 1).dims;
  if (Is(op, {"Batchnorm", "GroupNorm", "InstanceNorm"}) && !in.empty()) {
    for (size_t i : {1, 2}) {
      if (op.name != "InstanceNorm" || !IsOneElement(Input(op, i))) CheckVector(op, i, in.back(), report);
    }
  }
  if (filter.empty()) return;
  if (Is(op, {"Conv2d", "Conv3d", "DepthWiseConv2d"})) CheckVector(op, 2, filter.back(), report);
  const int64_t groups = ParamElement(op, "group", 0, 1);
  if (Is(op, {"TransposeConv2d", "TransposeConv3d"}) && groups > 0 && groups <= INT32_MAX &&
      filter.back() <= INT32_MAX) {
    CheckVector(op, 2, filter.back() * groups, report);
  }
  if (op.name == "FullyConnected") CheckVector(op, 2, filter.front(), report);
  if (op.name == "MatMul" && filter.size() > 1) {
    CheckVector(op, 2, filter[filter.size() - (ParamElement(op, "transpose_in1", 0, 0) != 0 ? 2 : 1)], report);
  }
}

// Size of a convolution's output along one spatial dimension; -1: its parameters say nothing sensible.
int64_t Spatial(const BackendOp& op, size_t axis, int64_t in, int64_t kernel, bool transposed) {
  const int64_t stride = ParamElement(op, "stride", axis, 1);
  const int64_t dilation = ParamElement(op, "dilation", axis, 1);
  const int64_t pads = ParamElement(op, "pad_amount", 2 * axis, 0) + ParamElement(op, "pad_amount", 2 * axis + 1, 0);
  constexpr int64_t kLimit = int64_t{1} << 31;  // beyond what QNN's 32 bits hold; products stay far from overflow
  if (stride <= 0 || dilation <= 0 || stride > kLimit || dilation > kLimit || in > kLimit || kernel > kLimit) return -1;
  const int64_t reach = dilation * (kernel - 1) + 1;
  if (transposed) return stride * (in - 1) + reach - pads + ParamElement(op, "output_padding", axis, 0);
  return in + pads < reach ? 0 : (in + pads - reach) / stride + 1;
}

void CheckConvolution(const BackendOp& op, OpReport& report) {
  const Dims in = Input(op, 0).dims, filter = Input(op, 1).dims, out = Output(op, 0).dims;
  const size_t rank = in.size();
  if (rank < 4 || filter.size() != rank || out.size() != rank || !KnownSizes(in) || !KnownSizes(filter) ||
      !KnownSizes(out))
    return;
  const bool transposed = Is(op, {"TransposeConv2d", "TransposeConv3d"});
  for (const absl::string_view param : {"stride", "dilation", "group"}) {
    for (size_t i = 0; i + 2 < rank; ++i) {
      const int64_t value = ParamElement(op, param, i, 1);
      if (value > 0) continue;
      report.Add(kInferredShape, Whole(), absl::StrCat(param, " ", value), "it must be 1 or more");
      return;
    }
  }
  const int64_t group = ParamElement(op, "group", 0, 1);
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
  if (op.name == "DepthWiseConv2d" &&
      (filter[rank - 2] != 1 || filter[rank - 1] % std::max<int64_t>(1, in[rank - 1]) != 0)) {
    report.Add(kInferredShape, In(1), absl::StrCat("depth ", filter[rank - 2], " and ", filter[rank - 1], " channels"),
               absl::StrCat("it must have depth 1 and a multiple of ", in[rank - 1], " channels"));
    return;
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
  if (a.size() < 2 || b.size() < 2 || !KnownSizes(a) || !KnownSizes(b)) return;
  const int64_t left = a[a.size() - (ParamElement(op, "transpose_in0", 0, 0) != 0 ? 2 : 1)];
  const int64_t right = b[b.size() - (ParamElement(op, "transpose_in1", 0, 0) != 0 ? 1 : 2)];
  if (left == right) return;
  report.Add(kInferredShape, In(1), absl::StrCat("inner size ", right),
             absl::StrCat("it must equal the first operand's, ", left));
}

// Concat and Split: the parts add up along the axis and agree in all other dimensions.
void CheckParts(const BackendOp& op, Dims whole, absl::Span<const BackendTensor> parts, OpReport& report) {
  const int64_t axis = ParamElement(op, "axis", 0, 0);
  const bool split = op.name == "Split";
  if (!KnownSizes(whole) || axis < 0 || axis >= static_cast<int64_t>(whole.size())) return;  // axis-range says so
  int64_t sum = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    const Dims part = parts[i].dims;
    if (!KnownSizes(part)) return;
    std::vector<int64_t> wanted(whole.begin(), whole.end());
    if (part.size() == whole.size()) wanted[axis] = part[axis];
    if (!absl::c_equal(wanted, part)) {
      report.Add(kInferredShape, split ? Out(static_cast<int>(i)) : In(static_cast<int>(i)),
                 absl::StrCat("shape [", absl::StrJoin(part, ", "), "]"),
                 absl::StrCat("all but dimension ", axis, " must be those of [", absl::StrJoin(whole, ", "), "]"));
      return;
    }
    if (part[axis] > INT32_MAX) return;
    sum += part[axis];
  }
  if (sum == whole[axis]) return;
  report.Add(kInferredShape, split ? In(0) : Out(0), absl::StrCat("size ", whole[axis], " in dimension ", axis),
             absl::StrCat("the parts add up to ", sum));
}

// Channels in groups, batches in blocks: the one must divide the other.
void CheckDivision(const BackendOp& op, OpReport& report) {
  const Dims in = Input(op, 0).dims;
  if (!KnownSizes(in)) return;
  int64_t size = in.back();
  int64_t by = 1;
  if (op.name == "GroupNorm") by = ParamElement(op, "group", 0, 1);
  if (op.name == "ChannelShuffle") {
    const int64_t axis = ParamElement(op, "axis", 0, 0);
    if (axis >= 0 && axis < static_cast<int64_t>(in.size())) size = in[axis];
    by = ParamElement(op, "num_groups", 0, 1);
  }
  if (op.name == "BatchToSpace") {
    size = in.front();
    const int64_t height = ParamElement(op, "block_size", 0, 1), width = ParamElement(op, "block_size", 1, 1);
    by = height > 0 && height <= INT16_MAX && width > 0 && width <= INT16_MAX ? height * width : 1;
  }
  if (by <= 0 || size % by == 0) return;
  report.Add(kInferredShape, In(0), absl::StrCat("size ", size), absl::StrCat("it must be a multiple of ", by));
}

// Outputs and inputs that have the shape of another.
void CheckAlike(const BackendOp& op, OpReport& report) {
  if (Is(op, {"TopK", "UnPack"})) {
    for (size_t i = 1; KnownSizes(op.outputs[0].dims) && i < op.outputs.size(); ++i) {
      if (absl::c_equal(op.outputs[i].dims, op.outputs[0].dims) || !KnownSizes(op.outputs[i].dims)) continue;
      report.Add(kInferredShape, Out(static_cast<int>(i)), "another shape than the first output",
                 "all must have the same");
    }
  }
}

// UnPack: an output for each element of the dimension that goes.
void CheckOutputCount(const BackendOp& op, OpReport& report) {
  const Dims in = Input(op, 0).dims;
  const int64_t axis = ParamElement(op, "axis", 0, 0);
  if (axis < 0 || axis >= static_cast<int64_t>(in.size())) return;  // axis-range says so
  if (in[axis] < 0 || in[axis] == static_cast<int64_t>(op.outputs.size())) return;
  report.Add(kInferredShape, Whole(), absl::StrCat(op.outputs.size(), " outputs"),
             absl::StrCat("it must have ", in[axis], ", the size of dimension ", axis));
}

void CheckPermutation(const BackendOp& op, OpReport& report) {
  const BackendParam* perm = FindParam(op, "perm");
  if (perm == nullptr) return;
  std::vector<int64_t> sorted = perm->ints;
  absl::c_sort(sorted);
  const auto twice = absl::c_adjacent_find(sorted);
  if (twice == sorted.end()) return;
  report.Add(kInferredShape, Whole(), absl::StrCat("dimension ", *twice, " twice in perm"),
             "each dimension must be named once");
}

// One update for each vector of indices. The dimensions that a vector leaves open are not compared.
void CheckUpdates(const BackendOp& op, OpReport& report) {
  const Dims indices = Input(op, 1).dims, updates = Input(op, 2).dims;
  if (!KnownSizes(indices) || !KnownSizes(updates) || indices.empty() || updates.size() + 1 < indices.size()) return;
  const Dims vectors = indices.first(indices.size() - 1);
  if (absl::c_equal(vectors, updates.first(vectors.size()))) return;
  report.Add(
      kInferredShape, In(2), absl::StrCat("shape [", absl::StrJoin(updates, ", "), "]"),
      absl::StrCat("it must begin with [", absl::StrJoin(vectors, ", "), "], a place for each vector of indices"));
}

// A plane of brightness and half as much of color become three bytes a pixel.
void CheckColors(const BackendOp& op, OpReport& report) {
  constexpr int64_t kChannels = 3;
  const Dims in = Input(op, 0).dims, out = Output(op, 0).dims;
  if (in.size() != 2 || out.size() != 4 || !KnownSizes(in) || !KnownSizes(out)) return;
  int64_t elements = 1;
  for (int64_t size : out.subspan(1)) {
    if (__builtin_mul_overflow(elements, size, &elements)) return;
  }
  if (out.back() == kChannels && in.back() <= INT32_MAX && elements == 2 * in.back()) return;
  report.Add(kInferredShape, Out(0), absl::StrCat("shape [", absl::StrJoin(out, ", "), "]"),
             absl::StrCat("it must have 3 channels and ", 2 * std::min<int64_t>(in.back(), INT32_MAX),
                          " elements, twice as many as the input"));
}

// Reshape and its kin keep the number of elements.
void CheckCount(const BackendOp& op, OpReport& report) {
  int64_t counts[] = {1, 1};
  for (const Dims dims : {Input(op, 0).dims, Output(op, 0).dims}) {
    if (!KnownSizes(dims)) return;
    int64_t& count = counts[dims.data() == Output(op, 0).dims.data() ? 1 : 0];
    for (int64_t size : dims) {
      if (__builtin_mul_overflow(count, size, &count)) return;
    }
  }
  if (counts[0] == counts[1]) return;
  report.Add(kInferredShape, Out(0), absl::StrCat(counts[1], " elements"), absl::StrCat("the input has ", counts[0]));
}

}  // namespace

void CheckElementUpdates(const BackendOp& op, OpReport& report) {
  const Dims indices = Input(op, 1).dims, updates = Input(op, 2).dims;
  if (op.name != "ScatterElements" || !KnownSizes(indices) || !KnownSizes(updates)) return;
  if (absl::c_equal(indices, updates)) return;
  report.Add(kInferredShape, In(2), "another shape than the indices", "both must have the same");
}

bool CheckOperandShapes(const BackendOp& op, OpReport& report) {
  if (CheckRanks(op, report)) return false;
  CheckLists(op, report);
  CheckDivision(op, report);
  CheckAlike(op, report);
  CheckElementUpdates(op, report);
  CheckVectors(op, report);
  CheckDetectionShapes(op, report);
  if (op.name == "UnPack") CheckOutputCount(op, report);
  if (op.name == "Transpose") CheckPermutation(op, report);
  if (op.name == "ScatterNd") CheckUpdates(op, report);
  if (op.name == "Nv12ToRgb") CheckColors(op, report);
  if (Is(op, {"LayerNorm", "RmsNorm"})) CheckNormalized(op, report);
  if (Is(op, {"ExpandDims", "Reshape", "Squeeze"})) CheckCount(op, report);
  if (IsConvolution(op)) CheckConvolution(op, report);
  if (op.name == "MatMul") CheckProduct(op, report);
  if (op.name == "Concat") CheckParts(op, Output(op, 0).dims, op.inputs, report);
  if (op.name == "Split") CheckParts(op, Input(op, 0).dims, op.outputs, report);
  return true;
}

}  // namespace quantgate::qnn_htp
