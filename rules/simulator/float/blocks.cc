// Blocks of positions that become samples of their own, and back; a part of a tensor that is written anew. Elements of
// any type, by bytes.
#include <cstring>

#include "absl/strings/str_cat.h"
#include "rules/simulator/float/kernels.h"
#include "rules/simulator/shapes.h"

namespace quantgate::simulator {
namespace {

// The axes behind the first one that are divided: what is in front of a block, the block's positions, what is behind.
struct Blocks {
  Dims sizes;             // of a block, by axis
  int64_t positions = 1;  // in one
};

absl::StatusOr<Blocks> BlocksOf(const FloatCall& call, const Tensor& x) {
  const absl::Span<const int64_t> stated = call.attributes.Ints("block");
  if (x.dims.size() < stated.size() + 1) {
    return absl::InvalidArgumentError(absl::StrCat("blocks of ", stated.size(), " axes in ", DimsText(x.dims)));
  }
  Blocks blocks{Dims(stated.begin(), stated.end())};
  for (const int64_t size : stated) {
    int64_t all = 0;
    if (size < 1 || __builtin_mul_overflow(blocks.positions, size, &blocks.positions) ||
        __builtin_mul_overflow(blocks.positions, std::max<int64_t>(x.dims[0], 1), &all)) {
      return absl::InvalidArgumentError(absl::StrCat("blocks of ", DimsText(stated)));
    }
  }
  return blocks;
}

// `x` through an operator that moves elements, with one attribute of integers by axis.
absl::StatusOr<Tensor> Moved(const FloatCall& call, OpId op, const Attributes& attributes, const Tensor& x) {
  const Tensor* inputs[1] = {&x};
  Tensor output;
  FloatCall moved{op, call.layout, attributes, inputs, absl::MakeSpan(&output, 1), call.max_bytes};
  if (absl::Status status = RunMovement(moved); !status.ok()) return status;
  return output;
}

absl::Status SpaceToBatch(FloatCall& call, const Tensor& input) {
  const absl::StatusOr<Blocks> blocks = BlocksOf(call, input);
  if (!blocks.ok()) return blocks.status();
  const size_t axes = blocks->sizes.size(), rank = input.dims.size();
  const absl::Span<const int64_t> given = call.attributes.Ints("pads");
  if (given.size() != 2 * axes)
    return absl::InvalidArgumentError(absl::StrCat(given.size(), " pads of ", axes, " axes"));
  Dims pads(2 * rank, 0);
  for (size_t i = 0; i < axes; ++i) {
    pads[1 + i] = given[i];
    pads[rank + 1 + i] = given[axes + i];
  }
  Attributes attributes;
  attributes.SetInts("pads", pads);
  absl::StatusOr<Tensor> x = Moved(call, OpId::kPad, attributes, input);
  if (!x.ok()) return x.status();
  const Dims padded = x->dims;
  // Samples, and of each axis the blocks and the positions in one.
  Dims split = {padded[0]}, dims = {padded[0] * blocks->positions};
  std::vector<int> permutation(axes + 1, 0);
  for (size_t i = 0; i < axes; ++i) {
    const int64_t size = padded[1 + i], block = blocks->sizes[i];
    if (size % block != 0) {
      return absl::InvalidArgumentError(absl::StrCat("blocks of ", block, " in ", size, " padded positions"));
    }
    split.insert(split.end(), {size / block, block});
    dims.push_back(size / block);
    permutation[i] = static_cast<int>(2 + 2 * i);
    permutation.push_back(static_cast<int>(1 + 2 * i));
  }
  for (size_t axis = 1 + axes; axis < rank; ++axis) {
    permutation.push_back(static_cast<int>(split.size()));
    split.push_back(padded[axis]);
    dims.push_back(padded[axis]);
  }
  x->dims = split;
  call.outputs[0] = Permuted(*x, permutation);
  call.outputs[0].dims = dims;
  return absl::OkStatus();
}

absl::Status BatchToSpace(FloatCall& call, const Tensor& input) {
  const absl::StatusOr<Blocks> blocks = BlocksOf(call, input);
  if (!blocks.ok()) return blocks.status();
  const int axes = static_cast<int>(blocks->sizes.size());
  const absl::Span<const int64_t> crops = call.attributes.Ints("crops");
  if (static_cast<int>(crops.size()) != 2 * axes || input.dims[0] % blocks->positions != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat(crops.size(), " crops, and blocks of ", blocks->positions, " samples in ", DimsText(input.dims)));
  }
  Tensor x = input;
  Dims dims = {input.dims[0] / blocks->positions};
  x.dims = blocks->sizes;
  x.dims.push_back(dims[0]);
  std::vector<int> permutation = {axes};
  Dims starts, ends, cropped;
  for (int i = 0; i < axes; ++i) {
    permutation.insert(permutation.end(), {axes + 1 + i, i});
    const int64_t before = crops[i], after = crops[axes + i];
    int64_t size = 0;
    if (__builtin_mul_overflow(input.dims[1 + i], blocks->sizes[i], &size) || before < 0 || after < 0 ||
        before > size || after > size - before) {
      return absl::InvalidArgumentError(absl::StrCat("crops of ", before, " and ", after, " from ", size));
    }
    dims.push_back(size);
    starts.push_back(before);
    ends.push_back(size - after);
    cropped.push_back(1 + i);
  }
  for (size_t axis = 1; axis < input.dims.size(); ++axis) {
    x.dims.push_back(input.dims[axis]);
    if (static_cast<int>(axis) <= axes) continue;
    permutation.push_back(static_cast<int>(x.dims.size()) - 1);
    dims.push_back(input.dims[axis]);
  }
  Tensor whole = Permuted(x, permutation);
  whole.dims = dims;
  Attributes attributes;
  attributes.SetInts("starts", starts);
  attributes.SetInts("ends", ends);
  attributes.SetInts("axes", cropped);
  absl::StatusOr<Tensor> part = Moved(call, OpId::kSlice, attributes, whole);
  if (!part.ok()) return part.status();
  call.outputs[0] = *std::move(part);
  return absl::OkStatus();
}

// Inputs: a tensor, and what is written over a part of it, which begins at `starts`: as far in front as the part needs
// to lie within.
absl::Status Overwrite(FloatCall& call, const Tensor& x) {
  const Tensor* update = call.input(1);
  if (update == nullptr) return absl::InvalidArgumentError("what is written is not there");
  const absl::Span<const int64_t> starts = call.attributes.Ints("starts");
  const size_t rank = x.dims.size();
  bool fits = update->type == x.type && update->dims.size() == rank && starts.size() == rank;
  for (size_t i = 0; fits && i < rank; ++i) fits = update->dims[i] <= x.dims[i];
  if (!fits) {
    return absl::InvalidArgumentError(
        absl::StrCat("a part ", DimsText(update->dims), " at ", starts.size(), " positions of ", DimsText(x.dims)));
  }
  call.outputs[0] = x;
  if (update->data.empty()) return absl::OkStatus();
  const Dims strides = StridesOf(x.dims);
  int64_t to = 0;
  for (size_t i = 0; i < rank; ++i) {
    to += std::min(std::max<int64_t>(starts[i], 0), x.dims[i] - update->dims[i]) * strides[i];
  }
  const size_t width = ElementSize(x.type);
  const int64_t run = rank == 0 ? 1 : update->dims[rank - 1], runs = Count(update->dims) / run;
  Dims index(rank, 0);
  for (int64_t i = 0; i < runs; ++i) {
    std::memcpy(call.outputs[0].data.data() + to * width, update->data.data() + i * run * width, run * width);
    for (size_t axis = rank == 0 ? 0 : rank - 1; axis-- > 0;) {
      to += strides[axis];
      if (++index[axis] < update->dims[axis]) break;
      to -= strides[axis] * update->dims[axis];
      index[axis] = 0;
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status RunBlocks(FloatCall& call) {
  const Tensor* x = call.input(0);
  if (x == nullptr) return absl::InvalidArgumentError("its input is not there");
  switch (call.op) {
    case OpId::kSpaceToBatch:
      return SpaceToBatch(call, *x);
    case OpId::kBatchToSpace:
      return BatchToSpace(call, *x);
    default:  // kSliceScatter
      return Overwrite(call, *x);
  }
}

}  // namespace quantgate::simulator
