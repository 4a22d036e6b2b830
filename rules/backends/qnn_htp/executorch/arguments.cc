#include "rules/backends/qnn_htp/executorch/arguments.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "rules/backends/extreme_places.h"
#include "rules/backends/node_view.h"
#include "rules/backends/qnn_htp/executorch/runs.h"

namespace quantgate::qnn_htp {

const RuleInfo kHardtanhMaximum = {
    "EN224",
    "executorch-hardtanh-maximum",
    v1::Finding::REFUSED,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject} has {observed}; {allowed}.",
    "PyTorch leaves out a last argument that has its default value, 1 for the maximum of hardtanh. The builder of "
    "ExecuTorch 1.5.1 reads the maximum wherever there is a minimum, and the whole lowering ends with \"IndexError: "
    "tuple index out of range\".",
    "Write clamp(x, minimum, 1), or choose another maximum.",
    "Fires: aten.hardtanh.default(x, 0) with the toolchain executorch. Does not: (x), or (x, 0, 6).",
};

const RuleInfo kDepthwiseVolume = {
    "EN225",
    "executorch-depthwise-conv3d",
    v1::Finding::REFUSED,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject} has {observed}; {allowed}.",
    "The builder of ExecuTorch 1.5.1 takes a convolution of more than two groups whose filter has one input channel "
    "for a depthwise one, of which QNN has that of two dimensions alone: the whole lowering ends with "
    "\"AssertionError: DepthWise only supports Conv2d\".",
    "Use fewer groups, or a convolution over two dimensions for each plane.",
    "Fires: aten.conv3d.default of 4 channels in 4 groups, with the toolchain executorch. Does not: in 2 groups, a "
    "filter of 2 input channels, conv2d, or a transposed convolution.",
};

const RuleInfo kBlocksOfColumns = {
    "EN226",
    "executorch-blocks-of-columns",
    v1::Finding::REFUSED,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject} has {observed}; {allowed}.",
    "ExecuTorch 1.5.1 makes moves between depth and space of im2col and col2im (unfold and fold), which they are where "
    "an image is divided into square blocks. Of all others its pass DecomposeColIm ends with an assertion, and where a "
    "remainder is left over the pass that lays out does.",
    "Divide the image into square blocks (stride equal to the kernel, no padding, no dilation), or compute the windows "
    "by a convolution whose filters pick one element each.",
    "Fires: aten.im2col.default of a kernel of 3 and a stride of 1, with the toolchain executorch. Does not: kernel "
    "and stride of 2 over 8 by 8.",
};

const RuleInfo kAverageOfVolume = {
    "EN227",
    "executorch-average-of-volume",
    v1::Finding::WRONG_NUMBERS,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject} has {observed}; {allowed}.",
    "The builder of ExecuTorch 1.5.1 does not read the divisor of avg_pool3d: the average is one of the window, "
    "whatever the model divides by.",
    "Leave divisor_override out, and multiply the result instead.",
    "Fires: aten.avg_pool3d.default of a window of 8 elements and a divisor of 4, with the toolchain executorch. Does "
    "not: a divisor of 8, or avg_pool2d.",
};

const RuleInfo kEmptyIndex = {
    "EN229",
    "executorch-empty-index",
    v1::Finding::REFUSED,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject} has {observed}; {allowed}.",
    "The builders of ExecuTorch 1.5.1 for index and index_select assert that the index takes something, and the whole "
    "lowering ends with \"AssertionError: Not support empty indices list\".",
    "Leave the node out of the model: what it gives has no elements.",
    "Fires: aten.index.Tensor by a constant of shape [0], with the toolchain executorch. Does not: by one of shape "
    "[1].",
};

const RuleInfo kPadWithoutValue = {
    "EN233",
    "executorch-pad-without-value",
    v1::Finding::REFUSED,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject} has {observed}; {allowed}.",
    "PyTorch leaves out a last argument that has its default value, the integer 0 for what constant_pad_nd pads with, "
    "and puts such a pad in front of a convolution with padding='same' whose two sides differ. The builder of "
    "ExecuTorch 1.5.1 reads the value unasked, and the whole lowering ends with \"IndexError: tuple index out of "
    "range\".",
    "Pad with F.pad(x, padding), which says 0.0, and let the convolution have no padding.",
    "Fires: aten.conv2d.padding with \"same\" and a filter of 4 by 4, aten.constant_pad_nd.default(x, [1, 1]), with "
    "the toolchain executorch. Does not: a filter of 3 by 3, or of 2 by 2 with a dilation of 2; "
    "aten.constant_pad_nd.default(x, [1, 1], 1.0); aten.pad.default(x, [1, 1]).",
};

