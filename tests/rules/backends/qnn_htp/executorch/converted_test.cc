// What ExecuTorch 1.5.1 makes of a converted graph: its passes fold every Quantize and Dequantize node into the
// tensors, so that it is as the annotated graph was (tests/lowering).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "tests/rules/annotated_builder.h"
#include "tests/rules/annotated_check.h"

namespace quantgate {
namespace {

using ::quantgate::testing::AnnotatedBuilder;
using ::quantgate::testing::CodesAt;
using ::quantgate::testing::Refused;
using ::quantgate::testing::ResultOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr v1::DataType kF32 = v1::DATA_TYPE_FLOAT32;
constexpr char kV68[] = "qnn_htp/SM8350@2.49";
constexpr char kV75[] = "qnn_htp/SM8650@2.49";
constexpr char kWithoutFloat[] = "qnn_htp/QCM6490@2.49";
constexpr v1::DataType kNarrow = v1::DATA_TYPE_UINT8;

class ConvertedBuilder : public AnnotatedBuilder {
 public:
  ConvertedBuilder() : AnnotatedBuilder(v1::STAGE_CONVERTED) {}

  void Compute(const std::string& op, const std::string& name, const std::vector<std::string>& inputs,
               const std::vector<int64_t>& shape = {4, 8}) {
    Node(op, name, inputs, {name});
    Shape(name, kF32, shape);
  }

  // `name`_q and `name`_dq: a Quantize and a Dequantize node behind the value.
  void Pair(const std::string& name, v1::DataType type = kNarrow, const std::string& behind = "") {
    const std::string& read = behind.empty() ? name : behind;
    const v1::Value& shape = Value(read);
    const std::vector<int64_t> dims(shape.dims().begin(), shape.dims().end());
    Quantizer("quantized_decomposed.quantize_per_tensor.default", name + "_q", read, type);
    Quantizer("quantized_decomposed.dequantize_per_tensor.default", name + "_dq", name + "_q", type);
    Shape(name + "_q", type, dims);
    Shape(name + "_dq", kF32, dims);
  }

  // `name`_dq: a Dequantize node behind a constant.
  void Dequantize(const std::string& name) {
    const v1::Value shape = Value(name);
    Quantizer("quantized_decomposed.dequantize_per_tensor.default", name + "_dq", name, shape.dtype());
    Shape(name + "_dq", kF32, {shape.dims().begin(), shape.dims().end()});
  }

  // An int8 constant with a scale for each index of `axis`, and the Dequantize node behind it, `name`_dq.
  void Channels(const std::string& name, const std::vector<int64_t>& dims, int axis) {
    Weight(name, v1::DATA_TYPE_INT8, dims, -1);
    Scales(name, dims[axis]);
    OfChannels("dequantize", name, name, name + "_dq", axis);
  }

  // An int32 constant of a row, with `scales` along it, and the Dequantize node behind it, `name`_dq.
  void Bias(const std::string& name, int64_t length, int64_t scales) {
    constexpr v1::DataType kType = v1::DATA_TYPE_INT32;
    Weight(name, kType, {length}, -1);
    Scales(name, scales);
    OfChannels("dequantize", name, name, name + "_dq", 0, kType);
    Shape(name + "_dq", kF32, {length});
  }

  // As Pair, with scales along the first axis.
  void PairOfChannels(const std::string& name, int64_t count) {
    Scales(name, count);
    OfChannels("quantize", name, name, name + "_q", 0);
    OfChannels("dequantize", name, name + "_q", name + "_dq", 0);
    for (const char* form : {"_q", "_dq"}) {
      const v1::Value shape = Value(name);
      Shape(name + form, kF32, {shape.dims().begin(), shape.dims().end()});
    }
    Value(name + "_q").set_dtype(v1::DATA_TYPE_INT8);
  }

 private:
  void Scales(const std::string& name, int64_t count) {
    const auto scales = static_cast<size_t>(count);
    Reals(name + "_scale", std::vector<double>(scales, 0.1), /*scalar=*/false);
    Ints(name + "_zero", v1::DATA_TYPE_INT64, std::vector<int64_t>(scales, 0), /*scalar=*/false);
  }

