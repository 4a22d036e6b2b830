// Quantized operators whose tensors, parameters and attributes do not go together, under every profile: refused with
// the numbers, or not computed in integers there. What they compute otherwise is in golden_test.cc.
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "rules/operators/operator.h"
#include "rules/simulator/kernel.h"

namespace quantgate::simulator {
namespace {

using testing::HasSubstr;
using Shape = std::vector<int64_t>;

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

QTensor Stored(Shape dims, v1::DataType type = v1::DATA_TYPE_INT8, float scale = 0.1f, int64_t zero = 0) {
  QTensor tensor;
  tensor.tensor.type = type;
  EXPECT_TRUE(Allocate(dims, tensor.tensor).ok());
  tensor.q.scales = {scale};
  tensor.q.zero_points = {zero};
  return tensor;
}

QTensor Indices(const std::vector<int64_t>& values) {
  QTensor tensor;
  tensor.tensor.type = v1::DATA_TYPE_INT64;
  EXPECT_TRUE(Allocate({static_cast<int64_t>(values.size())}, tensor.tensor).ok());
  std::copy(values.begin(), values.end(), tensor.tensor.as<int64_t>().begin());
  return tensor;
}

QTensor With(QTensor tensor, const std::function<void(QTensor&)>& change) {
  change(tensor);
  return tensor;
}

struct Case {
  OpId op;
  std::vector<QTensor> inputs;
  std::string says;
  std::function<void(Attributes&)> attributes;
  size_t outputs = 1;
};

absl::Status RunCase(const Case& c, const Profile& profile, v1::DataType type = v1::DATA_TYPE_INT8,
                     float scale = 0.1f) {
  Attributes attributes;
  if (c.attributes) c.attributes(attributes);
  std::vector<const QTensor*> inputs;
  for (const QTensor& input : c.inputs) {
    inputs.push_back(input.tensor.type == v1::DATA_TYPE_UNSPECIFIED ? nullptr : &input);
  }
  std::vector<QTensor> outputs(c.outputs);
  for (QTensor& output : outputs) {
    output.tensor.type = type;
    output.q.scales = {scale};
    output.q.zero_points = {0};
  }
  KernelCall call{.op = c.op,
                  .layout = Layout::kChannelsFirst,
                  .attributes = &attributes,
                  .inputs = inputs,
                  .outputs = absl::MakeSpan(outputs)};
  return RunKernel(profile, call);
}

std::function<void(Attributes&)> Ints(std::vector<std::pair<std::string, std::vector<int64_t>>> all) {
  return [=](Attributes& to) {
    for (const auto& [name, values] : all) to.SetInts(name, values);
  };
}

std::vector<Case> Cases() {
  const QTensor x = Stored({2, 3, 4}), image = Stored({1, 4, 5, 5}), kernel = Stored({2, 4, 3, 3}), absent;
  const auto scales = [](std::vector<float> given, int axis) {
    return [=](QTensor& tensor) {
      tensor.q.scales = given;
      tensor.q.zero_points.assign(given.size(), 0);
      tensor.q.axis = axis;
    };
  };
  return {
      // What every operand has to be.
      {OpId::kRelu, {}, "0 inputs and 1 outputs"},
      {OpId::kRelu, {x}, "1 inputs and 0 outputs", nullptr, 0},
      {OpId::kAdd, {x, absent}, "input 1 is absent"},
      {OpId::kRelu, {With(x, [](QTensor& t) { t.tensor.data.pop_back(); })}, "input 0: a tensor of shape [2, 3, 4]"},
      {OpId::kRelu, {With(x, [](QTensor& t) { t.tensor.dims = {-1}; })}, "a negative size, -1"},
      {OpId::kRelu, {Stored({2}, v1::DATA_TYPE_INT8, 0)}, "scale 0"},
      {OpId::kRelu, {Stored({2}, v1::DATA_TYPE_INT8, -1)}, "scale -1"},
      {OpId::kRelu, {Stored({2}, v1::DATA_TYPE_INT8, std::numeric_limits<float>::infinity())}, "scale inf"},
      {OpId::kRelu, {Stored({2}, v1::DATA_TYPE_INT8, std::numeric_limits<float>::quiet_NaN())}, "scale nan"},
      {OpId::kRelu, {Stored({2}, v1::DATA_TYPE_INT8, 1, 128)}, "zero point 128 of type int8"},
      {OpId::kRelu, {Stored({2}, v1::DATA_TYPE_UINT8, 1, -1)}, "zero point -1 of type uint8"},
      {OpId::kRelu, {With(x, scales({1, 1}, 1))}, "2 scales where axis 1 asks for 3"},
      {OpId::kRelu, {With(x, scales({1, 1}, 3))}, "2 scales for axis 3 of a tensor of rank 3"},
      {OpId::kRelu,
       {With(x,
             [](QTensor& t) {
               t.q.zero_points = {0, 0};
             })},
       "2 zero points for 1 scales"},
      // Sums of products.
      {OpId::kConv, {Stored({1, 4}), kernel}, "a convolution of shape [1, 4] with weights of shape [2, 4, 3, 3]"},
      {OpId::kConv, {image, Stored({2, 3, 3, 3})}, "weights of shape [2, 3, 3, 3] in 1 groups over 4 channels"},
      {OpId::kConv, {image, kernel}, "group is 0", Ints({{"group", {0}}})},
      {OpId::kConv, {image, kernel}, "strides is 0", Ints({{"strides", {0, 1}}})},
      {OpId::kConv, {image, kernel}, "dilations is -1", Ints({{"dilations", {-1}}})},
      {OpId::kConv, {image, kernel}, "pads has 2 values", Ints({{"pads", {1, 1}}})},
      {OpId::kConv, {image, Stored({2, 4, 7, 7})}, "a window of 7 over 5"},
      {OpId::kConv, {image, kernel, Stored({3}, v1::DATA_TYPE_INT32, 0.01f)}, "a bias of 3 elements for 2 channels"},
      {OpId::kConv, {image, With(kernel, scales({1, 1, 1, 1}, 1))}, "4 weight scales for 2 channels"},
      {OpId::kConvTranspose, {image, Stored({3, 2, 3, 3})}, "weights of shape [3, 2, 3, 3]"},
      {OpId::kConvTranspose, {image, Stored({4, 2, 3, 3})}, "0", Ints({{"strides", {0, 1}}})},
      {OpId::kMatMul, {Stored({2, 3}), Stored({4, 2})}, "a product of [2, 3] and [4, 2]"},
      {OpId::kMatMul, {Stored({}), Stored({4, 2})}, "a matrix product of a scalar"},
      {OpId::kMatMul, {Stored({2, 2, 3}), Stored({3, 3, 2})}, "do not broadcast"},
      {OpId::kLinear, {Stored({2, 3}), Stored({2, 3, 1})}, "weights of rank 3 of a linear layer"},
      {OpId::kLinear, {Stored({2, 3}), Stored({2, 4})}, "a product of"},
      {OpId::kGemm, {Stored({2, 3}), Stored({4, 2})}, "a product of [2, 3] and [4, 2]"},
      // Element-wise, pools and normalizations.
      {OpId::kAdd, {x, Stored({2})}, "shapes [2, 3, 4] and [2] do not broadcast"},
      {OpId::kMul, {x, Stored({2})}, "do not broadcast"},
      {OpId::kDiv, {x, Stored({2})}, "do not broadcast"},
      {OpId::kMaximum, {x, Stored({2})}, "do not broadcast"},
      {OpId::kWhere, {With(Stored({3}, v1::DATA_TYPE_BOOL), [](QTensor& t) { t.q = {}; }), x, x}, "do not broadcast"},
      {OpId::kMaxPool, {image}, "a kernel of rank 1 over 2 axes", Ints({{"kernel_shape", {2}}})},
      {OpId::kAveragePool, {image}, "a window of 9 over 5", Ints({{"kernel_shape", {9, 9}}})},
      {OpId::kReduceMean, {x}, "axis 3 of rank 3", Ints({{"axes", {3}}})},
      {OpId::kSoftmax, {x}, "axis -4 of rank 3", Ints({{"axis", {-4}}})},
      {OpId::kSoftmax, {Stored({})}, "a softmax of a scalar"},
      {OpId::kLayerNorm, {Stored({})}, "a normalization of a scalar"},
      {OpId::kLayerNorm, {x, Stored({3})}, "a parameter of 3 elements for 4"},
      {OpId::kLayerNorm, {x}, "axis 5 of rank 3", Ints({{"axis", {5}}})},
      {OpId::kInstanceNorm, {Stored({3})}, "a normalization of rank 1"},
      {OpId::kInstanceNorm, {x, Stored({2})}, "a parameter of 2 elements for 3 channels"},
      {OpId::kGroupNorm, {x}, "2 groups of 3 channels", Ints({{"num_groups", {2}}})},
      // Moving.
      {OpId::kReshape, {x}, "[2, 3, 4] as [5, 5]", Ints({{"shape", {5, 5}}})},
      {OpId::kReshape, {x}, "a shape with size -2", Ints({{"shape", {-2}}})},
      {OpId::kReshape, {x}, "[2, 3, 4] as", Ints({{"shape", {5, -1}}})},
      {OpId::kSqueeze, {x}, "squeezing an axis of size 3", Ints({{"axes", {1}}})},
      {OpId::kUnsqueeze, {x}, "repeated axes", Ints({{"axes", {0, 0}}})},
      {OpId::kFlatten, {x}, "axis 4 of rank 3", Ints({{"axis", {4}}})},
      {OpId::kFlatten, {x}, "axis -4 of rank 3", Ints({{"axis", {-4}}})},
      {OpId::kTranspose, {x}, "perm has 2 axes", Ints({{"perm", {0, 1}}})},
      {OpId::kTranspose, {x}, "perm names axis 1 twice", Ints({{"perm", {0, 1, 1}}})},
      {OpId::kTranspose, {x}, "axis 7 of rank 3", Ints({{"perm", {0, 1, 7}}})},
      {OpId::kSlice, {x}, "a slice of 1 starts and 2 ends", Ints({{"starts", {0}}, {"ends", {1, 2}}})},
      {OpId::kSlice, {x}, "a step of 0", Ints({{"starts", {0}}, {"ends", {1}}, {"steps", {0}}})},
      {OpId::kSlice,
       {x},
       "a step of -9223372036854775808",
       Ints({{"starts", {0}}, {"ends", {1}}, {"steps", {-kMost - 1}}})},
      {OpId::kSlice, {x}, "axis 4 of rank 3", Ints({{"starts", {0}}, {"ends", {1}}, {"axes", {4}}})},
      {OpId::kTile, {x}, "2 repeats", Ints({{"repeats", {1, 1}}})},
      {OpId::kTile, {x}, "-1 repeats", Ints({{"repeats", {1, -1, 1}}})},
      {OpId::kExpand, {x}, "do not broadcast", Ints({{"shape", {2, 5, 4}}})},
      {OpId::kPad, {x}, "2 pads", Ints({{"pads", {1, 1}}})},
      {OpId::kPad, {x}, "pads of", Ints({{"pads", {0, -9, 0, 0, 0, 0}}})},
      {OpId::kPad, {x}, "pads of 9223372036854775807", Ints({{"pads", {0, kMost, 0, 0, 0, 0}}})},
      {OpId::kPad,
       {x},
       "reflecting 3 of 3",
       [](Attributes& to) {
         to.SetInts("pads", {0, 3, 0, 0, 0, 0});
         to.SetText("mode", "reflect");
       }},
      {OpId::kConcat, {x, Stored({2, 3})}, "operands of a concatenation whose ranks differ"},
      {OpId::kConcat, {x, Stored({2, 2, 4})}, "sizes 3 and 2 meet in a concatenation along another axis"},
      {OpId::kConcat, {x}, "axis 3 of rank 3", Ints({{"axis", {3}}})},
      {OpId::kSplit, {x}, "a part of size -1 of 2", Ints({{"sizes", {-1, 3}}}), 2},
      {OpId::kSplit, {x}, "1 sizes", Ints({{"sizes", {2}}}), 2},
      {OpId::kSplit, {x}, "axis 3 of rank 3", Ints({{"axis", {3}}}), 2},
      {OpId::kGather, {x, Indices({5})}, "index 5 of 2"},
      {OpId::kGather, {x, Indices({-3})}, "index"},
      {OpId::kGather, {Stored({}), Indices({0})}, "gathering from a scalar"},
      {OpId::kGather, {x, Indices({0})}, "axis 3 of rank 3", Ints({{"axis", {3}}})},
      {OpId::kDepthToSpace, {image}, "blocks of 3 in [1, 4, 5, 5]", Ints({{"blocksize", {3}}})},
      {OpId::kDepthToSpace, {image}, "a block of 0", Ints({{"blocksize", {0}}})},
      {OpId::kSpaceToDepth, {x}, "a block of 2", Ints({{"blocksize", {2}}})},
      {OpId::kTopK, {x}, "the 9 largest of", Ints({{"k", {9}}})},
      {OpId::kTopK, {x}, "the -1 largest of", Ints({{"k", {-1}}})},
      {OpId::kArgMax, {x}, "axis 3 of rank 3", Ints({{"axis", {3}}})},
      {OpId::kResize, {image}, "a resize without sizes and scales"},
      {OpId::kResizeNearest, {image}, "resizing 5 x 5 to 0 x 2", Ints({{"sizes", {0, 2}}})},
  };
}

TEST(Kernels, WhatDoesNotGoTogetherIsRefused) {
  for (const Case& c : Cases()) {
    int refused = 0;
    for (const Profile& profile : Profiles()) {
      const absl::Status status = RunCase(c, profile);
      const std::string what = absl::StrCat(GetOperator(c.op).name, " under ", profile.name, ", not '", c.says, "'");
      EXPECT_FALSE(status.ok()) << what;
      if (absl::IsUnimplemented(status)) continue;
      ++refused;
      EXPECT_TRUE(absl::IsInvalidArgument(status)) << what << ": " << status;
      EXPECT_THAT(std::string(status.message()), HasSubstr(c.says)) << what;
    }
    EXPECT_GT(refused, 0) << GetOperator(c.op).name << ", '" << c.says << "': " << RunCase(c, Profiles()[0]);
  }
}

// XNNPACK makes it an integer.
TEST(Kernels, ASlopeThatIsNoNumber) {
  for (const double alpha : {std::nan(""), static_cast<double>(INFINITY), 0.1}) {
    const Case leaky = {OpId::kLeakyRelu, {Stored({2, 3})}, "", [=](Attributes& to) { to.SetFloat("alpha", alpha); }};
    EXPECT_EQ(RunCase(leaky, *FindProfile("litert/xnnpack")).ok(), alpha == 0.1) << alpha;
  }
}

// Sizes beside one of 0 are no bound on anything.
TEST(Kernels, ALongAxisOfNothing) {
  const Profile& profile = *FindProfile("litert/reference");
  const Case transposed = {OpId::kTranspose, {Stored({int64_t{1} << 31, 0, 3})}, "", Ints({{"perm", {2, 0, 1}}})};
  const AllocationLimit limit(1 << 20);
  EXPECT_TRUE(RunCase(transposed, profile).ok());
}

// Quantized integers of 64 bits are biases and nothing else; zero points have 32 bits.
TEST(Kernels, NothingIsQuantizedIn64Bits) {
  const QTensor x = Stored({2, 3}), wide = Stored({2, 3}, v1::DATA_TYPE_INT64);
  for (const Profile& profile : Profiles()) {
    for (const auto& inputs : {std::vector<QTensor>{wide, x, x}, {x, wide, x}, {x, x, wide}}) {
      EXPECT_TRUE(absl::IsUnimplemented(RunCase({OpId::kConcat, inputs, ""}, profile))) << profile.name;
    }
    EXPECT_TRUE(RunCase({OpId::kConcat, {x, x, x}, ""}, profile).ok()) << profile.name;
    const QTensor far = With(Stored({2, 3}, v1::DATA_TYPE_INT64), [](QTensor& t) { t.q.zero_points = {-kMost - 1}; });
    const absl::Status status = RunCase({OpId::kIdentity, {far}, ""}, profile);
    EXPECT_THAT(std::string(status.message()), HasSubstr("of more than 32 bits")) << profile.name;
  }
  std::vector<float> reals = {0, 1, 2, 3, 4, 5};
  QTensor out = wide;
  EXPECT_TRUE(absl::IsUnimplemented(QuantizeFloats(*FindProfile("onnxruntime"), reals, out)));
}

// No numbers are made up where no kernel exists: it says why.
TEST(Kernels, WhatHasNoKernelSaysSo) {
  const QTensor half = With(Stored({2, 3}, v1::DATA_TYPE_FLOAT16), [](QTensor& t) { t.q = {}; });
  for (const Case& c : std::vector<Case>{
           {OpId::kEinsum, {Stored({2}), Stored({2})}, "no integer kernel"},
           {OpId::kResizeNearest, {Stored({2, 3, 4})}, "resizing of rank 3", Ints({{"sizes", {2, 2, 2}}})},
           {OpId::kMaxPool, {Stored({4, 4})}, "pooling of rank 2", Ints({{"kernel_shape", {2}}})}}) {
    for (const Profile& profile : Profiles()) {
      const absl::Status status = RunCase(c, profile);
      EXPECT_TRUE(absl::IsUnimplemented(status))
          << GetOperator(c.op).name << " under " << profile.name << ": " << status;
      EXPECT_NE(status.message(), "");
    }
  }
  for (const Profile& profile : Profiles()) {
    for (const OpId op : {OpId::kConv, OpId::kMatMul, OpId::kAdd, OpId::kWhere}) {
      EXPECT_FALSE(RunCase({op, {half, half, half}, ""}, profile).ok()) << GetOperator(op).name;
    }
  }
}

// What the runtimes themselves refuse, or compute in no integers: said under their profile, and next to it is a call
// that they compute.
TEST(Kernels, WhatARuntimeRefusesIsRefusedUnderItsProfile) {
  struct Refused {
    const char* profile;
    Case refused;
    Case computed;
    float out_scale = 0.1f;  // of `computed`
    v1::DataType type = v1::DATA_TYPE_INT8;
  };
  const QTensor x = Stored({2, 3, 4}), words = Stored({2, 3, 4}, v1::DATA_TYPE_INT16), image = Stored({1, 4, 6, 6});
  const QTensor words4 = Stored({1, 4, 6, 6}, v1::DATA_TYPE_INT16), kernel = Stored({2, 4, 1, 1});
  const QTensor bias32 = Stored({2}, v1::DATA_TYPE_INT32, 0.01f);
  const QTensor plain = With(x, [](QTensor& t) { t.q = {}; });
  const QTensor real = With(Stored({2, 3, 4}, v1::DATA_TYPE_FLOAT32), [](QTensor& t) { t.q = {}; });
  const QTensor many = With(x, [](QTensor& t) {
    t.q.scales = {0.1f, 0.2f, 0.3f};
    t.q.zero_points = {0, 0, 0};
    t.q.axis = 1;
  });
  const auto mode = [](const char* name, const char* text) {
    return [=](Attributes& to) {
      to.SetInts("sizes", {12, 12});
      to.SetText(name, text);
    };
  };
  const std::vector<Refused> all = {
      {"litert/reference", {OpId::kSigmoid, {x}, "it must be 1/256"}, {OpId::kSigmoid, {x}, ""}, 1.0f / 256},
      {"litert/reference",
       {OpId::kTanh, {words}, "it must be 1/32768"},
       {OpId::kTanh, {words}, ""},
       1.0f / 32768,
       v1::DATA_TYPE_INT16},
      {"litert/reference",
       {OpId::kSoftmax, {Stored({2, 3}, v1::DATA_TYPE_INT16, 0.1f, 1)}, "zero points in a softmax of int16"},
       {OpId::kSoftmax, {words}, ""},
       1.0f / 32768,
       v1::DATA_TYPE_INT16},
      {"litert/reference",
       {OpId::kDiv, {x, x}, "division by zero"},
       {OpId::kDiv, {x, Stored({4}, v1::DATA_TYPE_INT8, 0.1f, 1)}, ""}},
      {"litert/reference",
       {OpId::kConcat, {x, Stored({2, 3, 4}, v1::DATA_TYPE_INT8, 0.2f)}, "int8 whose parameters differ"},
       {OpId::kConcat, {x, x}, ""}},
      {"litert/reference",
       {OpId::kDepthwiseConv,
        {Stored({1, 2, 4, 4}, v1::DATA_TYPE_INT16), Stored({2, 1, 2, 2}, v1::DATA_TYPE_INT4)},
        "packed weights beside int16 as bytes",
        Ints({{"group", {2}}})},
       {OpId::kDepthwiseConv,
        {Stored({1, 2, 4, 4}, v1::DATA_TYPE_INT16), Stored({2, 1, 2, 2})},
        "",
        [](Attributes& to) { to.SetInt("group", 2); }},
       0.1f,
       v1::DATA_TYPE_INT16},
      {"litert/optimized",
       {OpId::kConv, {words4, kernel, bias32}, "reads a bias of int32 as int64"},
       {OpId::kConv, {words4, kernel, bias32}, "", [](Attributes& to) { to.SetInt("accumulator_bits", 32); }},
       0.1f,
       v1::DATA_TYPE_INT16},
      {"litert/reference",
       {OpId::kLess, {Stored({4}, v1::DATA_TYPE_INT8, 1), x}, "comparing at a scale of 1"},
       {OpId::kLess, {Stored({4}, v1::DATA_TYPE_INT8, 0.9f), x}, ""}},
      {"litert/reference",
       {OpId::kRsqrt, {Stored({4}, v1::DATA_TYPE_INT8, 0.1f, 1)}, "inverse root of a negative number"},
       {OpId::kRsqrt, {Stored({4}, v1::DATA_TYPE_INT8, 0.1f, -1)}, ""}},
      {"litert/reference", {OpId::kRequantize, {many}, "requantizing per channel"}, {OpId::kRequantize, {x}, ""}},
      {"litert/reference",
       {OpId::kAveragePool,
        {Stored({1, 4, 6, 6}, v1::DATA_TYPE_INT8, 0.2f)},
        "an average whose input and output have different parameters",
        Ints({{"kernel_shape", {2, 2}}})},
       {OpId::kAveragePool, {image}, "", Ints({{"kernel_shape", {2, 2}}})}},
      {"xnnpack",
       {OpId::kAdd, {Stored({4}, v1::DATA_TYPE_INT8, 100), x}, "does not add at a ratio of scales of 1000"},
       {OpId::kAdd, {Stored({4}, v1::DATA_TYPE_INT8, 10), x}, ""}},
      {"xnnpack",
       {OpId::kAdd,
        {Stored({4}, v1::DATA_TYPE_INT8, 1e-6f), Stored({4}, v1::DATA_TYPE_INT8, 1e-5f)},
        "does not add at a ratio of scales of"},
       {OpId::kAdd, {Stored({4}, v1::DATA_TYPE_INT8, 1e-6f), x}, ""}},
      {"xnnpack",
       {OpId::kRequantize, {Stored({4}, v1::DATA_TYPE_INT8, 100)}, "does not requantize by 1000"},
       {OpId::kRequantize, {Stored({4}, v1::DATA_TYPE_INT8, 10)}, ""}},
      {"xnnpack",
       {OpId::kRequantize, {Stored({4}, v1::DATA_TYPE_INT8, 1e-4f)}, "does not requantize by"},
       {OpId::kRequantize, {Stored({4}, v1::DATA_TYPE_INT8, 1e-3f)}, ""}},
      {"litert/reference",
       {OpId::kAdd, {x, x}, "times a number", [](Attributes& to) { to.SetFloat("alpha", 2); }},
       {OpId::kAdd, {x, x}, "", [](Attributes& to) { to.SetFloat("alpha", 1); }}},
      {"torch",
       {OpId::kSub, {x, x}, "times a number", [](Attributes& to) { to.SetFloat("alpha", 0.3); }},
       {OpId::kSub, {x, x}, ""}},
      {"torch",
       {OpId::kDiv, {x, x}, "a rounded quotient", [](Attributes& to) { to.SetText("rounding_mode", "floor"); }},
       {OpId::kDiv, {x, Stored({4}, v1::DATA_TYPE_INT8, 0.1f, 1)}, ""}},
      {"torch", {OpId::kQuantize, {plain}, "quantizing what is not float"}, {OpId::kQuantize, {real}, ""}},
      {"torch", {OpId::kRequantize, {real}, "not quantized integers"}, {OpId::kRequantize, {x}, ""}},
      {"torch", {OpId::kDequantize, {x}, "dequantizing to int8"}, {OpId::kQuantize, {real}, ""}},
      {"torch", {OpId::kArgMax, {real}, "the largest of floats"}, {OpId::kArgMax, {x}, ""}},
      {"torch",
       {OpId::kTopK, {real}, "the largest of floats", Ints({{"k", {2}}})},
       {OpId::kTopK, {x}, "", [](Attributes& to) { to.SetInt("k", 2); }}},
      {"onnxruntime",
       {OpId::kResizeBilinear,
        {image},
        "resizes in this form",
        mode("coordinate_transformation_mode", "tf_crop_and_resize")},
       {OpId::kResizeBilinear, {image}, "", mode("coordinate_transformation_mode", "half_pixel")}},
      {"onnxruntime",
       {OpId::kResizeBilinear,
        {image},
        "resizes in this form",
        mode("coordinate_transformation_mode", "half_pixel_symmetric")},
       {OpId::kResizeBilinear, {image}, "", mode("coordinate_transformation_mode", "align_corners")}},
      {"onnxruntime",
       {OpId::kResize, {image}, "resizes by cubic", mode("mode", "cubic")},
       {OpId::kResize, {image}, "", mode("mode", "linear")}},
  };
  for (const Refused& c : all) {
    const Profile& profile = *FindProfile(c.profile);
    const std::string what = absl::StrCat(GetOperator(c.refused.op).name, " under ", profile.name);
    const absl::Status refused = RunCase(c.refused, profile, c.type);
    EXPECT_TRUE(absl::IsUnimplemented(refused)) << what << ": " << refused;
    EXPECT_THAT(std::string(refused.message()), HasSubstr(c.refused.says)) << what;
    const absl::Status computed = RunCase(c.computed, profile, c.type, c.out_scale);
    EXPECT_TRUE(computed.ok()) << what << ": " << computed;
  }
}

}  // namespace
}  // namespace quantgate::simulator