const RuleInfo kSumOverNone = {
    "EN236",
    "executorch-sum-over-none",
    v1::Finding::REFUSED,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject} has {observed}; {allowed}.",
    "PyTorch sums over all dimensions where None are given. The builder of ExecuTorch 1.5.1 walks over a list of them, "
    "and the whole lowering ends with \"TypeError: 'NoneType' object is not iterable\". A nansum is such a sum behind "
    "what looks for NaN.",
    "Name the dimensions: x.sum((0, 1, 2)).",
    "Fires: aten.sum.dim_IntList(x, None, True), aten.nansum.default(x), with the toolchain executorch. Does "
    "not: (x, [1]); aten.sum.default(x), which is refused; aten.mean.dim(x, None).",
};

const RuleInfo kExtremeWithPlaces = {
    "EN228",
    "executorch-extreme-with-places",
    v1::Finding::REFUSED,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject} has {observed}; {allowed}.",
    "A maximum along a dimension has two results, and QNN's has one. ExecuTorch 1.5.1 makes an arg max of the second "
    "where a strict export notes the function torch.max. Of the method x.max(dim), and of all that is exported "
    "without strict, it builds an operator of two outputs, which is not prepared (\"Failed to generate Qnn context "
    "binary\") or ends the process with a segmentation fault. Of a quantized tensor whose places alone are read, QNN "
    "refuses it.",
    "Read x.amax(dim) and x.argmax(dim), or export torch.max(x, dim) with strict=True.",
    "Fires: aten.max.dim from x.max(1) whose values and places are read, or whose places of floats are, with the "
    "toolchain executorch. Does not: from torch.max(x, 1) in a strict export, or where the values alone are read.",
};

namespace {

FindingSource Known(v1::Source::Kind kind, absl::string_view document) {
  FindingSource source;
  source.kind = kind;
  source.document = std::string(document);
  return source;
}

// Without an entry for each dimension the one that is there serves all.
bool AreAll(const IntVector& numbers, int64_t wanted) {
  return absl::c_all_of(numbers, [wanted](int64_t number) { return number == wanted; });
}

bool IsDepthwiseVolume(const NodeView& view) {
  const OpId id = view.op().op == nullptr ? OpId::kUnknown : view.op().op->id;
  if ((id != OpId::kConv && id != OpId::kDepthwiseConv) || view.integer({"transposed"}).value_or(0) != 0) return false;
  return view.rank(view.input(1)) == 5 && view.dim(view.input(1), 1) == 1 && view.integer({"groups"}).value_or(1) > 2;
}

// An index of integers: one of booleans is made a list of places first.
bool HasEmptyIndex(const NodeView& view) {
  const bool indexes = view.op_type() == "aten.index.Tensor" || view.op_type() == "aten.index_select.default";
  return indexes && absl::c_any_of(view.inputs(), [&view](const Operand& input) {
           return input.argument > 0 && input.type != v1::DATA_TYPE_BOOL && view.dim(&input, 0) == 0;
         });
}

// PyTorch takes the pads of a convolution that go beyond those of one side out of it.
bool PadsOneSideMore(const NodeView& view) {
  if (view.op().op == nullptr || view.text({"padding"}) != "same") return false;
  const std::optional<IntVector> dilation = view.integers({"dilation"});
  for (int axis = 2; axis < view.rank(view.input(1)); ++axis) {
    const int64_t size = view.dim(view.input(1), axis);
    if (size < 0) continue;
    const size_t last = dilation && !dilation->empty() ? dilation->size() - 1 : 0;
    const int64_t step = dilation && !dilation->empty() ? (*dilation)[std::min<size_t>(axis - 2, last)] : 1;
    if (size % 2 == 0 && step % 2 != 0) return true;  // (size - 1) * step is odd
  }
  return false;
}

// Integers of 0 are left out, floats are not.
bool LacksValueOfPad(const NodeView& view) {
  if (view.op_type() != "aten.constant_pad_nd.default") return false;
  const v1::Attribute* value = view.attribute({"value"});
  return value == nullptr || (value->has_i() && value->i() == 0);
}

bool SumsOverNone(const NodeView& view) {
  const bool sums = view.op_type() == "aten.sum.dim_IntList" || view.op_type() == "aten.nansum.default";
  return sums && view.attribute({"dim"}) == nullptr;
}

// What of the arguments is not that of blocks; empty: all is, or it is not known.
std::string OtherThanBlocks(const NodeView& view) {
  const bool to_columns = view.op().op->id == OpId::kImageToColumns;
  const Operand* image = to_columns ? view.input(0) : view.output(0);
  const std::optional<IntVector> kernel = view.integers({"kernel_size"}), stride = view.integers({"stride"});
  if (view.rank(image) >= 0 && view.rank(image) != 4) return absl::StrCat("an image of rank ", view.rank(image));
  if (!kernel || kernel->size() != 2) return "";
  const std::string size = absl::StrJoin(*kernel, " by ");
  if (stride && *stride != *kernel) return absl::StrCat("a stride other than its kernel's size, ", size);
  if ((*kernel)[0] != (*kernel)[1]) return absl::StrCat("a kernel of ", size);
  if (!AreAll(view.integers({"dilation"}).value_or(IntVector{1}), 1)) return "a dilation";
  if (!AreAll(view.integers({"padding"}).value_or(IntVector{0}), 0)) return "a padding";
  for (int axis = 2; axis < 4; ++axis) {
    const int64_t length = view.dim(image, axis);
    if (length > 0 && (*kernel)[0] > 0 && length % (*kernel)[0] != 0) {
      return absl::StrCat("blocks of ", size, " in a length of ", length);
    }
  }
  return "";
}

// How many elements a window of three dimensions has; -1: not known.
int64_t VolumeOf(const IntVector& kernel) {
  if (kernel.size() != 1 && kernel.size() != 3) return -1;
  int64_t volume = 1;
  for (size_t i = 0; i < 3; ++i) {
    if (__builtin_mul_overflow(volume, kernel.size() == 1 ? kernel[0] : kernel[i], &volume)) return -1;
  }
  return volume;
}

}  // namespace