  void OfChannels(const std::string& op, const std::string& scales, const std::string& input, const std::string& name,
                  int axis, v1::DataType type = v1::DATA_TYPE_INT8) {
    v1::Node& node = Node("quantized_decomposed." + op + "_per_channel.default", name,
                          {input, scales + "_scale", scales + "_zero"}, {name});
    Int(node, "axis", axis);
    Int(node, "quant_min", -MaxOf(type));
    Int(node, "quant_max", MaxOf(type));
    Type(node, type);
  }

  void Type(v1::Node& node, v1::DataType type) {
    v1::Attribute& attribute = *node.add_attributes();
    attribute.set_name(Symbol("dtype"));
    attribute.set_dtype(type);
  }

  void Quantizer(const std::string& op, const std::string& name, const std::string& input, v1::DataType type) {
    v1::Node& node = Node(op, name, {input}, {name});
    v1::Attribute& scale = *node.add_attributes();
    scale.set_name(Symbol("scale"));
    scale.set_f(0.1);
    Int(node, "zero_point", 0);
    Int(node, "quant_min", MinOf(type));
    Int(node, "quant_max", MaxOf(type));
    Type(node, type);
  }
};

// x, quantized, through a relu whose output is quantized or not.
TEST(ExecuTorchConverted, ANodeReadsIntegersAndWritesFloats) {
  for (const bool written : {true, false}) {
    ConvertedBuilder b;
    b.Input("x", kF32, {4, 8});
    b.Pair("x");
    b.Compute("aten.relu.default", "relu", {"x_dq"});
    if (written) b.Pair("relu");
    b.Output(written ? "relu_dq" : "relu");
    const v1::Result result = ResultOf(b, kV75);
    EXPECT_EQ(result.outcome().kind(), written ? v1::Outcome::FULL : v1::Outcome::PARTIAL);
    if (!written) {
      EXPECT_THAT(Refused(result), ElementsAre("relu"));
    }
    // Others read it as a relu of floats behind a Dequantize.
    EXPECT_THAT(Refused(ResultOf(b, kV75, "qnn-converter")), IsEmpty());
  }
}

// What is refused for its floats leaves the Dequantize of its constant behind, if it has one.
TEST(ExecuTorchConverted, TheConstantOfARefusedNode) {
  for (const bool quantized : {true, false}) {
    ConvertedBuilder b;
    b.Input("x", kF32, {4, 8});
    b.Pair("x");
    b.Weight("c", quantized ? kNarrow : kF32, {4, 8}, -1);
    if (quantized) b.Dequantize("c");
    b.Compute("aten.mul.Tensor", "mul", {"x_dq", quantized ? "c_dq" : "c"});
    b.Output("mul");
    const v1::Result result = ResultOf(b, kV75);
    EXPECT_THAT(Refused(result), ElementsAre("mul"));
    EXPECT_EQ(result.outcome().kind(), quantized ? v1::Outcome::FAILS : v1::Outcome::PARTIAL);
  }
}

// What is computed from constants is none: its Dequantize is folded like any other. What makes it is delegated all the
// same, and ends the export where nothing else is.
TEST(ExecuTorchConverted, WhatIsComputedFromConstantsLeavesNothingBehind) {
  for (const bool alone : {true, false}) {
    ConvertedBuilder b;
    b.Input("x", kF32, {4, 8});
    b.Pair("x");
    if (!alone) {
      b.Compute("aten.relu.default", "relu", {"x_dq"});
      b.Pair("relu");
    }
    b.Compute("aten.ones.default", "ones", {});
    b.Pair("ones");
    b.Compute("aten.fmod.Tensor", "fmod", {alone ? "x_dq" : "relu_dq", "ones_dq"});
    b.Output("fmod");
    const v1::Result result = ResultOf(b, kV75);
    EXPECT_THAT(Refused(result), ElementsAre("fmod"));
    EXPECT_EQ(result.outcome().kind(), alone ? v1::Outcome::FAILS : v1::Outcome::PARTIAL);
    EXPECT_EQ(CodesAt(result, "ones"), alone ? std::vector<std::string>{"CV203"} : std::vector<std::string>());
  }
}

// Of what a Quantize node and another node read, both get the integers, whether a node makes it or not: ExecuTorch
// leaves this abs on the CPU.
TEST(ExecuTorchConverted, AReaderInFrontOfTheQuantizeReadsIntegers) {
  for (const bool is_made : {true, false}) {
    for (const bool quantized : {true, false}) {
      ConvertedBuilder b;
      b.Input("x", kF32, {4, 8});
      if (is_made) b.Compute("aten.neg.default", "neg", {"x"});
      const std::string read = is_made ? "neg" : "x";
      if (quantized) b.Pair(read);
      b.Compute("aten.relu.default", "relu", {quantized ? read + "_dq" : read});
      if (quantized) b.Pair("relu");
      b.Compute("aten.abs.default", "abs", {read});
      b.Output(quantized ? "relu_dq" : "relu");
      b.Output("abs");
      const v1::Result result = ResultOf(b, kV75);
      std::vector<std::string> mixed;
      if (quantized && is_made) mixed.push_back("neg");
      if (quantized) mixed.push_back("abs");
      EXPECT_EQ(Refused(result), mixed);
      EXPECT_EQ(result.outcome().kind(), quantized ? v1::Outcome::PARTIAL : v1::Outcome::FULL);
    }
  }
}

// The results of a node are quantized one by one, on a SoC that computes no floats, too.
TEST(ExecuTorchConverted, ResultsOfATupleAreQuantized) {
  for (const bool second : {true, false}) {
    ConvertedBuilder b;
    b.Input("x", kF32, {4, 8});
    b.Pair("x");
    v1::Node& chunk = b.Node("aten.chunk.default", "chunk", {"x_dq"}, {"chunk"});
    b.Int(chunk, "chunks", 2);
    b.Int(chunk, "dim", 1);
    for (int i = 0; i < 2; ++i) {
      const std::string part = i == 0 ? "first" : "second";
      b.Int(b.Node("operator.getitem", part, {"chunk"}, {part}), "index", i);
      b.Shape(part, kF32, {4, 4});
      if (i == 0 || second) b.Pair(part);
      b.Output(i == 0 || second ? part + "_dq" : part);
    }
    EXPECT_EQ(ResultOf(b, kWithoutFloat).outcome().kind(), second ? v1::Outcome::FULL : v1::Outcome::PARTIAL);
  }
}

std::vector<std::string> Operators(const v1::Result& result) {
  std::vector<std::string> nodes;
  for (const v1::NodeOutcome& node : result.outcome().nodes()) nodes.push_back(node.node());
  return nodes;
}

// A pair behind a pair is another form of one tensor, and no operator that could be refused.
TEST(ExecuTorchConverted, ATensorInAnotherFormIsNoOperator) {
  ConvertedBuilder b;
  b.Input("x", kF32, {4, 8});
  b.Pair("x");
  b.Compute("aten.relu.default", "relu", {"x_dq"});
  b.Pair("relu");
  b.Pair("again", v1::DATA_TYPE_UINT16, "relu_dq");
  b.Compute("aten.abs.default", "abs", {"again_dq"});
  b.Pair("abs", v1::DATA_TYPE_UINT16);
  b.Output("abs_dq");
  EXPECT_THAT(Operators(ResultOf(b, kV75)), ElementsAre("x_q", "relu", "abs", "abs_dq"));
  EXPECT_THAT(Operators(ResultOf(b, kV75, "qnn-converter")), ElementsAre("x_q", "relu", "again_q", "abs", "abs_dq"));
}

// A channel of each group: one scale, and yet a scale for each channel.
TEST(ExecuTorchConverted, OneScaleForEachChannelOfAGroup) {
  const auto codes = [](int64_t channels) {
    ConvertedBuilder b;
    b.Input("x", kF32, {1, 4, 8, 8});
    b.Pair("x");
    b.Channels("w", {4, channels, 4, 4}, 1);
    b.Compute("aten.conv_transpose2d.input", "conv", {"x_dq", "w_dq"}, {1, 4 * channels, 18, 18});
    b.IntsAttribute(b.Find("conv"), "stride", {2, 2});
    b.Int(b.Find("conv"), "groups", 4);
    b.Pair("conv");
    b.Output("conv_dq");
    return CodesAt(ResultOf(b, kV68), "conv");
  };
  EXPECT_THAT(codes(1), Contains("AX207"));
  EXPECT_THAT(codes(4), Not(Contains("AX207")));
}

// What two delegates read: between them is a node that HTP refuses.
TEST(ExecuTorchConverted, AWeightOfTwoDelegates) {
  const auto codes = [](const char* between, bool copied) {
    ConvertedBuilder b;
    b.Input("x", kF32, {4, 8});
    b.Pair("x");
    b.Channels("w", {8, 8}, 0);
    if (copied) b.Channels("v", {8, 8}, 0);
    b.Compute("aten.linear.default", "first", {"x_dq", "w_dq"});
    b.Pair("first");
    b.Compute(between, "between", {"first_dq"});
    b.Pair("between");
    b.Compute("aten.linear.default", "second", {"between_dq", copied ? "v_dq" : "w_dq"});
    b.Pair("second");
    b.Output("second_dq");
    return CodesAt(ResultOf(b, kV75), "second");
  };
  EXPECT_THAT(codes("aten.erf.default", false), Contains("CV206"));
  EXPECT_THAT(codes("aten.erf.default", true), Not(Contains("CV206")));
  EXPECT_THAT(codes("aten.relu.default", false), Not(Contains("CV206")));
}

// One with several scales that is computed ends a pass before anything is asked for (EN232), one with one scale only
// the builder of the node (EN221).
TEST(ExecuTorchConverted, AWeightThatIsComputed) {
  const auto result = [](bool several) {
    ConvertedBuilder b;
    b.Input("x", kF32, {1, 4, 8, 8});
    b.Pair("x");
    b.Input("w", kF32, {8, 4, 1, 1});
    if (several) {
      b.PairOfChannels("w", 8);
    } else {
      b.Pair("w");
    }
    b.Compute("aten.conv2d.default", "conv", {"x_dq", "w_dq"}, {1, 8, 8, 8});
    b.Pair("conv");
    b.Output("conv_dq");
    return ResultOf(b, kV75);
  };
  EXPECT_THAT(CodesAt(result(true), "conv"), Contains("EN232"));
  EXPECT_THAT(Refused(result(true)), IsEmpty());
  EXPECT_THAT(CodesAt(result(false), "conv"), Not(Contains("EN232")));
  EXPECT_THAT(Refused(result(false)), ElementsAre("conv"));
}

// The constant of a refused node is brought to its rank in a delegate of its own, which has an input where the node's
// other operand is cast there.
TEST(ExecuTorchConverted, TheReshapeOfARefusedNodesConstantIsADelegateOfItsOwn) {
  const auto outcome = [](v1::DataType type, const std::vector<int64_t>& shape) {
    ConvertedBuilder b;
    b.Input("x", type, {4, 8});
    b.Weight("k", v1::DATA_TYPE_INT8, shape, -1);
    b.Dequantize("k");
    b.Compute("aten.mul.Tensor", "mul", {"x", "k_dq"});
    b.Output("mul");
    return ResultOf(b, kV75).outcome().kind();
  };
  EXPECT_EQ(outcome(v1::DATA_TYPE_INT8, {8}), v1::Outcome::FAILS);
  EXPECT_EQ(outcome(v1::DATA_TYPE_INT32, {8}), v1::Outcome::PARTIAL);
  EXPECT_EQ(outcome(v1::DATA_TYPE_BOOL, {8}), v1::Outcome::PARTIAL);
}

// Far more Dequantize nodes behind a constant than may be followed one by one.
TEST(ExecuTorchConverted, ARefusedNodeBesideAChainOfDequantizes) {
  ConvertedBuilder b;
  b.Input("x", v1::DATA_TYPE_INT8, {4, 8});
  b.Weight("k", v1::DATA_TYPE_INT8, {8}, -1);
  b.Dequantize("k");
  b.Compute("aten.mul.Tensor", "mul", {"x", "k_dq"});
  std::string last = "k";
  for (int i = 0; i < 64; ++i) {
    const std::string next = "chain" + std::to_string(i);
    b.Node("quantized_decomposed.dequantize_per_tensor.tensor", next, {last, last, last}, {next});
    b.Shape(next, kF32, {8});
    last = next;
  }
  b.Output("mul");
  EXPECT_THAT(Refused(ResultOf(b, kV75)), Contains("mul"));
}

// torchao's function takes a block size for each dimension, which is the filter's.
TEST(ExecuTorchConverted, BlocksOfAConv1d) {
  for (const bool in_two_dimensions : {false, true}) {
    ConvertedBuilder b;
    b.Input("x", kF32, in_two_dimensions ? std::vector<int64_t>{1, 16, 1, 8} : std::vector<int64_t>{1, 16, 8});
    b.Pair("x", v1::DATA_TYPE_UINT16);
    const std::vector<int64_t> shape =
        in_two_dimensions ? std::vector<int64_t>{4, 16, 1, 1} : std::vector<int64_t>{4, 16, 1};
    b.Weight("w", v1::DATA_TYPE_INT8, shape, -1);
    b.Weight("w_scale", kF32, {4, 4}, -1);
    b.Weight("w_zero", kF32, {4, 4}, -1);
    v1::Node& node = b.Node("torchao.dequantize_affine", "w_dq", {"w", "w_scale", "w_zero"}, {"w_dq"});
    for (const int argument : {0, 2, 3}) node.add_input_args(argument);
    b.IntsAttribute(node, "arg1", in_two_dimensions ? std::vector<int64_t>{1, 4, 1, 1} : std::vector<int64_t>{1, 4, 1});
    b.Int(node, "arg5", -7);
    b.Int(node, "arg6", 7);
    b.Shape("w_dq", kF32, shape);
    b.Compute(in_two_dimensions ? "aten.conv2d.default" : "aten.conv1d.default", "conv", {"x_dq", "w_dq"},
              in_two_dimensions ? std::vector<int64_t>{1, 4, 1, 8} : std::vector<int64_t>{1, 4, 8});
    b.Pair("conv", v1::DATA_TYPE_UINT16);
    b.Output("conv_dq");
    const v1::Result result = ResultOf(b, kV75);
    EXPECT_EQ(result.outcome().kind(), in_two_dimensions ? v1::Outcome::FULL : v1::Outcome::FAILS);
    if (!in_two_dimensions) {
      EXPECT_THAT(CodesAt(result, "conv"), Contains("EN231"));
    }
  }
}

// The search for delegates looks through the pairs: a mask that is computed in the graph is alone behind one, too.
TEST(ExecuTorchConverted, ADelegateWithoutInputIsFoundThroughPairs) {
  const auto codes = [](const char* refused) {
    ConvertedBuilder b;
    b.Input("x", kF32, {4, 8});
    b.Pair("x");
    b.Compute("aten.arange.default", "arange", {}, {8});
    b.Pair("arange");
    b.Compute("aten.sin.default", "sin", {"arange_dq"}, {8});
    b.Pair("sin");
    b.Compute(refused, "node", {"sin_dq"}, {8});
    b.Pair("node");
    b.Compute("aten.add.Tensor", "add", {"x_dq", "node_dq"});
    b.Pair("add");
    b.Output("add_dq");
    return CodesAt(ResultOf(b, kV75), "sin");
  };
  EXPECT_THAT(codes("aten.erf.default"), Contains("CV203"));
  EXPECT_THAT(codes("aten.relu.default"), Not(Contains("CV203")));
}

// As it comes of a spec that is derived per channel from tensors with one scale each. Beside a weight with several the
// library refuses a convolution, and what a product does is not known.
TEST(ExecuTorchConverted, OneScaleOfABiasStandsForItsChannels) {
  const auto result = [](bool weight_by_channel, int64_t scales, bool added = false) {
    ConvertedBuilder b;
    b.Input("x", kF32, {4, 8});
    b.Pair("x");
    if (weight_by_channel) {
      b.Channels("w", {8, 8}, 0);
      b.Shape("w_dq", kF32, {8, 8});
    } else {
      b.Weight("w", v1::DATA_TYPE_INT8, {8, 8}, -1);
      b.Dequantize("w");
    }
    b.Bias("b", 8, scales);
    b.Compute("aten.linear.default", "linear", {"x_dq", "w_dq", "b_dq"});
    b.Pair("linear");
    b.Output("linear_dq");
    if (added) {
      b.Compute("aten.add.Tensor", "sum", {"x_dq", "b_dq"});
      b.Pair("sum");
      b.Output("sum_dq");
    }
    return ResultOf(b, kV75);
  };
  EXPECT_EQ(result(false, 1).outcome().kind(), v1::Outcome::FULL);
  EXPECT_THAT(CodesAt(result(false, 1), "b_dq"), Not(Contains("AX001")));
  EXPECT_THAT(CodesAt(result(false, 2), "b_dq"), Contains("AX001"));
  EXPECT_THAT(CodesAt(result(true, 1), "b_dq"), Contains("AX001"));
  EXPECT_THAT(CodesAt(result(true, 8), "b_dq"), Not(Contains("AX001")));
  EXPECT_THAT(CodesAt(result(false, 1, /*added=*/true), "b_dq"), Contains("AX001"));
}

// The pair behind a tensor is folded before tensors are laid out anew: readers of an input, or of what stops the layout
// pass, have nothing to do with each other.
TEST(ExecuTorchConverted, LayoutGoesThroughPairsToWhatComputes) {
  const auto result = [](const char* op) {
    ConvertedBuilder b;
    b.Input("x", kF32, {2, 8, 4, 4});
    b.Pair("x");
    std::string shared = "x";
    if (op[0] != '\0') {
      shared = "shared";
      b.Compute(op, shared, {"x_dq"}, {2, 8, 4, 4});
      b.Pair(shared);
    }
    b.Pair("other", kNarrow, shared);  // a pair of its own, as torchao makes for each reader
    b.Compute("aten.pixel_shuffle.default", "shuffle", {shared + "_dq"}, {2, 2, 8, 8});
    b.Int(b.Find("shuffle"), "upscale_factor", 2);
    b.Pair("shuffle");
    b.Compute("aten.repeat.default", "repeat", {"other_dq"}, {2, 16, 4, 4});
    b.IntsAttribute(b.Find("repeat"), "repeats", {1, 2, 1, 1});
    b.Pair("repeat");
    b.Output("shuffle_dq");
    b.Output("repeat_dq");
    return ResultOf(b, kV75);
  };
  EXPECT_EQ(result("").outcome().kind(), v1::Outcome::FULL);
  EXPECT_EQ(result("aten.view.default").outcome().kind(), v1::Outcome::FULL);
  EXPECT_EQ(result("aten.relu.default").outcome().kind(), v1::Outcome::PARTIAL);
  EXPECT_THAT(CodesAt(result("aten.relu.default"), "repeat"), Contains("EN205"));
}

// What is said of a layer norm names the reader behind the pair.
TEST(ExecuTorchConverted, ALayerNormInFrontOfWhatIsLaidOutAnew) {
  for (const char* between : {"aten.relu.default", "aten.view.default"}) {
    ConvertedBuilder b;
    b.Input("x", kF32, {1, 4, 8, 8});
    b.Pair("x");
    b.Weight("gamma", kNarrow, {8}, -1);
    b.Dequantize("gamma");
    b.Compute("aten.layer_norm.default", "norm", {"x_dq", "gamma_dq"}, {1, 4, 8, 8});
    b.IntsAttribute(b.Find("norm"), "normalized_shape", {8});
    b.Pair("norm");
    b.Compute(between, "between", {"norm_dq"}, {1, 4, 8, 8});
    b.Pair("between");
    b.Compute("aten.pixel_shuffle.default", "shuffle", {"between_dq"}, {1, 1, 16, 16});
    b.Int(b.Find("shuffle"), "upscale_factor", 2);
    b.Pair("shuffle");
    b.Output("shuffle_dq");
    const v1::Result result = ResultOf(b, kV75);
    const bool reached = between == std::string("aten.relu.default");
    EXPECT_EQ(absl::c_linear_search(CodesAt(result, "norm"), "EN204"), reached) << between;
    for (const v1::Finding& finding : result.findings()) {
      if (finding.code() != "EN204") continue;
      EXPECT_THAT(finding.message(), ::testing::HasSubstr("'between'"));
    }
  }
}

}  // namespace
}  // namespace quantgate
