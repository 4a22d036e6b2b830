#include <algorithm>
#include <limits>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "rules/backends/qnn/input_encoding.h"
#include "rules/backends/qnn/lowerers.h"
#include "rules/backends/shared_encoding.h"

namespace quantgate::qnn {
namespace {

void Begin(const NodeView& view, absl::string_view name, Emission& emission, Layout layout = Layout::kSame) {
  emission.Begin(name, view.node());
  AddInput(view, view.input(0), emission, layout);
  AddOutput(view, view.output(0), emission, layout);
}

// Writes begin, end and step along `axis` into `ranges`, with bounds beyond the tensor moved into it, as ONNX and ATen
// do. False: they depend on a size that is not known.
bool Narrow(int64_t axis, int64_t begin, int64_t end, int64_t step, std::vector<int64_t>& ranges) {
  if (axis < 0 || 3 * axis >= static_cast<int64_t>(ranges.size()) || step == 0) return false;
  const int64_t size = ranges[3 * axis + 1];
  if (size < 0) return false;
  if (begin < 0) begin += size;
  if (end < 0) end = std::max<int64_t>(end, -size - 1) + size;
  const int64_t lowest = step > 0 ? 0 : -1;
  const int64_t highest = step > 0 ? size : size - 1;
  ranges[3 * axis] = std::clamp(begin, int64_t{0}, highest);
  ranges[3 * axis + 1] = std::clamp(end, lowest, highest);
  ranges[3 * axis + 2] = step;
  return true;
}

// False: where the slice is cannot be told from here.
bool SliceAsOnnx(const NodeView& view, std::vector<int64_t>& ranges) {
  const std::optional<IntVector> starts = view.integers({"starts"}, 1);
  const std::optional<IntVector> ends = view.integers({"ends"}, 2);
  const std::optional<IntVector> axes = view.integers({"axes"}, 3);
  const std::optional<IntVector> steps = view.integers({"steps"}, 4);
  if (!starts || !ends || ends->size() != starts->size()) return false;
  // Given, and computed at run time.
  if ((view.input(3) != nullptr && !axes) || (view.input(4) != nullptr && !steps)) return false;
  if ((axes && axes->size() != starts->size()) || (steps && steps->size() != starts->size())) return false;
  const int rank = view.rank(view.input(0));
  for (size_t i = 0; i < starts->size(); ++i) {
    const int64_t axis = axes ? Normalize((*axes)[i], rank) : static_cast<int64_t>(i);
    if (!Narrow(axis, (*starts)[i], (*ends)[i], steps ? (*steps)[i] : 1, ranges)) return false;
  }
  return true;
}

// One index of a dimension that then goes: both ends are the index (ExecuTorch's builders/op_select_copy.py).
bool SelectOne(const NodeView& view, int64_t axis, std::vector<int64_t>& ranges) {
  const std::optional<int64_t> index = view.integer({"index"});
  if (!index || axis < 0 || 3 * axis >= static_cast<int64_t>(ranges.size())) return false;
  const int64_t size = ranges[3 * axis + 1];
  if (size < 0 || *index < -size || *index >= size) return false;
  ranges[3 * axis] = ranges[3 * axis + 1] = *index < 0 ? *index + size : *index;
  return true;
}

// From the last element to the one before the first (builders/op_flip.py).
bool Reverse(const NodeView& view, std::vector<int64_t>& ranges) {
  const std::optional<IntVector> dims = view.integers({"dims"});
  if (!dims) return false;
  for (const int64_t dim : *dims) {
    const int64_t axis = Normalize(dim, view.rank(view.input(0)));
    if (axis < 0 || 3 * axis >= static_cast<int64_t>(ranges.size()) || ranges[3 * axis + 1] < 0) return false;
    ranges[3 * axis] = ranges[3 * axis + 1] - 1;
    ranges[3 * axis + 1] = ranges[3 * axis + 2] = -1;
  }
  return true;
}

bool SliceAsAten(const NodeView& view, int64_t axis, std::vector<int64_t>& ranges) {
  const int64_t start = view.integer({"start"}).value_or(0);
  int64_t end = view.integer({"end"}).value_or(std::numeric_limits<int64_t>::max());
  // aten.narrow counts from the start; to the end where that is 0 from there.
  if (const std::optional<int64_t> length = view.integer({"length"})) {
    if (__builtin_add_overflow(start, *length, &end)) return false;
    if (start < 0 && end == 0) end = std::numeric_limits<int64_t>::max();
  }
  return Narrow(axis, start, end, view.integer({"step"}).value_or(1), ranges);
}

}  // namespace

Lowering LowerReshape(const NodeView& view, absl::string_view name, Emission& emission) {
  Begin(view, name, emission);  // the shape is the output tensor's; QNN's in[1] is not used by any toolchain
  return Emitted();
}

Lowering LowerTranspose(const NodeView& view, absl::string_view name, Emission& emission) {
  const int rank = view.rank(view.input(0));
  Begin(view, name, emission);
  BackendParam& perm = emission.AddParam("perm");
  if (const auto given = view.integers({"perm", "dims"})) {
    for (int64_t axis : *given) perm.ints.push_back(Normalize(axis, rank));
    return Emitted();
  }
  for (int i = 0; i < rank; ++i) perm.ints.push_back(i);
  const std::optional<int64_t> a = view.integer({"dim0", "axis0"});
  const std::optional<int64_t> b = view.integer({"dim1", "axis1"});
  if (a && b) {
    const int64_t x = Normalize(*a, rank);
    const int64_t y = Normalize(*b, rank);
    if (x >= 0 && x < rank && y >= 0 && y < rank) std::swap(perm.ints[x], perm.ints[y]);
  } else {
    std::reverse(perm.ints.begin(), perm.ints.end());  // ONNX's default
  }
  return Emitted();
}

namespace {

// PyTorch leaves it out of a cat, whatever rank the others have. Caches of keys and values begin so.
bool IsEmptyList(const NodeView& view, const Operand& input) {
  return view.graph().origin() == v1::Graph::PT2E && view.rank(&input) == 1 && view.dim(&input, 0) == 0;
}

// Those that count; all where none does.
std::vector<const Operand*> PartsOf(const NodeView& view, bool stacks) {
  const auto is_empty = [&view](const Operand& input) { return IsEmptyList(view, input); };
  const bool takes_all = stacks || absl::c_all_of(view.inputs(), is_empty);
  std::vector<const Operand*> parts;
  for (const Operand& input : view.inputs()) {
    if (takes_all || !is_empty(input)) parts.push_back(&input);
  }
  return parts;
}

// ExecuTorch has a stack of reals built as it is, and one of integers as PyTorch says it (partition/utils.py).
bool IsTakenApart(const NodeView& view) {
  const Operand* output = view.output(0);
  return view.graph().origin() == v1::Graph::PT2E && output != nullptr && !output->quantized &&
         (output->type == v1::DATA_TYPE_INT32 || output->type == v1::DATA_TYPE_INT64);
}

// A cat, and the new axis by a reshape behind it; where that is the last one, by reshapes in front of it.
void AddStackOfIntegers(const NodeView& view, const std::vector<const Operand*>& parts, int rank, int64_t axis,
                        Emission& emission) {
  BackendTensor stacked;
  FillTensor(view, view.output(0), Layout::kSame, -1, emission, stacked);
  const bool last = rank >= 0 && axis == rank;
  std::vector<BackendTensor> joined(parts.size());
  for (size_t i = 0; i < parts.size(); ++i) {
    FillTensor(view, parts[i], Layout::kSame, -1, emission, joined[i]);
    if (!last) continue;
    const BackendTensor part = joined[i];
    joined[i].rank = rank + 1;
    joined[i].dims = {};
    AddUnary("Reshape", view, part, joined[i], emission);
  }
  BackendTensor whole = stacked;
  if (!last) {
    whole.rank = rank;
    whole.dims = {};
  }
  emission.Begin("Concat", view.node());
  for (const BackendTensor& part : joined) emission.AddInput() = part;
  emission.AddOutput() = whole;
  if (rank >= 0) emission.AddInt("axis", axis);
  if (!last) AddUnary("Reshape", view, whole, stacked, emission);
}

}  // namespace

Lowering LowerConcat(const NodeView& view, absl::string_view name, Emission& emission) {
  const bool stacks = name == "Pack";
  const std::vector<const Operand*> parts = PartsOf(view, stacks);
  const int rank = parts.empty() ? -1 : view.rank(parts[0]);
  const int64_t axis = Normalize(view.integer({"axis", "dim"}).value_or(0), rank + (stacks ? 1 : 0));
  if (stacks && IsTakenApart(view)) {
    AddStackOfIntegers(view, parts, rank, axis, emission);
    return Emitted();
  }
  emission.Begin(name, view.node());
  for (const Operand* part : parts) AddInput(view, part, emission);
  AddOutput(view, view.output(0), emission);
  emission.AddInt("axis", axis);
  return Emitted();
}

// Sizes along `axis` of all parts as the attributes of a PT2E node state them: torch.fx has values for those alone that
// somebody takes. None where they do not say it.
std::optional<IntVector> SizesOfParts(const NodeView& view, int axis) {
  constexpr int64_t kMaxParts = 4096;  // more than any library takes; a graph may claim any number
  const int64_t whole = view.dim(view.input(0), axis);
  std::optional<IntVector> sizes = view.integers({"split_size", "split_sizes"});
  int64_t size = sizes && sizes->size() == 1 ? (*sizes)[0] : -1;
  if (const std::optional<int64_t> chunks = view.integer({"chunks"}); chunks && *chunks > 0 && whole > 0) {
    size = whole / *chunks + (whole % *chunks != 0 ? 1 : 0);
  }
  if (size < 1) return sizes && sizes->size() > 1 ? sizes : std::nullopt;
  if (whole < 1 || (whole - 1) / size >= kMaxParts) return std::nullopt;
  sizes.emplace();
  for (int64_t rest = whole; rest > 0; rest -= size) sizes->push_back(std::min(size, rest));
  return sizes;
}

// Of the output that was added last.
void Resize(int axis, int64_t size, Emission& emission) {
  BackendTensor& output = emission.outputs().back();
  if (axis < 0 || axis >= static_cast<int>(output.dims.size())) return;
  auto& dims = emission.NewDims();
  absl::c_copy(output.dims, dims.begin());
  dims[axis] = size;
  output.dims = absl::MakeConstSpan(dims.data(), output.dims.size());
}

Lowering LowerSplit(const NodeView& view, absl::string_view name, Emission& emission) {
  const auto axis = static_cast<int>(Normalize(view.integer({"axis", "dim"}).value_or(0), view.rank(view.input(0))));
  const bool complete = view.graph().origin() != v1::Graph::PT2E;  // the other formats state every result
  const std::optional<IntVector> sizes = complete ? std::nullopt : SizesOfParts(view, axis);
  const size_t parts = std::max(view.outputs().size(), sizes ? sizes->size() : 0);
  // Its parameter is the positions between the parts. The vendor's library refuses it without any, and one at an end.
  if (parts == 1) {
    return complete || sizes ? NoCounterpart("QNN's Split has at least two outputs")
                             : Unknown("the number of parts is not known");
  }
  emission.Begin(name, view.node());
  AddInput(view, view.input(0), emission);
  emission.AddInt("axis", axis);
  // The positions between the outputs.
  BackendParam& index = emission.AddParam("split_index");
  int64_t position = 0;
  const auto taken =
      std::find_if(view.outputs().begin(), view.outputs().end(), [](const Operand& output) { return output.present; });
  for (size_t i = 0; i < parts && taken != view.outputs().end(); ++i) {
    const bool present = i < view.outputs().size() && view.outputs()[i].present;
    const Operand& output = present ? view.outputs()[i] : *taken;
    AddOutput(view, &output, emission);  // all results are tensors
    int64_t size = sizes && i < sizes->size() ? (*sizes)[i] : -1;
    if (present) size = view.dim(&output, axis);
    if (!present) Resize(axis, size, emission);
    if (size < 0 || __builtin_add_overflow(position, size, &position)) position = -1;
    if (position < 0) break;
    if (i + 1 < parts) index.ints.push_back(position);
  }
  if (position < 0) return Unknown("the size of an output along the split axis is not known");
  return Emitted();
}

Lowering LowerUnbind(const NodeView& view, absl::string_view, Emission& emission) {
  const Operand* whole = view.input(0);
  const Operand* written = whole == nullptr ? nullptr : OtherWriting(view.context(), *whole);
  const Operand unconverted = written == nullptr ? Operand() : EncodedAs(*whole, *written);
  for (const Operand& output : view.outputs()) {
    if (!output.present) continue;  // what nobody takes is not computed
    emission.Begin("StridedSlice", view.node());
    AddInput(view, whole, emission);
    if (written != nullptr) whole = &unconverted;  // a Convert is in front of the first alone
    BackendTensor& slice = emission.AddOutput();
    FillTensor(view, &output, Layout::kSame, -1, emission, slice);
    const BackendTensor squeezed = slice;
    slice.rank = view.rank(view.input(0));
    slice.dims = {};
    emission.AddParam("ranges");
    emission.Begin("Reshape", view.node());
    BackendTensor& input = emission.AddInput();
    input = squeezed;
    input.rank = view.rank(view.input(0));
    input.dims = {};
    emission.AddOutput() = squeezed;
  }
  return view.outputs().empty() ? Unknown("no outputs") : Emitted();
}

Lowering LowerSlice(const NodeView& view, absl::string_view name, Emission& emission) {
  Begin(view, name, emission);
  const int rank = view.rank(view.input(0));
  BackendParam& ranges = emission.AddParam("ranges");
  for (int i = 0; i < rank; ++i) {
    ranges.ints.push_back(0);
    ranges.ints.push_back(view.dim(view.input(0), i));
    ranges.ints.push_back(1);
  }
  const int64_t axis = Normalize(view.integer({"dim"}).value_or(0), rank);
  const bool selects = view.op().op->id == OpId::kSelect;
  bool known = true;
  if (view.graph().origin() == v1::Graph::ONNX) {
    known = SliceAsOnnx(view, ranges.ints);
  } else if (selects) {
    known = SelectOne(view, axis, ranges.ints);
  } else if (view.op().op->id == OpId::kFlip) {
    known = Reverse(view, ranges.ints);
  } else if (absl::StartsWith(view.op_type(), "aten.")) {
    known = SliceAsAten(view, axis, ranges.ints);
  }  // the full range stands for the others
  if (!known) ranges.ints.clear();
  if (selects && axis >= 0 && axis < std::min(rank, kMaxBackendRank))
    emission.AddInt("shrink_axes", int64_t{1} << axis);
  return Emitted();
}

Lowering LowerPad(const NodeView& view, absl::string_view name, Emission& emission) {
  const absl::string_view mode = view.text({"mode"});
  int64_t scheme = 0;  // CONSTANT
  if (mode == "reflect" || absl::StrContains(view.op_type(), "reflection_pad")) {
    scheme = 2;  // MIRROR_REFLECT
  } else if (mode == "edge" || mode == "replicate" || absl::StrContains(view.op_type(), "replication_pad")) {
    scheme = 3;  // EDGE
  } else if (mode == "wrap" || mode == "circular") {
    return NoCounterpart("QNN's Pad has no circular scheme");
  }
  const int rank = view.rank(view.input(0));
  const std::optional<IntVector> pads = view.integers({"pads", "pad", "padding"}, 1);
  if (!pads) return WithoutArgument(view, 1, "QNN's Pad needs amounts that are constants");
  Begin(view, name, emission);
  emission.AddInt("scheme", scheme);
  BackendParam& amount = emission.AddParam("pad_amount");
  if (rank < 0 || rank > kMaxBackendRank) return Emitted();
  amount.ints.assign(size_t{2} * rank, 0);
  const size_t dims = rank;
  const size_t count = pads->size() / 2;
  for (size_t i = 0; i < count && i < dims; ++i) {
    if (view.graph().origin() == v1::Graph::ONNX) {
      amount.ints[2 * i] = (*pads)[i];
      amount.ints[2 * i + 1] = (*pads)[i + count];
    } else {  // ATen counts from the last dimension
      amount.ints[2 * (dims - 1 - i)] = (*pads)[2 * i];
      amount.ints[2 * (dims - 1 - i) + 1] = (*pads)[2 * i + 1];
    }
  }
  return Emitted();
}

Lowering LowerTile(const NodeView& view, absl::string_view name, Emission& emission) {
  const int in = view.rank(view.input(0));
  const int out = view.rank(view.output(0));
  // ExecuTorch brings what is expanded to the rank of the result, and gives the multiples of a repeat as they are.
  if (view.graph().origin() == v1::Graph::PT2E && view.op().op->id == OpId::kTile && in >= 0 && out > in) {
    return NoCounterpart("QNN's Tile keeps the rank");
  }
  Begin(view, name, emission);
  // Multiples from the shapes: right for tile, repeat and expand alike.
  BackendParam& multiples = emission.AddParam("multiples");
  for (int i = 0; i < in; ++i) {
    const int64_t a = view.dim(view.input(0), i);
    const int64_t b = view.dim(view.output(0), i + out - in);
    multiples.ints.push_back(a > 0 && b > 0 ? b / a : 1);
  }
  return Emitted();
}

Lowering LowerExpand(const NodeView& view, absl::string_view name, Emission& emission) {
  // ExecuTorch tiles; ONNX Runtime's provider multiplies by ones of the output's shape.
  if (view.graph().origin() != v1::Graph::ONNX) return LowerTile(view, name, emission);
  emission.Begin("ElementWiseMultiply", view.node());
  BackendTensor input;
  FillTensor(view, view.input(0), Layout::kSame, -1, emission, input);
  emission.AddInput() = input;
  BackendTensor output;
  FillTensor(view, view.output(0), Layout::kSame, -1, emission, output);
  AddMadeConstant(input, output.rank, emission).dims = output.dims;
  emission.AddOutput() = output;
  return Emitted();
}

Lowering LowerDepthSpace(const NodeView& view, absl::string_view name, Emission& emission) {
  Begin(view, name, emission, view.channels_first() ? Layout::kChannelsLast : Layout::kSame);
  const int64_t block = view.integer({"blocksize", "upscale_factor", "downscale_factor"}).value_or(1);
  emission.AddParam("block_size").ints.assign(2, block);
  const bool onnx = view.graph().origin() == v1::Graph::ONNX;
  const absl::string_view mode = view.text({"mode"});
  emission.AddInt("mode", mode == "CRD" || (!onnx && mode.empty()) ? 1 : 0);  // pixel shuffle is column-row-depth
  return Emitted();
}

Lowering LowerCopy(const NodeView& view, absl::string_view name, Emission& emission) {
  const Operand* source = view.input(1);
  if (source == nullptr) return Unknown("what is copied cannot be told");
  // Quantizers annotate what is copied and not the buffer, which PyTorch replaces by a slice_scatter.
  BackendTensor from, to;
  FillTensor(view, source, Layout::kSame, -1, emission, from);
  FillTensor(view, view.output(0), Layout::kSame, -1, emission, to);
  if (view.op_type() == "aten.copy_.default" && from.type.quantized != to.type.quantized) {
    return Unknown("what is written in place is taken apart by PyTorch");
  }
  // copy(self, source): the source in the shape of self, which is only looked at.
  emission.Begin(name, view.node());
  emission.AddInput() = from;
  emission.AddOutput() = to;
  return Emitted();
}

Lowering LowerFold(const NodeView& view, absl::string_view name, Emission& emission) {
  // ExecuTorch takes the ones whose blocks do not overlap: a Reshape and a move between depth and space.
  const std::optional<IntVector> block = view.integers({"kernel_size"});
  const bool to_space = name == "DepthToSpace";
  for (const bool first : {true, false}) {
    const bool reshape = first == to_space;
    emission.Begin(reshape ? "Reshape" : name, view.node());
    BackendTensor tensor;
    FillTensor(view, first ? view.input(0) : view.output(0), Layout::kSame, -1, emission, tensor);
    BackendTensor between = tensor;  // of rank 4, like the image
    between.rank = 4;
    between.dims = {};
    between.axis = -1;
    emission.AddInput() = first ? tensor : between;
    emission.AddOutput() = first ? between : tensor;
    if (reshape) continue;
    BackendParam& size = emission.AddParam("block_size");
    if (block) size.ints.assign(block->begin(), block->end());
    emission.AddInt("mode", 1);
  }
  return Emitted();
}

Lowering LowerChannelShuffle(const NodeView& view, absl::string_view name, Emission& emission) {
  Begin(view, name, emission, view.channels_first() ? Layout::kChannelsLast : Layout::kSame);
  emission.AddInt("num_groups", view.integer({"groups"}).value_or(1));
  emission.AddInt("axis", view.rank(view.input(0)) - 1);
  return Emitted();
}

}  // namespace quantgate::qnn