bool FindRaisingArguments(const CheckContext& context, const ResolvedOp& op, FindingSink& sink) {
  if (context.graph().origin() != v1::Graph::PT2E) return false;
  const NodeView view(context, op, nullptr);
  Place place;
  place.node = op.node;
  if (IsHardtanhWithoutMaximum(context.graph(), op.node)) {
    sink.Add(kHardtanhMaximum, place, "a minimum and no maximum", "ExecuTorch 1.5.1 needs both", OfTheRuns());
    return true;
  }
  if (HasEmptyIndex(view)) {
    sink.Add(kEmptyIndex, place, "an index without elements", "ExecuTorch 1.5.1 needs one", OfTheRuns());
    return true;
  }
  if (LacksValueOfPad(view) || PadsOneSideMore(view)) {
    sink.Add(kPadWithoutValue, place, "a pad whose value is left out", "ExecuTorch 1.5.1 needs it written out",
             OfTheRuns());
    return true;
  }
  if (SumsOverNone(view)) {
    sink.Add(kSumOverNone, place, "no dimensions to sum over", "ExecuTorch 1.5.1 needs them named", OfTheRuns());
    return true;
  }
  if (IsDepthwiseVolume(view)) {
    sink.Add(kDepthwiseVolume, place, "one input channel per group in three dimensions",
             "ExecuTorch 1.5.1 builds that in two alone", OfTheRuns());
    return true;
  }
  return false;
}

bool FindOddBlocks(const CheckContext& context, const ResolvedOp& op, FindingSink& sink) {
  const OpId id = context.graph().op(op.node);
  const bool moves = id == OpId::kImageToColumns || id == OpId::kColumnsToImage;
  if (context.graph().origin() != v1::Graph::PT2E || !moves) return false;
  std::string observed = OtherThanBlocks(NodeView(context, op, nullptr));
  if (observed.empty()) return false;
  Place place;
  place.node = op.node;
  sink.Add(kBlocksOfColumns, place, std::move(observed), "ExecuTorch 1.5.1 lowers square blocks that divide the image",
           OfTheRuns());
  return true;
}

bool FindExtremeWithPlaces(const CheckContext& context, const ResolvedOp& op, FindingSink& sink) {
  if (!KeepsPlaces(context.graph(), op.node)) return false;
  const NodeView view(context, op, nullptr);
  if (RefusesPlaces(view) || !IsRead(view, view.output(1))) return false;
  Place place;
  place.node = op.node;
  sink.Add(kExtremeWithPlaces, place, "places that are read",
           "ExecuTorch 1.5.1 builds them for torch.max and torch.min in a strict export alone", OfTheRuns());
  return true;
}

void FindIgnoredArguments(const CheckContext& context, const ResolvedOp& op, FindingSink& sink) {
  if (context.graph().op_type(op.node) != "aten.avg_pool3d.default") return;
  const NodeView view(context, op, nullptr);
  const std::optional<int64_t> divisor = view.integer({"divisor_override"});
  const std::optional<IntVector> kernel = view.integers({"kernel_size"});
  const int64_t volume = kernel ? VolumeOf(*kernel) : -1;
  if (!divisor || volume < 0 || *divisor == volume) return;
  Place place;
  place.node = op.node;
  sink.Add(kAverageOfVolume, place, absl::StrCat("a divisor of ", *divisor), "ExecuTorch 1.5.1 builds it without one",
           Known(v1::Source::DOCUMENTED, "ExecuTorch 1.5.1, source of its builder"));
}

}  // namespace quantgate::qnn_htp
