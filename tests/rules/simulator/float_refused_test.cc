// Operators on real numbers whose tensors and attributes do not go together: refused, and the numbers are named.
// What they compute otherwise is in graphs_test.cc.
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "rules/operators/operator.h"
#include "rules/simulator/float/float_kernel.h"

namespace quantgate::simulator {
namespace {

using testing::HasSubstr;

constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;
constexpr auto kNone = absl::StatusCode::kUnimplemented;
constexpr auto kTooLarge = absl::StatusCode::kResourceExhausted;
constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

Tensor Zeros(v1::DataType type, Dims dims) {
  Tensor tensor;
  tensor.type = type;
  EXPECT_TRUE(Allocate(dims, tensor).ok());
  return tensor;
}

Tensor Reals(Dims dims) { return Zeros(v1::DATA_TYPE_FLOAT32, std::move(dims)); }

Tensor Integers(const std::vector<int64_t>& values, Dims dims) {
  Tensor tensor = Zeros(v1::DATA_TYPE_INT64, std::move(dims));
  std::copy(values.begin(), values.end(), tensor.as<int64_t>().begin());
  return tensor;
}

struct Case {
  OpId op;
  std::vector<Tensor> inputs;
  std::function<void(Attributes&)> attributes;
  absl::StatusCode code = kInvalid;
  std::string says;
  size_t outputs = 1;
  Layout layout = Layout::kChannelsFirst;
};

absl::Status RunCase(const Case& c, int64_t max_bytes = 1 << 24) {
  Attributes attributes;
  if (c.attributes) c.attributes(attributes);
  std::vector<const Tensor*> inputs;
  // Of no type: omitted.
  for (const Tensor& input : c.inputs) inputs.push_back(input.type == v1::DATA_TYPE_UNSPECIFIED ? nullptr : &input);
  std::vector<Tensor> outputs(c.outputs);
  FloatCall call{c.op, c.layout, attributes, inputs, absl::MakeSpan(outputs), max_bytes};
  return RunFloatKernel(call);
}

std::function<void(Attributes&)> With(const std::string& name, std::vector<int64_t> values) {
  return [=](Attributes& to) { to.SetInts(name, values); };
}
std::function<void(Attributes&)> With(const std::string& name, int64_t value) {
  return [=](Attributes& to) { to.SetInt(name, value); };
}
std::function<void(Attributes&)> Both(std::function<void(Attributes&)> a, std::function<void(Attributes&)> b) {
  return [=](Attributes& to) {
    a(to);
    b(to);
  };
}

std::vector<Case> Cases() {
  const Tensor x = Reals({2, 3, 4}), absent, indices = Integers({0, 5}, {2});
  const Tensor image = Reals({1, 4, 5, 5}), weight = Reals({2, 4, 3, 3});
  const auto slice = [](std::vector<int64_t> starts, std::vector<int64_t> ends, std::vector<int64_t> axes,
                        std::vector<int64_t> steps) {
    return [=](Attributes& to) {
      to.SetInts("starts", starts);
      to.SetInts("ends", ends);
      to.SetInts("axes", axes);
      to.SetInts("steps", steps);
    };
  };
  const auto pad = [](std::vector<int64_t> pads, const std::string& mode) {
    return [=](Attributes& to) {
      to.SetInts("pads", pads);
      to.SetText("mode", mode);
    };
  };
  const auto unsigned_number = [](uint64_t value) {
    Tensor tensor = Zeros(v1::DATA_TYPE_UINT64, {1});
    tensor.as<uint64_t>()[0] = value;
    return tensor;
  };
  std::vector<Case> cases = {
      {OpId::kMaximum, {unsigned_number(~uint64_t{0}), unsigned_number(1)}, nullptr, kNone, "beyond those of int64"},
      {OpId::kMaximum, {unsigned_number(kMost), unsigned_number(1)}, nullptr, absl::StatusCode::kOk, ""},
      // Element-wise.
      {OpId::kAdd, {Reals({2, 3}), Reals({2, 4})}, nullptr, kInvalid, "shapes [2, 3] and [2, 4] do not broadcast"},
      {OpId::kAdd, {absent, x}, nullptr, kInvalid, "an operand is not there"},
      {OpId::kAdd, {Zeros(v1::DATA_TYPE_FLOAT16, {2}), Integers({1}, {1})}, nullptr, kNone, "integers of type float16"},
      {OpId::kBitwiseAnd, {x, x}, nullptr, kInvalid, "bits of real numbers"},
      {OpId::kBitwiseAnd, {Integers({1}, {1}), x}, nullptr, kInvalid, "bits of real numbers"},
      {OpId::kWhere, {x, x, absent}, nullptr, kInvalid, "an operand is not there"},
      {OpId::kWhere, {x, absent, x}, nullptr, kInvalid, "an operand is not there"},
      {OpId::kWhere, {absent, x, x}, nullptr, kInvalid, "an operand is not there"},
      {OpId::kWhere,
       {Zeros(v1::DATA_TYPE_BOOL, {2}), Integers({1, 2}, {2}), Zeros(v1::DATA_TYPE_INT8, {2})},
       nullptr,
       kInvalid,
       "of different types"},
      {OpId::kWhere, {Zeros(v1::DATA_TYPE_BOOL, {3}), Reals({2}), Reals({2})}, nullptr, kInvalid, "do not broadcast"},
      {OpId::kWhere, {Zeros(v1::DATA_TYPE_BOOL, {2}), Reals({3}), Reals({2})}, nullptr, kInvalid, "do not broadcast"},
      {OpId::kRelu, {absent}, nullptr, kInvalid, "input 0 is not there"},
      {OpId::kIsNaN, {absent}, nullptr, kInvalid, "input 0 is not there"},
      {OpId::kErf, {Zeros(v1::DATA_TYPE_FLOAT16, {2})}, nullptr, kNone, "no kernels"},
      {OpId::kErfInv, {x}, nullptr, kNone, "the simulator has no kernel for"},
      // Sums of products.
      {OpId::kMatMul, {Reals({2, 3}), Reals({4, 2})}, nullptr, kInvalid, "matrices (2, 3) and (4, 2)"},
      {OpId::kMatMul, {Reals({2, 2, 3}), Reals({3, 3, 2})}, nullptr, kInvalid, "do not broadcast"},
      {OpId::kMatMul, {Reals({}), Reals({3})}, nullptr, kInvalid, "matrices () and (3)"},
      {OpId::kMatMul, {Reals({3}), Reals({})}, nullptr, kInvalid, "matrices (3) and ()"},
      {OpId::kMatMul, {Reals({2, 3}), Integers({1}, {1})}, nullptr, kNone, "input 1 is of DATA_TYPE_INT64"},
      {OpId::kGemm, {Reals({2, 3}), Reals({3, 2}), Reals({3})}, nullptr, kInvalid, ""},
      {OpId::kLinear, {Reals({2, 3}), Reals({2, 4})}, nullptr, kInvalid, ""},
      {OpId::kConv, {Reals({1, 4}), weight}, nullptr, kInvalid, "data (1, 4) and weight (2, 4, 3, 3)"},
      {OpId::kConv, {image, Reals({2, 4, 3})}, nullptr, kInvalid, "data (1, 4, 5, 5) and weight (2, 4, 3)"},
      {OpId::kConv, {image, weight, Integers({1, 2}, {2})}, nullptr, kNone, "input 2 is of"},
      {OpId::kConv, {Integers({1}, {1, 1, 1}), weight}, nullptr, kNone, "input 0 is of"},
      {OpId::kConv, {image, weight, Reals({3})}, nullptr, kInvalid, "3 biases do not go together"},
      {OpId::kConv, {image, weight}, With("group", 2), kInvalid, "2 groups"},
      {OpId::kConv, {image, weight}, With("group", 0), kInvalid, "0 groups"},
      {OpId::kConv, {image, weight}, With("strides", {0, 1}), kInvalid, "strides is 0"},
      {OpId::kConv, {image, weight}, With("strides", {kMost}), kInvalid, "strides is 9223372036854775807"},
      {OpId::kConv, {image, weight}, With("dilations", {-1, 1}), kInvalid, "dilations is -1"},
      {OpId::kConv, {image, weight}, With("dilations", int64_t{1} << 40), kInvalid, "a dilation of"},
      {OpId::kConv, {image, weight}, With("dilations", {1, 1, 1, 1}), absl::StatusCode::kOk, ""},
      {OpId::kConv, {image, weight}, With("pads", {-1, 0, 0, 0}), kInvalid, "pads is -1"},
      {OpId::kConv, {image, weight}, With("pads", {1, 1}), kInvalid, "pads has 2 values"},
      {OpId::kConv, {image, Reals({2, 4, 6, 6})}, nullptr, kInvalid, "a window of 6 over 5"},
      {OpId::kConv, {image, Reals({2, 4, 0, 1})}, nullptr, kInvalid, "a kernel of size 0"},
      {OpId::kConvTranspose, {image, Reals({3, 2, 3, 3})}, nullptr, kInvalid, "do not go together"},
      {OpId::kConvTranspose, {image, Reals({4, 2, 3, 3})}, With("strides", {0, 1}), kInvalid, "stride or dilation of 0"},
      {OpId::kConvTranspose, {image, Reals({4, 2, 3, 3})}, With("pads", {9, 9, 9, 9}), kInvalid, "an output of -11"},
      {OpId::kConvTranspose, {image, Reals({4, 2, 3, 3})}, With("pads", {-1, 0, 0, 0}), kInvalid, "a pad of -1"},
      {OpId::kConvTranspose, {image, Reals({4, 2, 3, 3})}, With("output_shape", {0, 7}), kInvalid, "an output of 0"},
      // Windows and channels.
      {OpId::kMaxPool, {Reals({2, 3})}, With("kernel_shape", {2}), kInvalid, "fewer than three axes"},
      {OpId::kMaxPool, {image}, With("kernel_shape", {2}), kInvalid, "a kernel of rank 1 over 2 axes"},
      {OpId::kMaxPool, {image}, With("kernel_shape", {2, 2}), kNone, "where its maxima are", 2},
      {OpId::kMaxPool, {image}, With("kernel_shape", {6, 6}), kInvalid, "a window of 6 over 5"},
      {OpId::kMaxPool,
       {image},
       Both(With("kernel_shape", {6, 6}), With("toward_zero", 1)),
       kNone,
       "a window of 6 over 5"},
      {OpId::kMaxPool,
       {image},
       Both(With("kernel_shape", {6, 6}), With("ceil_mode", 1)),
       kInvalid,
       "a window of 6 over 5"},
      {OpId::kMaxPool,
       {image},
       Both(Both(With("kernel_shape", {6, 6}), With("strides", {2, 2})), With("ceil_mode", 1)),
       absl::StatusCode::kOk,
       ""},
      {OpId::kAdaptiveAveragePool, {image}, With("sizes", {2}), kInvalid, "1 sizes for"},
      {OpId::kSoftmax, {x}, With("axis", 3), kInvalid, "axis 3 of rank 3"},
      {OpId::kSoftmax, {Integers({1}, {1})}, nullptr, kNone, "not of real numbers"},
      {OpId::kBatchNorm, {Reals({3})}, nullptr, kInvalid, "too low a rank"},
      {OpId::kLayerNorm, {Reals({})}, nullptr, kInvalid, "too low a rank"},
      {OpId::kLayerNorm, {x, Reals({3})}, nullptr, kInvalid, "3 parameters where 4 are needed"},
      {OpId::kLayerNorm, {x, Reals({4}), Reals({5})}, nullptr, kInvalid, "5 parameters where 4 are needed"},
      {OpId::kLayerNorm, {x}, With("axis", -4), kInvalid, "axis -4"},
      {OpId::kLpNorm, {x}, With("axis", 3), kInvalid, "axis 3"},
      {OpId::kGroupNorm, {x}, With("num_groups", 2), kInvalid, "2 groups of 3 channels"},
      {OpId::kGroupNorm, {x}, With("num_groups", 0), kInvalid, "0 groups"},
      {OpId::kInstanceNorm, {x, Reals({2})}, nullptr, kInvalid, "2 parameters where 3 are needed"},
      {OpId::kBatchNorm, {x, Reals({3}), Reals({3}), Reals({2}), Reals({3})}, nullptr, kInvalid, "2 parameters"},
      {OpId::kBatchNorm, {x, Reals({3}), Reals({3}), Reals({3}), Reals({2})}, nullptr, kInvalid, "3 parameters"},
      {OpId::kBatchNorm, {x}, nullptr, kNone, "channels last", 1, Layout::kChannelsLast},
      // Reductions and selections.
      {OpId::kReduceSum, {x}, With("axes", {3}), kInvalid, "axis 3"},
      {OpId::kReduceSum, {absent}, nullptr, kInvalid, "not there"},
      {OpId::kReduceSum, {Zeros(v1::DATA_TYPE_FLOAT16, {2})}, nullptr, kNone, "float16"},
      {OpId::kArgMax, {absent}, nullptr, kInvalid, "not there"},
      {OpId::kArgMax, {x}, With("axis", 5), kInvalid, "axis 5"},
      {OpId::kArgMax, {Reals({2, 0})}, With("axis", 1), kInvalid, "the largest of no elements"},
      {OpId::kTopK, {x}, With("k", 9), kInvalid, "the 9 largest of 2"},
      {OpId::kTopK, {x}, With("k", -1), kInvalid, "the -1 largest of 2"},
      {OpId::kCumSum, {Zeros(v1::DATA_TYPE_INT8, {2})}, nullptr, kNone, "cumulative sums of this type"},
      // Moving.
      {OpId::kReshape, {x}, With("shape", {5, -1}), kInvalid, "a tensor (2, 3, 4) cannot have the shape (5, -1)"},
      {OpId::kReshape, {x}, With("shape", {5, 5}), kInvalid, "cannot have the shape (5, 5)"},
      {OpId::kReshape, {x}, With("shape", {-1, -1}), kInvalid, "the shape (-1, -1)"},
      {OpId::kReshape, {x}, With("shape", {-2}), kInvalid, "the shape (-2)"},
      {OpId::kReshape, {x}, With("shape", {kMost, 4}), kInvalid, "the shape"},
      {OpId::kReshape, {absent}, nullptr, kInvalid, "not there"},
      {OpId::kFlatten, {x}, With("axis", 4), kInvalid, "axis 4"},
      {OpId::kFlatten, {x}, With("axis", -4), kInvalid, "axis -4"},
      {OpId::kSqueeze, {x}, With("axes", {3}), kInvalid, "axis 3"},
      {OpId::kUnsqueeze, {x}, With("axes", {4}), kInvalid, "axis 4 of rank 4"},
      {OpId::kTranspose, {x}, With("perm", {0, 1}), kInvalid, "the permutation (0, 1) of 3 axes"},
      {OpId::kTranspose, {x}, With("perm", {0, 1, 1}), kInvalid, "the permutation (0, 1, 1)"},
      {OpId::kTranspose, {x}, With("perm", {0, 1, 2, 3}), kInvalid, "the permutation (0, 1, 2, 3)"},
      {OpId::kTranspose, {x}, With("perm", {0, 1, 7}), kInvalid, "the permutation (0, 1, 7)"},
      {OpId::kConcat, {absent}, nullptr, kInvalid, "no inputs"},
      {OpId::kConcat, {x, Reals({2, 3})}, nullptr, kInvalid, "tensors (2, 3, 4) of float32 and (2, 3) of float32 do not go together"},
      {OpId::kConcat, {x, Reals({2, 2, 4})}, nullptr, kInvalid, "tensors (2, 3, 4) of float32 and (2, 2, 4) of float32"},
      {OpId::kConcat, {x, Integers({}, {2, 3, 4})}, With("axis", 0), kInvalid, "of float32 and (2, 3, 4) of int64"},
      {OpId::kConcat, {x, Integers({}, {2, 3, 4})}, With("promote", 1), absl::StatusCode::kOk, ""},
      {OpId::kConcat,
       {Zeros(v1::DATA_TYPE_INT32, {2}), Integers({}, {2})},
       With("promote", 1),
       kNone,
       "integers of several types"},
      {OpId::kConcat, {x, Integers({1}, {1, 1, 1})}, nullptr, kInvalid, "do not go together"},
      {OpId::kConcat, {x}, With("axis", 3), kInvalid, "axis 3"},
      {OpId::kSplit, {x}, With("axis", 3), kInvalid, "axis 3", 2},
      {OpId::kSplit, {x}, With("sizes", {1, 2}), kInvalid, "parts (1, 2) of 2 for 2 outputs", 2},
      {OpId::kSplit, {x}, With("sizes", {1, 1}), kInvalid, "for 3 outputs", 3},
      {OpId::kSplit, {x}, With("sizes", {-1, 1}), kInvalid, "a part of -1 of 2", 2},
      {OpId::kSplit, {x}, With("sizes", {3}), kInvalid, "a part of 3 of 2"},
      {OpId::kUnstack, {x}, With("axis", 0), kInvalid, "parts (1, 1, 1) of 2 for 3 outputs", 3},
      {OpId::kSlice, {x}, slice({0}, {1, 2}, {}, {}), kInvalid, "not of one length"},
      {OpId::kSlice, {x}, slice({0}, {1}, {0, 1}, {}), kInvalid, "not of one length"},
      {OpId::kSlice, {x}, slice({0}, {1}, {}, {1, 1}), kInvalid, "not of one length"},
      {OpId::kSlice, {x}, slice({0}, {1}, {4}, {}), kInvalid, "axis 4"},
      {OpId::kSlice, {x}, slice({0}, {1}, {0}, {0}), kInvalid, "a step of 0"},
      {OpId::kSlice, {x}, slice({0}, {1}, {0}, {-kMost - 1}), kInvalid, "a step"},
      {OpId::kSelect, {x}, With("axis", 3), kInvalid, "axis 3"},
      {OpId::kSelect, {x}, With("index", 2), kInvalid, "index 2"},
      {OpId::kSelect, {x}, With("index", -3), kInvalid, "index -1"},
      {OpId::kExpand, {x}, With("shape", {2, 5, 4}), kInvalid, "a tensor (2, 3, 4) expanded to (2, 5, 4)"},
      {OpId::kTile, {x}, With("repeats", {1, -1, 1}), kInvalid, "-1 repeats"},
      {OpId::kTile, {x}, With("repeats", {1, kMost, 1}), kInvalid, "9223372036854775807 repeats"},
      {OpId::kPad, {x}, pad({1, 1}, "constant"), kInvalid, "2 pads for 3 axes"},
      {OpId::kPad, {x}, pad({0, -4, 0, 0, 0, 0}, "constant"), kInvalid, "pads (0, -4, 0, 0, 0, 0) of (2, 3, 4)"},
      {OpId::kPad, {x}, pad({0, kMost, 0, 0, 0, 0}, "constant"), kInvalid, "pads (0, 9223372036854775807"},
      {OpId::kPad, {x}, pad({0, 3, 0, 0, 0, 0}, "reflect"), kInvalid, "mirrored in (2, 3, 4)"},
      {OpId::kPad, {x}, pad({0, 0, 0, 0, 4, 0}, "symmetric"), kInvalid, "mirrored in (2, 3, 4)"},
      {OpId::kPad, {Reals({0})}, pad({1, 0}, "edge"), kInvalid, "nothing to pad with in (0)"},
      {OpId::kFlip, {x}, With("axes", {3}), kInvalid, "axis 3"},
      {OpId::kDepthToSpace, {image}, With("blocksize", 3), kInvalid, "blocks of 3 of (1, 4, 5, 5)"},
      {OpId::kDepthToSpace, {image}, With("blocksize", 0), kInvalid, "blocks of 0"},
      {OpId::kDepthToSpace, {x}, With("blocksize", 2), kInvalid, "blocks of 2"},
      // Its square is 0 in 64 bits.
      {OpId::kDepthToSpace, {image}, With("blocksize", int64_t{1} << 32), kInvalid, "blocks of 4294967296"},
      {OpId::kSpaceToDepth, {image}, With("blocksize", 2), kInvalid, "blocks of 2 of (1, 4, 5, 5)"},
      {OpId::kTriangle, {Reals({3})}, nullptr, kInvalid, "a triangle of a vector"},
      {OpId::kFlip, {absent}, nullptr, kInvalid, "not there"},
      // Indices.
      {OpId::kGather, {x, indices}, nullptr, kInvalid, "index 5 of 2 elements"},
      {OpId::kGather, {x, Integers({-3}, {1})}, nullptr, kInvalid, "index -3 of 2 elements"},
      {OpId::kGather, {x, absent}, nullptr, kInvalid, "its indices are not there"},
      {OpId::kGather, {x, x}, nullptr, kNone, "integers of type float32"},
      {OpId::kGather, {Reals({}), indices}, nullptr, kInvalid, "or a scalar"},
      {OpId::kGather, {absent, indices}, nullptr, kInvalid, "its data is not there"},
      {OpId::kGather, {x, indices}, With("axis", 3), kInvalid, "axis 3"},
      {OpId::kGather, {x, indices}, With("batch_dims", 1), kInvalid, "1 batch axes"},
      {OpId::kGather, {x, indices}, With("batch_dims", -1), kInvalid, "-1 batch axes"},
      {OpId::kGather,
       {x, Integers({0, 0, 0}, {3})},
       Both(With("batch_dims", 1), With("axis", 1)),
       kInvalid,
       "batches of data and of indices differ"},
      {OpId::kGatherElements, {x, indices}, nullptr, kInvalid, "another rank"},
      {OpId::kGatherElements, {x, Integers({2}, {1, 1, 1})}, nullptr, kInvalid, "index 2 of 2"},
      {OpId::kGatherElements, {x, Integers({0, 0, 0, 0}, {1, 4, 1})}, nullptr, kInvalid, "index 3 of 3"},
      {OpId::kGatherNd, {x, Integers({0}, {})}, nullptr, kInvalid, "indices without axes"},
      {OpId::kGatherNd, {x, Integers({0, 0, 0, 0}, {4})}, nullptr, kInvalid, "indices of 4 axes"},
      {OpId::kGatherNd, {x, Integers({0, 0}, {2})}, With("batch_dims", 1), kInvalid, "1 batch axes"},
      {OpId::kGatherNd, {x, Integers({0}, {1, 1})}, With("batch_dims", 1), kInvalid, "batches of data"},
      {OpId::kGatherNd, {x, Integers({0, 3}, {2})}, nullptr, kInvalid, "index 3 of 3"},
      {OpId::kIndex, {x}, nullptr, kInvalid, "0 indices"},
      {OpId::kIndex, {Reals({2}), indices, indices}, nullptr, kInvalid, "2 indices"},
      {OpId::kIndex, {x, indices}, nullptr, kInvalid, "index 5 of 2"},
      {OpId::kIndex, {x, indices, absent}, nullptr, kNone, "an index of all between others"},
      {OpId::kIndex, {x, Zeros(v1::DATA_TYPE_BOOL, {2})}, nullptr, kNone, "a mask"},
      {OpId::kIndex, {x, Integers({0, 0}, {2}), Integers({0, 0, 0}, {3})}, nullptr, kInvalid, "do not broadcast"},
      // Differences.
      {OpId::kDiff, {x}, With("n", 2), kNone, "differences of differences"},
      {OpId::kDiff, {absent}, nullptr, kInvalid, "input 0 is not there"},
      {OpId::kDiff, {x}, With("axis", 3), kInvalid, "axis 3"},
      {OpId::kDiff, {x, Reals({2, 3})}, nullptr, kInvalid, "shapes (2, 3) and (2, 3, 4) do not meet"},
      {OpId::kDiff, {Zeros(v1::DATA_TYPE_INT8, {2})}, nullptr, kNone, "differences of DATA_TYPE_INT8"},
      // Tensors out of numbers.
      {OpId::kShape, {absent}, nullptr, kInvalid, "not there"},
      {OpId::kRange, {Reals({1}), Reals({1}), absent}, nullptr, kInvalid, "a range without its numbers"},
      {OpId::kRange, {Reals({1}), Reals({1}), Reals({2})}, nullptr, kInvalid, "a range without its numbers"},
      {OpId::kRange, {Reals({1}), Reals({1}), Reals({1})}, nullptr, kInvalid, "a range from 0 to 0 by 0"},
      {OpId::kRange,
       {Integers({kMost}, {1}), Integers({kMost}, {1}), Integers({1}, {1})},
       nullptr,
       kInvalid,
       "a range of integers from 9.22337e+18 by 1"},
      {OpId::kFill, {}, With("shape", {2, -1}), kInvalid, ""},
      {OpId::kFill, {}, Both(With("shape", {2}), With("to", v1::DATA_TYPE_FLOAT8_E5M2)), kNone, ""},
      // Sizes.
      {OpId::kResize, {image}, With("sizes", {0, 2}), kInvalid, "a resize of 5 elements to 0"},
      {OpId::kResize, {Integers({1}, {1})}, nullptr, kNone, "not of real numbers"},
      {OpId::kResize, {image}, [](Attributes& to) { to.SetText("mode", "spline"); }, kNone, "a resize in mode spline"},
      {OpId::kResize,
       {image},
       [](Attributes& to) {
         to.SetInt("antialias", 1);
         to.SetText("coordinate_transformation_mode", "asymmetric");
       },
       kNone,
       "antialiasing in other coordinates"},
      {OpId::kResize,
       {image},
       [](Attributes& to) { to.SetText("coordinate_transformation_mode", "tf_crop_and_resize"); },
       kInvalid,
       "a region that has not two ends an axis"},
  };
  return cases;
}

TEST(FloatKernels, WhatDoesNotGoTogetherIsRefused) {
  for (const Case& c : Cases()) {
    const absl::Status status = RunCase(c);
    EXPECT_EQ(status.code(), c.code) << GetOperator(c.op).name << ": " << status << ", not '" << c.says << "'";
    EXPECT_THAT(std::string(status.message()), HasSubstr(c.says)) << GetOperator(c.op).name;
  }
}

TEST(FloatKernels, NoOutputs) {
  const Case c{OpId::kRelu, {Reals({2})}, nullptr, kInvalid, "no outputs", 0};
  EXPECT_EQ(RunCase(c).code(), kInvalid);
}

// Each of these is fine with more bytes.
TEST(FloatKernels, NothingIsLargerThanAllowed) {
  const Tensor x = Reals({4, 4}), image = Reals({1, 4, 6, 6});
  const std::vector<Case> cases = {
      {OpId::kRelu, {x}},
      {OpId::kAdd, {x, Reals({4})}},
      {OpId::kEqual, {x, x}},
      {OpId::kAdd, {Integers({}, {4, 4}), Integers({}, {4, 4})}},
      {OpId::kWhere, {Zeros(v1::DATA_TYPE_BOOL, {4, 4}), x, x}},
      {OpId::kCast, {x}, With("to", v1::DATA_TYPE_INT64)},
      {OpId::kMatMul, {x, x}},
      {OpId::kGemm, {x, x}},
      {OpId::kConv, {image, Reals({2, 4, 3, 3})}},
      {OpId::kConvTranspose, {image, Reals({4, 2, 3, 3})}},
      {OpId::kMaxPool, {image}, With("kernel_shape", {2, 2})},
      {OpId::kGlobalAveragePool, {Reals({4, 4, 2})}},
      {OpId::kAdaptiveAveragePool, {image}, With("sizes", {3, 3})},
      {OpId::kSoftmax, {x}},
      {OpId::kLayerNorm, {x}},
      {OpId::kReduceSum, {image}, With("axes", {1})},
      {OpId::kArgMax, {Reals({1, 40})}},
      {OpId::kMaxDim, {Reals({1, 40})}, With("axis", 0)},
      {OpId::kTopK, {image}, Both(With("axis", 3), With("k", 3))},
      {OpId::kCumSum, {x}},
      {OpId::kCumSum, {Integers({}, {4, 4})}},
      {OpId::kConcat, {x, x}},
      {OpId::kSplit, {Reals({40, 2})}, nullptr, kInvalid, "", 2},
      {OpId::kSlice, {x}},
      {OpId::kSelect, {Reals({2, 40})}},
      {OpId::kExpand, {Reals({1})}, With("shape", {40})},
      {OpId::kTile, {Reals({1})}, With("repeats", {40})},
      {OpId::kPad, {Reals({1})}, With("pads", {20, 20})},
      {OpId::kFlip, {x}, With("axes", {0})},
      {OpId::kGather, {x, Integers({}, {4})}},
      {OpId::kGatherElements, {x, Integers({}, {4, 4})}},
      {OpId::kGatherNd, {x, Integers({}, {40, 2})}},
      {OpId::kDiff, {Reals({40})}},
      {OpId::kFill, {}, With("shape", {40})},
      {OpId::kFill, {}, Both(With("shape", {40}), With("to", v1::DATA_TYPE_INT32))},
      {OpId::kRange, {Integers({0}, {1}), Integers({40}, {1}), Integers({1}, {1})}},
      {OpId::kResize, {image}, With("sizes", {9, 9})},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(RunCase(c, 15).code(), kTooLarge) << GetOperator(c.op).name << ": " << RunCase(c, 15);
    EXPECT_TRUE(RunCase(c).ok()) << GetOperator(c.op).name << ": " << RunCase(c);
  }
}

}  // namespace
}  // namespace quantgate::simulator
