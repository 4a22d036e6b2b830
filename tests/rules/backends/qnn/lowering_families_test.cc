// Every family of operators lowered to QNN, with the parameters and ports that the origins' definitions and QNN's
// operator definitions say, and what QNN cannot say.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "rules/backends/qnn/lowering.h"
#include "tests/rules/backends/lowered.h"
#include "tests/rules/graph_builder.h"

namespace quantgate::qnn {
namespace {

using ::testing::ElementsAre;

constexpr v1::DataType kF32 = v1::DATA_TYPE_FLOAT32;
constexpr v1::DataType kI64 = v1::DATA_TYPE_INT64;

// A graph with one node "n", told tensor by tensor.
class One {
 public:
  One(v1::Graph::Origin origin, const std::string& op) : builder_(origin) { builder_.Node(op, "n", {}, {}); }

  One& In(const std::vector<int64_t>& shape, v1::DataType type = kF32, int argument = -1) {
    const std::string name = absl::StrCat("x", node().inputs_size());
    builder_.Input(name, type, shape);
    return Add(name, argument);
  }
  One& NoShape() {
    const std::string name = absl::StrCat("x", node().inputs_size());
    builder_.Value(name).set_dtype(kF32);
    builder_.graph.add_inputs(builder_.Id(name));
    return Add(name, -1);
  }
  One& Omitted(int argument = -1) {
    node().add_inputs(0);
    if (argument >= 0) node().add_input_args(argument);
    return *this;
  }
  One& Const(const std::vector<int64_t>& numbers) {
    const std::string name = absl::StrCat("c", node().inputs_size());
    builder_.Ints(name, kI64, numbers, false);
    return Add(name, -1);
  }
  One& Reals(const std::vector<double>& numbers) {
    const std::string name = absl::StrCat("c", node().inputs_size());
    builder_.Reals(name, numbers);
    return Add(name, -1);
  }
  One& W(const std::vector<int64_t>& shape, int argument = -1) {
    const std::string name = absl::StrCat("w", node().inputs_size());
    builder_.Weight(name, kF32, shape, -1);
    return Add(name, argument);
  }
  One& Out(const std::vector<int64_t>& shape, v1::DataType type = kF32) {
    const std::string name = absl::StrCat("y", node().outputs_size());
    node().add_outputs(builder_.Id(name));
    builder_.Shape(name, type, shape);
    builder_.Output(name);
    return *this;
  }
  One& OmittedOut() {
    node().add_outputs(0);
    return *this;
  }
  One& I(const std::string& name, int64_t number) {
    builder_.Int(node(), name, number);
    return *this;
  }
  One& F(const std::string& name, double number) {
    Attribute(name).set_f(number);
    return *this;
  }
  One& B(const std::string& name, bool flag) {
    Attribute(name).set_b(flag);
    return *this;
  }
  One& S(const std::string& name, const std::string& text) {
    Attribute(name).set_s(text);
    return *this;
  }
  One& L(const std::string& name, const std::vector<int64_t>& numbers) {
    Ints(builder_, node(), name, numbers);
    return *this;
  }
  v1::Attribute& Attribute(const std::string& name) {
    v1::Attribute& attribute = *node().add_attributes();
    attribute.set_name(builder_.Symbol(name));
    return attribute;
  }

  v1::Node& node() { return *builder_.graph.mutable_nodes(0); }
  GraphBuilder& builder() { return builder_; }

 private:
  One& Add(const std::string& name, int argument) {
    node().add_inputs(builder_.Id(name));
    if (argument >= 0) node().add_input_args(argument);
    return *this;
  }
  GraphBuilder builder_;
};

One Onnx(const std::string& op) { return One(v1::Graph::ONNX, op); }
One Aten(const std::string& op) { return One(v1::Graph::PT2E, absl::StrCat("aten.", op)); }

struct Expected {
  std::string op;
  int inputs = -1;  // -1: not compared
  std::vector<std::pair<std::string, std::vector<int64_t>>> ints;
  std::vector<std::pair<std::string, double>> reals;
};

struct Case {
  std::string name;
  One graph;
  std::vector<Expected> ops;
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

class Lowers : public ::testing::TestWithParam<Case> {};

TEST_P(Lowers, ToTheseOperators) {
  Case c = GetParam();
  const Lowered lowered(c.graph.builder(), "n");
  ASSERT_EQ(lowered.result.status, Lowering::kEmitted) << lowered.result.reason;
  ASSERT_EQ(lowered.ops.size(), c.ops.size()) << ::testing::PrintToString(lowered.names());
  for (size_t i = 0; i < c.ops.size(); ++i) {
    const BackendOp& op = lowered.ops[i];
    EXPECT_EQ(op.name, c.ops[i].op);
    if (c.ops[i].inputs >= 0) {
      EXPECT_EQ(op.inputs.size(), c.ops[i].inputs);
    }
    for (const auto& [name, numbers] : c.ops[i].ints) {
      const BackendParam* param = Param(op, name);
      ASSERT_NE(param, nullptr) << name;
      EXPECT_EQ(param->ints, numbers) << name;
    }
    for (const auto& [name, number] : c.ops[i].reals) {
      const BackendParam* param = Param(op, name);
      ASSERT_NE(param, nullptr) << name;
      ASSERT_EQ(param->reals.size(), 1) << name;
      EXPECT_NEAR(param->reals[0], number, 1e-9) << name;
    }
  }
}

// A part that nobody takes has the size that is its own, not that of one which is taken.
TEST(LoweredSplit, PartsThatNobodyTakesHaveTheRest) {
  const Lowered lowered(
      Aten("split_with_sizes.default").In({2, 8}).Out({2, 3}).L("split_sizes", {3, 4, 1}).I("dim", 1).builder(), "n");
  ASSERT_THAT(lowered.names(), ElementsAre("Split"));
  ASSERT_EQ(lowered.ops[0].outputs.size(), 3);
  EXPECT_THAT(lowered.ops[0].outputs[0].dims, ElementsAre(2, 3));
  EXPECT_THAT(lowered.ops[0].outputs[1].dims, ElementsAre(2, 4));
  EXPECT_THAT(lowered.ops[0].outputs[2].dims, ElementsAre(2, 1));
}

std::vector<Case> Convolutions() {
  return {
      {"TransposedInOneDimension",
       Onnx("ConvTranspose").In({1, 4, 8}).W({4, 6, 2}).Out({1, 6, 16}).L("strides", {2}).L("output_padding", {1}),
       {{"Reshape"},
        {"TransposeConv2d", 2, {{"stride", {1, 2}}, {"output_padding", {0, 1}}, {"group", {1}}}},
        {"Reshape"}}},
      {"TransposedInThreeDimensions",
       Onnx("ConvTranspose").In({1, 4, 8, 8, 8}).W({4, 6, 2, 2, 2}).Out({1, 6, 15, 15, 15}).L("dilations", {1, 1, 2}),
       {{"TransposeConv3d", 2, {{"dilation", {1, 1, 2}}, {"stride", {1, 1, 1}}}}}},
      {"AtenTransposed",
       Aten("convolution.default").In({1, 4, 8, 8}).W({4, 6, 2, 2}).Out({1, 6, 16, 16}).B("transposed", true),
       {{"TransposeConv2d", 2}}},
      {"AtenPadsBothSides",
       Aten("conv2d.default").In({1, 4, 8, 8}).W({6, 4, 3, 3}).Out({1, 6, 8, 8}).L("padding", {1, 2}).I("stride", 2),
       {{"Conv2d", 2, {{"pad_amount", {1, 1, 2, 2}}, {"stride", {2, 2}}, {"dilation", {1, 1}}}}}},
      {"AtenOnePadForAll",
       Aten("conv2d.default").In({1, 4, 8, 8}).W({6, 4, 3, 3}).Out({1, 6, 8, 8}).L("padding", {1}).L("stride", {3}),
       {{"Conv2d", 2, {{"pad_amount", {1, 1, 1, 1}}, {"stride", {3, 3}}}}}},
      {"AtenPadsToTheSameSize",
       Aten("conv2d.padding")
           .In({1, 4, 8, 8})
           .W({6, 4, 4, 3})
           .Out({1, 6, 8, 8})
           .S("padding", "same")
           .L("dilation", {1, 2}),
       {{"Conv2d", 2, {{"pad_amount", {1, 2, 2, 2}}}}}},
      {"AtenPadsNothing",
       Aten("conv2d.padding").In({1, 4, 8, 8}).W({6, 4, 4, 3}).Out({1, 6, 5, 6}).S("padding", "valid"),
       {{"Conv2d", 2, {{"pad_amount", {0, 0, 0, 0}}}}}},
      {"OnnxPadsAtTheEnd",
       Onnx("Conv").In({1, 4, 9, 8}).W({6, 4, 3, 3}).Out({1, 6, 5, 4}).S("auto_pad", "SAME_UPPER").L("strides", {2, 2}),
       {{"Conv2d", 2, {{"pad_amount", {1, 1, 0, 1}}}}}},
      {"OnnxPadsAtTheBeginning",
       Onnx("Conv").In({1, 4, 9, 8}).W({6, 4, 3, 3}).Out({1, 6, 5, 4}).S("auto_pad", "SAME_LOWER").L("strides", {2, 2}),
       {{"Conv2d", 2, {{"pad_amount", {1, 1, 1, 0}}}}}},
      {"TooFewNumbersAreFilled",
       Aten("conv3d.default")
           .In({1, 4, 8, 8, 8})
           .W({6, 4, 3, 3, 3})
           .Out({1, 6, 8, 8, 8})
           .L("padding", {1, 2})
           .L("stride", {3, 2}),
       {{"Conv3d", 2, {{"pad_amount", {1, 1, 2, 2, 0, 0}}, {"stride", {3, 2, 1}}}}}},
      // ExecuTorch makes a depthwise one of three groups or more.
      {"AtenOfTwoGroups",
       Aten("conv2d.default").In({1, 2, 8, 8}).W({2, 1, 3, 3}).Out({1, 2, 6, 6}).I("groups", 2),
       {{"Conv2d", 2, {{"group", {2}}}}}},
      {"AtenOfThreeGroups",
       Aten("conv2d.default").In({1, 3, 8, 8}).W({3, 1, 3, 3}).Out({1, 3, 6, 6}).I("groups", 3),
       {{"DepthWiseConv2d", 2}}},
      {"OnnxOfTwoGroups",
       Onnx("Conv").In({1, 2, 8, 8}).W({2, 1, 3, 3}).Out({1, 2, 6, 6}).I("group", 2),
       {{"DepthWiseConv2d", 2}}},
      {"DepthwiseByTheInput",
       Onnx("Conv").In({1, 8, 16, 16}).NoShape().Out({1, 8, 14, 14}).I("group", 8),
       {{"DepthWiseConv2d", 2}}},
      {"LinearOfRankThree",
       Aten("linear.default").In({2, 3, 16}).W({8, 16}).Out({2, 3, 8}),
       {{"FullyConnected", 2, {{"keep_dims", {0}}}}, {"Reshape", 1}}},
      {"LinearWithBias", Aten("linear.default").In({2, 16}).W({8, 16}).W({8}).Out({2, 8}), {{"FullyConnected", 3}}},
      {"AddmmIsALinear",
       Aten("addmm.default").W({8}, 0).In({2, 16}, kF32, 1).W({16, 8}, 2).Out({2, 8}),
       {{"FullyConnected", 3}}},
  };
}

std::vector<Case> Elementwise() {
  return {
      {"IntegersAreDividedAsFloats",
       Aten("floor_divide.default").In({2, 4}, kI64).In({2, 4}, kI64).Out({2, 4}, kI64),
       {{"Cast"}, {"Cast"}, {"ElementWiseDivide", 2}, {"ElementWiseFloor"}, {"Cast"}}},
      {"FloatsAreDividedAtOnce",
       Aten("floor_divide.default").In({2, 4}).In({2, 4}).Out({2, 4}),
       {{"ElementWiseBinary", 2, {{"operation", {4}}}}}},
      {"ACastToAnotherTypeStays", Aten("to.dtype").In({2, 4}, kI64).Out({2, 4}), {{"Cast"}}},
      {"IntegersBesideFloatsBecomeSuch",
       Aten("add.Tensor").In({2, 4}).In({2, 4}, kI64).Out({2, 4}),
       {{"Cast"}, {"ElementWiseAdd", 2}}},
      {"IntegersStayAmongThemselves",
       Aten("add.Tensor").In({2, 4}, kI64).In({2, 4}, kI64).Out({2, 4}, kI64),
       {{"ElementWiseAdd", 2}}},
      {"RandomOfAShape", Aten("rand_like.default").In({2, 4}).Out({2, 4}), {{"RandomUniformLike", 1}}},
      {"RandomNormal", Aten("randn_like.default").In({2, 4}).Out({2, 4}), {{"RandomNormalLike", 1}}},
      {"HadamardTransform",
       One(v1::Graph::PT2E, "qnn_custom.hadamard_transform.default").In({2, 8}).Out({2, 8}).F("scale", 0.5),
       {{"HadamardTransform", 1}}},
      {"AtenScalarOperand", Aten("add.Scalar").In({1, 8}).Out({1, 8}), {{"ElementWiseAdd", 2}}},
      {"SquareIsAPower", Aten("square.default").In({1, 8}).Out({1, 8}), {{"ElementWisePower", 2}}},
      {"FloorDivide",
       Aten("floor_divide.default").In({1, 8}).In({1, 8}).Out({1, 8}),
       {{"ElementWiseBinary", 2, {{"operation", {4}}}}}},
      {"Relu6", Aten("relu6.default").In({1, 8}).Out({1, 8}), {{"ReluMinMax", 1, {}, {{"max_value", 6}}}}},
      {"ClampByAttributes",
       Aten("hardtanh.default").In({1, 8}).Out({1, 8}).F("min_val", -1).I("max_val", 2),
       {{"ReluMinMax", 1, {}, {{"min_value", -1}, {"max_value", 2}}}}},
      {"ClampByIntegers",
       Onnx("Clip").In({1, 8}).Const({0}).Const({6}).Out({1, 8}),
       {{"ReluMinMax", 1, {}, {{"min_value", 0}, {"max_value", 6}}}}},
      {"ClampAtRunTime",
       Onnx("Clip").In({1, 8}).In({}).In({}).Out({1, 8}),
       {{"ReluMinMax", 1, {}, {{"max_value", 3.4028234663852886e38}}}}},
      {"LeakyReluHasASlope", Onnx("LeakyRelu").In({1, 8}).Out({1, 8}), {{"Prelu", 2}}},
      {"PRelu", Onnx("PRelu").In({1, 8, 4, 4}).W({8}).Out({1, 8, 4, 4}), {{"Prelu", 2}}},
      {"EluTakesItsAlpha", Onnx("Elu").In({1, 8}).Out({1, 8}).F("alpha", 0.5), {{"Elu", 1, {}, {{"alpha", 0.5}}}}},
      {"AtenHardSigmoidIsOneSixth",
       Aten("hardsigmoid.default").In({1, 8}).Out({1, 8}),
       {{"ElementWiseNeuron", 1, {{"operation", {2}}}, {{"alpha", 1.0 / 6}, {"beta", 0.5}}}}},
      {"MaskedFillByScalar",
       Aten("masked_fill.Scalar").In({1, 8}).In({1, 8}, v1::DATA_TYPE_BOOL).Out({1, 8}),
       {{"ElementWiseSelect", 3}}},
      {"MaskedFillByTensor",
       Aten("masked_fill.Tensor").In({1, 8}).In({1, 8}, v1::DATA_TYPE_BOOL).In({}).Out({1, 8}),
       {{"ElementWiseSelect", 3}}},
      {"AtenSoftmaxKeepsItsAxis",
       Aten("softmax.int").In({1, 4, 8, 8}).Out({1, 4, 8, 8}).I("dim", 2),
       {{"Softmax", 1, {{"axis", {2}}}}}},
      {"AtenSoftmaxOverChannels",
       Aten("softmax.int").In({1, 4, 8, 8}).Out({1, 4, 8, 8}).I("dim", 1),
       {{"Softmax", 1, {{"axis", {3}}}}}},
  };
}

std::vector<Case> Pools() {
  return {
      {"InOneDimension",
       Onnx("AveragePool").In({1, 4, 16}).Out({1, 4, 8}).L("kernel_shape", {2}).L("strides", {2}),
       {{"Reshape"},
        {"PoolAvg2d", 1, {{"filter_size", {1, 2}}, {"stride", {1, 2}}, {"count_pad_for_edges", {0}}}},
        {"Reshape"}}},
      {"InThreeDimensions",
       Aten("avg_pool3d.default").In({1, 4, 8, 8, 8}).Out({1, 4, 4, 4, 4}).L("kernel_size", {2, 2, 2}),
       {{"PoolAvg3d", 1, {{"stride", {2, 2, 2}}, {"count_pad_for_edges", {1}}}}}},
      {"AtenStrideIsTheKernel",
       Aten("max_pool2d.default").In({1, 4, 8, 8}).Out({1, 4, 2, 4}).L("kernel_size", {3, 2}).B("ceil_mode", true),
       {{"PoolMax2d", 1, {{"stride", {3, 2}}, {"rounding_mode", {1}}}}}},
      {"OnnxStrideIsOne",
       Onnx("MaxPool").In({1, 4, 8, 8}).Out({1, 4, 6, 7}).L("kernel_shape", {3, 2}).L("dilations", {1, 1}),
       {{"PoolMax2d", 1, {{"stride", {1, 1}}, {"rounding_mode", {0}}}}}},
      {"Adaptive",
       Aten("adaptive_avg_pool2d.default").In({1, 4, 8, 6}).Out({1, 4, 4, 2}),
       {{"PoolAvg2d", 1, {{"filter_size", {2, 3}}, {"stride", {2, 3}}}}}},
      {"GlobalInOneDimension",
       Onnx("GlobalMaxPool").In({1, 4, 8}).Out({1, 4, 1}),
       {{"Reshape"}, {"PoolMax2d", 1, {{"filter_size", {1, 8}}}}, {"Reshape"}}},
      {"GlobalInThreeDimensions",
       Onnx("GlobalMaxPool").In({1, 4, 8, 7, 6}).Out({1, 4, 1, 1, 1}),
       {{"PoolMax3d", 1, {{"filter_size", {8, 7, 6}}}}}},
  };
}

std::vector<Case> Norms() {
  return {
      {"InstanceNormAlone",
       Aten("instance_norm.default").In({1, 4, 8, 8}).Out({1, 4, 8, 8}).F("eps", 0.5),
       {{"InstanceNorm", 2, {}, {{"epsilon", 0.5}}}}},
      {"OnnxInstanceNormAlone",
       Onnx("InstanceNormalization").In({1, 4, 8, 8}).Out({1, 4, 8, 8}),
       {{"InstanceNorm", 1}}},
      {"InstanceNormWithBoth",
       Onnx("InstanceNormalization").In({1, 4, 8, 8}).W({4}).W({4}).Out({1, 4, 8, 8}),
       {{"InstanceNorm", 3, {}, {{"epsilon", 1e-5}}}}},
      {"BatchNormFoldsItsStatistics",
       Onnx("BatchNormalization").In({1, 4, 8, 8}).W({4}).W({4}).W({4}).W({4}).Out({1, 4, 8, 8}),
       {{"Batchnorm", 3}}},
      {"GroupNorm",
       Aten("group_norm.default").In({1, 4, 8, 8}, kF32, 0).W({4}, 2).W({4}, 3).Out({1, 4, 8, 8}).I("num_groups", 2),
       {{"GroupNorm", 3, {{"group", {2}}}}}},
      {"BetaWithoutGamma",
       Aten("layer_norm.default").In({2, 4, 8}, kF32, 0).W({8}, 3).Out({2, 4, 8}).L("normalized_shape", {8}),
       {{"LayerNorm", 3, {{"axes", {2}}}}}},
      {"LayerNormAlone",
       Aten("layer_norm.default").In({2, 4, 8}).Out({2, 4, 8}).L("normalized_shape", {8}),
       {{"LayerNorm", 2, {{"axes", {2}}}}}},
      {"AtenRmsNormAlone",
       Aten("rms_norm.default").In({2, 4, 8}).Out({2, 4, 8}).L("normalized_shape", {8}),
       {{"RmsNorm", 3, {{"axes", {2}}}}}},
      {"RmsNorm",
       Onnx("RMSNormalization").In({2, 4, 8}).W({8}).Out({2, 4, 8}),
       {{"RmsNorm", 3, {{"axes", {2}}}, {{"epsilon", 1e-6}}}}},
      {"BatchNormWithoutGamma",
       Aten("batch_norm.default").In({1, 4, 8, 8}, kF32, 0).W({4}, 3).W({4}, 4).Out({1, 4, 8, 8}),
       {{"Batchnorm", 2}}},
      {"LocalResponse",
       Onnx("LRN").In({1, 8, 4, 4}).Out({1, 8, 4, 4}).I("size", 5).F("bias", 2),
       {{"Lrn", 1, {{"radius", {2}}}, {{"alpha", 1e-4}, {"beta", 0.75}, {"bias", 2}}}}},
  };
}

std::vector<Case> Movement() {
  return {
      {"TransposeOfTwo",
       Aten("transpose.int").In({2, 3, 4}).Out({2, 4, 3}).I("dim0", -1).I("dim1", 1),
       {{"Transpose", 1, {{"perm", {0, 2, 1}}}}}},
      {"TransposeOutOfRange",
       Aten("transpose.int").In({2, 3, 4}).Out({2, 3, 4}).I("dim0", -7).I("dim1", 9),
       {{"Transpose", 1, {{"perm", {0, 1, 2}}}}}},
      {"Permute",
       Aten("permute.default").In({2, 3, 4}).Out({4, 2, 3}).L("dims", {-1, 0, 1}),
       {{"Transpose", 1, {{"perm", {2, 0, 1}}}}}},
      {"StackAddsADimension",
       Aten("stack.default").In({2, 3}).In({2, 3}).Out({2, 3, 2}).I("dim", -1),
       {{"Pack", 2, {{"axis", {2}}}}}},
      {"SplitStatesPositions",
       Onnx("Split").In({2, 8}).Out({2, 3}).Out({2, 4}).Out({2, 1}).I("axis", -1),
       {{"Split", 1, {{"axis", {1}}, {"split_index", {3, 7}}}}}},
      {"SplitOfWhichOnePartIsTaken",
       Aten("split.Tensor").In({2, 8}).Out({2, 3}).I("split_size", 3).I("dim", -1),
       {{"Split", 1, {{"axis", {1}}, {"split_index", {3, 6}}}}}},
      {"SplitByChunks",
       Aten("chunk.default").In({7}).Out({3}).I("chunks", 3),
       {{"Split", 1, {{"axis", {0}}, {"split_index", {3, 6}}}}}},
      {"SliceOfTheFirstAxes",
       Onnx("Slice").In({6, 8}).Const({1}).Const({4}).Out({3, 8}),
       {{"StridedSlice", 1, {{"ranges", {1, 4, 1, 0, 8, 1}}}}}},
      {"SliceFromTheEndWithSteps",
       Onnx("Slice").In({2, 8}).Const({-3, 1}).Const({1000, 2}).Const({-1, 0}).Const({2, 1}).Out({1, 2}),
       {{"StridedSlice", 1, {{"ranges", {1, 2, 1, 5, 8, 2}}}}}},
      {"SliceBackwards",
       Onnx("Slice").In({8}).Const({-1}).Const({-1000}).Const({0}).Const({-1}).Out({8}),
       {{"StridedSlice", 1, {{"ranges", {7, -1, -1}}}}}},
      {"SliceFromSomewhere",
       Onnx("Slice").In({2, 8}).In({1}).In({1}).Out({2, 4}),
       {{"StridedSlice", 1, {{"ranges", {}}}}}},
      {"AtenSlice",
       Aten("slice.Tensor").In({2, 8}).Out({2, 5}).I("dim", -1).I("start", 3).I("end", 9223372036854775807),
       {{"StridedSlice", 1, {{"ranges", {0, 2, 1, 3, 8, 1}}}}}},
      {"AtenNarrow",
       Aten("narrow.default").In({2, 8}).Out({2, 3}).I("dim", 1).I("start", 2).I("length", 3),
       {{"StridedSlice", 1, {{"ranges", {0, 2, 1, 2, 5, 1}}}}}},
      {"AtenNarrowFromTheEnd",
       Aten("narrow.default").In({2, 8}).Out({2, 3}).I("dim", 1).I("start", -3).I("length", 3),
       {{"StridedSlice", 1, {{"ranges", {0, 2, 1, 5, 8, 1}}}}}},
      {"SelectDropsTheDimension",
       Aten("select.int").In({2, 8, 4}).Out({2, 4}).I("dim", -2).I("index", 3),
       {{"StridedSlice", 1, {{"ranges", {0, 2, 1, 3, 3, 1, 0, 4, 1}}, {"shrink_axes", {2}}}}}},
      {"SelectFromTheEnd",
       Aten("select.int").In({2, 8}).Out({8}).I("dim", 0).I("index", -1),
       {{"StridedSlice", 1, {{"ranges", {1, 1, 1, 0, 8, 1}}, {"shrink_axes", {1}}}}}},
      {"SelectBesideTheTensor",
       Aten("select.int").In({2, 8}).Out({8}).I("dim", 0).I("index", 2),
       {{"StridedSlice", 1, {{"ranges", {}}, {"shrink_axes", {1}}}}}},
      {"FlipReadsBackwards",
       Aten("flip.default").In({2, 8, 4}).Out({2, 8, 4}).L("dims", {0, -1}),
       {{"StridedSlice", 1, {{"ranges", {1, -1, -1, 0, 8, 1, 3, -1, -1}}}}}},
      {"MatrixTransposeKeepsTheBatch",
       Aten("mT.default").In({2, 8, 4}).Out({2, 4, 8}),
       {{"Transpose", 1, {{"perm", {0, 2, 1}}}}}},
      {"OnnxPadBeforesFirst",
       Onnx("Pad").In({2, 8}).Const({1, 2, 3, 4}).Out({6, 14}),
       {{"Pad", 1, {{"scheme", {0}}, {"pad_amount", {1, 3, 2, 4}}}}}},
      {"AtenPadCountsFromTheEnd",
       Aten("constant_pad_nd.default").In({2, 8}).Out({2, 11}).L("pad", {1, 2}),
       {{"Pad", 1, {{"pad_amount", {0, 0, 1, 2}}}}}},
      {"PadReflects",
       Onnx("Pad").In({2, 8}).Out({2, 10}).S("mode", "reflect").L("pads", {0, 1, 0, 1}),
       {{"Pad", 1, {{"scheme", {2}}}}}},
      {"PadRepeatsTheEdge",
       Onnx("Pad").In({2, 8}).Out({2, 10}).S("mode", "edge").L("pads", {0, 1, 0, 1}),
       {{"Pad", 1, {{"scheme", {3}}}}}},
      {"ReflectionPad",
       Aten("reflection_pad1d.default").In({2, 8}).Out({2, 10}).L("padding", {1, 1}),
       {{"Pad", 1, {{"scheme", {2}}}}}},
      {"ReplicationPad",
       Aten("replication_pad1d.default").In({2, 8}).Out({2, 10}).L("padding", {1, 1}),
       {{"Pad", 1, {{"scheme", {3}}}}}},
      // No QNN tensor has nine dimensions; the operator is judged by its rank.
      {"PadOfRankNine",
       Onnx("Pad")
           .In({1, 1, 1, 1, 1, 1, 1, 1, 2})
           .L("pads", std::vector<int64_t>(18, 1))
           .Out(std::vector<int64_t>(9, 3)),
       {{"Pad", 1, {{"pad_amount", {}}}}}},
      {"PadOfUnknownRank", Onnx("Pad").NoShape().L("pads", {1, 1}).Out({4}), {{"Pad", 1, {{"pad_amount", {}}}}}},
      {"AtenExpandTiles", Aten("expand.default").In({1, 8}).Out({3, 4, 8}), {{"Tile", 1, {{"multiples", {4, 1}}}}}},
      {"TileOfUnknownSizes", Onnx("Tile").In({-1, 8}).Out({-1, 16}), {{"Tile", 1, {{"multiples", {1, 2}}}}}},
      {"PixelShuffleIsColumnRowDepth",
       Aten("pixel_shuffle.default").In({1, 8, 2, 2}).Out({1, 2, 4, 4}).I("upscale_factor", 2),
       {{"DepthToSpace", 1, {{"block_size", {2, 2}}, {"mode", {1}}}}}},
      {"DepthToSpaceIsDepthColumnRow",
       Onnx("DepthToSpace").In({1, 8, 2, 2}).Out({1, 2, 4, 4}).I("blocksize", 2).S("mode", "DCR"),
       {{"DepthToSpace", 1, {{"mode", {0}}}}}},
      {"DepthToSpaceOtherwise",
       Onnx("DepthToSpace").In({1, 8, 2, 2}).Out({1, 2, 4, 4}).I("blocksize", 2).S("mode", "CRD"),
       {{"DepthToSpace", 1, {{"mode", {1}}}}}},
      {"ChannelShuffle",
       Aten("channel_shuffle.default").In({1, 8, 2, 2}).Out({1, 8, 2, 2}).I("groups", 4),
       {{"ChannelShuffle", 1, {{"num_groups", {4}}, {"axis", {3}}}}}},
  };
}

std::vector<Case> Indexing() {
  return {
      // The dimension of a single index stays until a Reshape drops it.
      {"GatherOne",
       Onnx("Gather").In({4, 5, 6}).In({}, kI64).Out({4, 6}).I("axis", 1),
       {{"Gather", 2, {{"axis", {1}}}}, {"Reshape", 1}}},
      {"GatherElements",
       Onnx("GatherElements").In({4, 4}).In({4, 4}, kI64).Out({4, 4}).I("axis", -1),
       {{"GatherElements", 2, {{"axis", {1}}}}}},
      {"GatherNd",
       Onnx("GatherND").In({4, 4}).In({4, 1}, kI64).Out({4, 4}).I("batch_dims", 1),
       {{"GatherNd", 2, {{"batch_dims", {1}}}}}},
      {"IndexWithOneTensor",
       Aten("index.Tensor").In({4, 4}).In({2}, kI64).Out({2, 4}),
       {{"Gather", 2, {{"axis", {0}}}}}},
      {"ScatterWithoutReduction",
       Onnx("ScatterElements").In({4, 4}).In({4, 4}, kI64).In({4, 4}).Out({4, 4}).I("axis", -1),
       {{"ScatterElements", 3, {{"axis", {1}}, {"reduction", {0}}}}}},
      {"ScatterOfANumber",
       Aten("scatter.value").In({4, 4}, kF32, 0).In({4, 4}, kI64, 2).Out({4, 4}).I("dim", 1),
       {{"ScatterElements", 3, {{"axis", {1}}}}}},
      {"IndexPut",
       Aten("index_put.default").In({4, 8}, kF32, 0).In({2}, kI64, 1).In({2, 8}, kF32, 2).Out({4, 8}),
       {{"ScatterNd", 3, {{"reduction", {0}}}}}},
      {"SliceScatter",
       Aten("slice_scatter.default").In({4, 8}, kF32, 0).In({2, 8}, kF32, 1).Out({4, 8}),
       {{"ScatterNd", 3}}},
      {"IndexBehindAFullAxis",
       Aten("index.Tensor").In({4, 8}, kF32, 0).Omitted(1).In({2}, kI64, 1).Out({4, 2}),
       {{"Gather", 2, {{"axis", {1}}}}}},
      {"CopyIsAReshape", Aten("copy.default").In({4, 8}, kF32, 0).In({4, 8}, kF32, 1).Out({4, 8}), {{"Reshape", 1}}},
      {"ColumnsToImage",
       Aten("col2im.default").In({1, 16, 4}, kF32, 0).Out({1, 4, 4, 4}).L("kernel_size", {2, 2}),
       {{"Reshape", 1}, {"DepthToSpace", 1, {{"block_size", {2, 2}}, {"mode", {1}}}}}},
      {"ImageToColumns",
       Aten("im2col.default").In({1, 4, 4, 4}, kF32, 0).Out({1, 16, 4}).L("kernel_size", {2, 2}),
       {{"SpaceToDepth", 1, {{"block_size", {2, 2}}}}, {"Reshape", 1}}},
      {"DifferenceOfNeighbors",
       Aten("diff.default").In({2, 8}, kI64, 0).Out({2, 7}, kI64),
       {{"StridedSlice", 1}, {"StridedSlice", 1}, {"ElementWiseSubtract", 2}}},
      {"ScatterAdds",
       Onnx("ScatterND").In({4, 4}).In({4, 1}, kI64).In({4, 4}).Out({4, 4}).S("reduction", "add"),
       {{"ScatterNd", 3, {{"reduction", {1}}}}}},
      {"ScatterMultiplies",
       Onnx("ScatterND").In({4, 4}).In({4, 1}, kI64).In({4, 4}).Out({4, 4}).S("reduction", "mul"),
       {{"ScatterNd", 3, {{"reduction", {2}}}}}},
      {"ScatterTakesTheLargest",
       Onnx("ScatterElements").In({4, 4}).In({4, 4}, kI64).In({4, 4}).Out({4, 4}).S("reduction", "max"),
       {{"ScatterElements", 3, {{"reduction", {3}}}}}},
      {"ScatterTakesTheSmallest",
       Onnx("ScatterElements").In({4, 4}).In({4, 4}, kI64).In({4, 4}).Out({4, 4}).S("reduction", "min"),
       {{"ScatterElements", 3, {{"reduction", {4}}}}}},
      {"OneHot",
       Onnx("OneHot").In({4}, kI64).Const({10}).Reals({0, 1}).Out({4, 10}),
       {{"OneHot", 1, {{"depth", {10}}, {"axis", {1}}}}}},
      {"NonMaxSuppression",
       Onnx("NonMaxSuppression").In({1, 9, 4}).In({1, 2, 9}).Const({5}).Reals({0.5}).Out({5, 3}),
       {{"NonMaxSuppression", 2, {}, {{"iou_threshold", 0.5}, {"score_threshold", 0}}}}},
  };
}

std::vector<Case> Reductions() {
  return {
      {"AtenDropsTheDimension",
       Aten("mean.dim").In({2, 4, 8}).Out({2, 4}).L("dim", {-1}),
       {{"ReduceMean", 1, {{"axes", {2}}, {"keep_dims", {0}}}}}},
      {"AxesFromAConstant",
       Onnx("ReduceSum").In({2, 4, 8}).Const({1, -1}).Out({2, 1, 1}),
       {{"ReduceSum", 1, {{"axes", {1, 2}}, {"keep_dims", {1}}}}}},
      {"NoAxesMeansAll",
       Onnx("ReduceMax").In({2, 4}).Out({1, 1}).L("axes", {}),
       {{"ReduceMax", 1, {{"axes", {0, 1}}}}}},
      {"AnyCountsWhatIsNotZero",
       Aten("any.dim").In({2, 4, 8}).Out({2, 4}, v1::DATA_TYPE_BOOL).I("dim", -1),
       {{"Cast"}, {"Cast"}, {"ReduceSum", 1, {{"axes", {2}}, {"keep_dims", {0}}}}, {"ElementWiseNotEqual", 2}}},
      {"AnyOfTruths",
       Aten("any.default").In({2, 4}, v1::DATA_TYPE_BOOL).Out({}, v1::DATA_TYPE_BOOL),
       {{"Cast"}, {"ReduceSum", 1, {{"axes", {0, 1}}}}, {"ElementWiseNotEqual", 2}}},
      {"CumulativeSum",
       Onnx("CumSum").In({2, 4}).Const({-1}).Out({2, 4}).I("exclusive", 1),
       {{"CumulativeSum", 1, {{"axis", {1}}, {"exclusive", {1}}, {"reverse", {0}}}}}},
      {"TopKOfTheSmallest",
       Onnx("TopK").In({2, 8}).Const({3}).Out({2, 3}).Out({2, 3}, kI64).I("largest", 0),
       {{"TopK", 1, {{"k", {3}}, {"largest", {0}}}}}},
      {"SortKeepsEverything",
       One(v1::Graph::PT2E, "aten.sort.default").In({2, 8}).Out({2, 8}).Out({2, 8}, kI64).I("descending", 1),
       {{"TopK", 1, {{"k", {8}}, {"largest", {1}}}}}},
      {"MaxWithItsIndex",
       Aten("max.dim").In({2, 8}).Out({2}).Out({2}, kI64).I("dim", -1),
       {{"ReduceMax", 1, {{"axes", {1}}, {"keep_dims", {0}}}}, {"Argmax", 1, {{"axis", {1}}}}}},
      {"MinWithItsIndex",
       Aten("min.dim").In({2, 8}).Out({2, 1}).Out({2, 1}, kI64).I("dim", 1).B("keepdim", true),
       {{"ReduceMin", 1, {{"keep_dims", {1}}}}, {"Argmin", 1, {{"keep_dims", {1}}}}}},
      {"MinAlone", Aten("min.dim").In({2, 8}).Out({2}).I("dim", 1), {{"ReduceMin", 1}}},
  };
}

std::vector<Case> Resizes() {
  const auto resize = [] { return Onnx("Resize").In({1, 4, 8, 8}).Out({1, 4, 16, 16}); };
  return {
      {"LinearIsBilinear",
       resize().S("mode", "linear"),
       {{"ResizeBilinear", 1, {{"align_corners", {0}}, {"half_pixel_centers", {1}}}}}},
      {"LinearAligned",
       resize().S("mode", "linear").S("coordinate_transformation_mode", "align_corners"),
       {{"ResizeBilinear", 1, {{"align_corners", {1}}, {"half_pixel_centers", {0}}}}}},
      {"PytorchHalfPixelHasNoSpecialOperator",
       resize().S("mode", "linear").S("coordinate_transformation_mode", "pytorch_half_pixel"),
       {{"Resize", 1, {{"transformation_mode", {1}}, {"interpolation_mode", {1}}}}}},
      {"NearestOfTheTensorFlowKind",
       resize().S("coordinate_transformation_mode", "asymmetric").S("nearest_mode", "floor"),
       {{"ResizeNearestNeighbor", 1}}},
      {"NearestRoundedUp",
       resize().S("coordinate_transformation_mode", "half_pixel").S("nearest_mode", "ceil"),
       {{"Resize", 1, {{"transformation_mode", {0}}, {"nearest_mode", {3}}}}}},
      {"NearestPreferringUp",
       resize().S("nearest_mode", "round_prefer_ceil").I("exclude_outside", 1),
       {{"Resize", 1, {{"nearest_mode", {1}}, {"exclude_outside", {1}}}}}},
      {"Cubic",
       resize().S("mode", "cubic").F("cubic_coeff_a", -0.5),
       {{"Resize", 1, {{"interpolation_mode", {2}}}, {{"cubic_coeff", -0.5}}}}},
      {"InThreeDimensions",
       Onnx("Resize").In({1, 4, 8, 8, 8}).Out({1, 4, 16, 16, 16}).S("mode", "linear"),
       {{"Resize", 1, {{"interpolation_mode", {1}}}}}},
      {"AtenNearest",
       Aten("upsample_nearest2d.vec").In({1, 4, 8, 8}).Out({1, 4, 16, 16}),
       {{"ResizeNearestNeighbor", 1}}},
      {"AtenBilinear",
       Aten("upsample_bilinear2d.vec").In({1, 4, 8, 8}).Out({1, 4, 16, 16}).B("align_corners", true),
       {{"ResizeBilinear", 1, {{"align_corners", {1}}}}}},
      {"AtenBicubic",
       Aten("upsample_bicubic2d.vec").In({1, 4, 8, 8}).Out({1, 4, 16, 16}).B("align_corners", false),
       {{"Resize", 1, {{"interpolation_mode", {2}}, {"transformation_mode", {0}}}}}},
      {"GridSample",
       Onnx("GridSample").In({1, 4, 8, 8}).In({1, 8, 8, 2}).Out({1, 4, 8, 8}).S("padding_mode", "border"),
       {{"GridSample", 2, {{"mode", {0}}, {"padding_mode", {1}}, {"align_corners", {0}}}}}},
      {"GridSampleByNumbers",
       Onnx("GridSample")
           .In({1, 4, 8, 8})
           .In({1, 8, 8, 2})
           .Out({1, 4, 8, 8})
           .I("interpolation_mode", 1)
           .I("padding_mode", 2),
       {{"GridSample", 2, {{"mode", {1}}, {"padding_mode", {2}}}}}},
      {"GridSampleNearest",
       Onnx("GridSample")
           .In({1, 4, 8, 8})
           .In({1, 8, 8, 2})
           .Out({1, 4, 8, 8})
           .S("mode", "nearest")
           .S("padding_mode", "reflection"),
       {{"GridSample", 2, {{"mode", {1}}, {"padding_mode", {2}}}}}},
  };
}

std::vector<Case> Recurrent() {
  const auto lstm = [] {
    return Onnx("LSTM")
        .In({5, 2, 16})
        .W({1, 32, 16})
        .W({1, 32, 8})
        .W({1, 64})
        .Omitted()
        .In({1, 2, 8})
        .In({1, 2, 8})
        .W({1, 24});
  };
  return {
      {"LstmHasATensorPerGate",
       lstm().Out({5, 1, 2, 8}).Out({1, 2, 8}).Out({1, 2, 8}).S("direction", "reverse").F("clip", 3),
       {{"Lstm", 22, {{"direction", {1}}, {"time_major", {1}}}, {{"cell_clip_threshold", 3}}}}},
      {"LstmBatchFirst",
       lstm().Out({2, 5, 1, 8}).OmittedOut().OmittedOut().I("layout", 1),
       {{"Lstm", 22, {{"direction", {0}}, {"time_major", {0}}}}}},
  };
}

INSTANTIATE_TEST_SUITE_P(Convolutions, Lowers, ::testing::ValuesIn(Convolutions()));
INSTANTIATE_TEST_SUITE_P(Elementwise, Lowers, ::testing::ValuesIn(Elementwise()));
INSTANTIATE_TEST_SUITE_P(Pools, Lowers, ::testing::ValuesIn(Pools()));
INSTANTIATE_TEST_SUITE_P(Norms, Lowers, ::testing::ValuesIn(Norms()));
INSTANTIATE_TEST_SUITE_P(Movement, Lowers, ::testing::ValuesIn(Movement()));
INSTANTIATE_TEST_SUITE_P(Indexing, Lowers, ::testing::ValuesIn(Indexing()));
INSTANTIATE_TEST_SUITE_P(Reductions, Lowers, ::testing::ValuesIn(Reductions()));
INSTANTIATE_TEST_SUITE_P(Resizes, Lowers, ::testing::ValuesIn(Resizes()));
INSTANTIATE_TEST_SUITE_P(Recurrent, Lowers, ::testing::ValuesIn(Recurrent()));

// ---- What is not emitted ----

struct Refusal {
  std::string name;
  One graph;
  Lowering::Status status;
};

void PrintTo(const Refusal& refusal, std::ostream* out) { *out << refusal.name; }

class DoesNotLower : public ::testing::TestWithParam<Refusal> {};

TEST_P(DoesNotLower, AndSaysWhy) {
  Refusal c = GetParam();
  const Lowered lowered(c.graph.builder(), "n");
  EXPECT_EQ(lowered.result.status, c.status) << lowered.result.reason;
  if (c.status != Lowering::kFolded) {
    EXPECT_FALSE(lowered.result.reason.empty());
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, DoesNotLower,
    ::testing::Values(
        Refusal{"ConvolutionOfUnknownRank", Onnx("Conv").NoShape().NoShape().Out({1}), Lowering::kUnknown},
        Refusal{"ConvolutionOfRankTwo", Onnx("Conv").In({1, 4}).W({4, 4}).Out({1, 4}), Lowering::kUnknown},
        Refusal{"TransposedOfUnknownRank", Onnx("ConvTranspose").NoShape().NoShape().Out({1}), Lowering::kUnknown},
        Refusal{"GemmWithAlpha", Onnx("Gemm").In({2, 4}).W({4, 8}).Out({2, 8}).F("alpha", 0.5),
                Lowering::kNoCounterpart},
        Refusal{"GemmWithBeta", Onnx("Gemm").In({2, 4}).W({4, 8}).Out({2, 8}).F("beta", 2), Lowering::kNoCounterpart},
        Refusal{"SumOfThree", Onnx("Sum").In({2}).In({2}).In({2}).Out({2}), Lowering::kUnknown},
        Refusal{"AddOfNothing", Onnx("Add").Out({2}), Lowering::kUnknown},
        Refusal{"FloorDivideOfNothing", Aten("floor_divide.default").Out({2}), Lowering::kUnknown},
        Refusal{"DilatedPool", Onnx("MaxPool").In({1, 4, 8, 8}).Out({1, 4, 4, 4}).L("dilations", {2, 2}),
                Lowering::kNoCounterpart},
        Refusal{"NormOverTwoDimensions",
                Aten("layer_norm.default").In({2, 4, 8}).Out({2, 4, 8}).L("normalized_shape", {4, 8}),
                Lowering::kNoCounterpart},
        Refusal{"PoolOfRankTwo", Onnx("MaxPool").In({4, 8}).Out({4, 4}), Lowering::kNoCounterpart},
        Refusal{"PoolOfUnknownRank", Onnx("MaxPool").NoShape().Out({4, 4}), Lowering::kUnknown},
        Refusal{"NormByTheOneNorm", Onnx("LpNormalization").In({2, 4}).Out({2, 4}).I("p", 1), Lowering::kNoCounterpart},
        Refusal{"CircularPad", Onnx("Pad").In({2}).Out({4}).S("mode", "wrap").L("pads", {1, 1}),
                Lowering::kNoCounterpart},
        Refusal{"PadAtRunTime", Onnx("Pad").In({2}).In({2}, kI64).Out({4}), Lowering::kNoCounterpart},
        Refusal{"SplitOfUnknownSize", Onnx("Split").In({2, -1}).Out({2, -1}).Out({2, 4}).I("axis", 1),
                Lowering::kUnknown},
        Refusal{"IndexWithTwoTensors", Aten("index.Tensor").In({4, 4}).In({2}, kI64).In({2}, kI64).Out({2}),
                Lowering::kNoCounterpart},
        Refusal{"OneHotOfADepthAtRunTime", Onnx("OneHot").In({4}, kI64).In({}, kI64).Out({4, 10}),
                Lowering::kNoCounterpart},
        Refusal{"SuppressionAtRunTime",
                Onnx("NonMaxSuppression").In({1, 9, 4}).In({1, 2, 9}).Const({5}).In({}).Out({5, 3}),
                Lowering::kNoCounterpart},
        Refusal{"ScoreAtRunTime",
                Onnx("NonMaxSuppression").In({1, 9, 4}).In({1, 2, 9}).Const({5}).Reals({0.5}).In({}).Out({5, 3}),
                Lowering::kNoCounterpart},
        Refusal{"CumulativeSumAtRunTime", Onnx("CumSum").In({4}).In({}, kI64).Out({4}), Lowering::kNoCounterpart},
        Refusal{
            "ResizeByCropping",
            Onnx("Resize").In({1, 4, 8, 8}).Out({1, 4, 4, 4}).S("coordinate_transformation_mode", "tf_crop_and_resize"),
            Lowering::kNoCounterpart},
        Refusal{"CubicGridSample",
                Onnx("GridSample").In({1, 4, 8, 8}).In({1, 8, 8, 2}).Out({1, 4, 8, 8}).S("mode", "cubic"),
                Lowering::kNoCounterpart},
        Refusal{
            "BidirectionalLstm",
            Onnx("LSTM").In({5, 2, 16}).W({2, 32, 16}).W({2, 32, 8}).Out({5, 2, 2, 8}).S("direction", "bidirectional"),
            Lowering::kNoCounterpart},
        Refusal{"SplitIntoOnePart", Aten("split_with_sizes.default").In({4}).Out({4}).L("split_sizes", {4}),
                Lowering::kNoCounterpart},
        Refusal{"SplitIntoOneOutput", Onnx("Split").In({4}).Out({4}), Lowering::kNoCounterpart},
        Refusal{"SplitIntoTooManyParts", Aten("split.Tensor").In({1LL << 40}).Out({1}).I("split_size", 1),
                Lowering::kUnknown},
        Refusal{"TakenApart", Aten("silu.default").In({4}).Out({4}), Lowering::kUnknown},
        Refusal{"DifferenceWithAnEdge", Aten("diff.default").In({2, 8}, kF32, 0).In({2, 1}, kF32, 3).Out({2, 8}),
                Lowering::kUnknown},
        Refusal{"NoSuchOperator", Onnx("NoSuchOperator").In({4}).Out({4}), Lowering::kNoCounterpart},
        Refusal{"OtherOrigin", One(v1::Graph::TFLITE, "CONV_2D").In({4}).Out({4}), Lowering::kUnknown},
        Refusal{"Identity", Onnx("Identity").In({4}).Out({4}), Lowering::kFolded},
        Refusal{"Dropout", Aten("dropout.default").In({4}).Out({4}), Lowering::kFolded},
        Refusal{"DropoutOfChannels", Aten("feature_dropout.default").In({4}).Out({4}), Lowering::kFolded},
        Refusal{"CastToItsOwnType", Aten("to.dtype").In({4}).Out({4}), Lowering::kFolded}));

TEST(HtpLowering, UnbindIsASliceAndAReshapePerResult) {
  One graph = Aten("unbind.int").In({2, 3});
  graph.node().add_outputs(graph.builder().Id("tuple"));
  for (int i = 0; i < 2; ++i) {
    const std::string name = absl::StrCat("y", i);
    graph.builder().Int(graph.builder().Node("operator.getitem", name, {"tuple"}, {name}), "index", i);
    graph.builder().Shape(name, kF32, {3});
    graph.builder().Output(name);
  }
  const Lowered lowered(graph.builder(), "n");
  EXPECT_THAT(lowered.names(), ElementsAre("StridedSlice", "Reshape", "StridedSlice", "Reshape"));
  EXPECT_EQ(lowered.ops[0].outputs[0].rank, 2);
  EXPECT_EQ(lowered.ops[1].outputs[0].rank, 1);
}

// What nobody takes is emitted all the same.
TEST(HtpLowering, ResultsThatNobodyTakes) {
  for (const char* op : {"aten.topk.default", "aten.sort.default"}) {
    GraphBuilder b(v1::Graph::PT2E, v1::STAGE_ANNOTATED);
    b.Input("x", kF32, {2, 8});
    b.Int(b.Node(op, "n", {"x"}, {"tuple"}), "k", 3);
    b.Int(b.Node("operator.getitem", "indices", {"tuple"}, {"indices"}), "index", 1);
    b.Shape("indices", kI64, {2, 3});
    b.Output("indices");
    const Lowered lowered(b, "n");
    ASSERT_THAT(lowered.names(), ElementsAre("TopK"));
    ASSERT_EQ(lowered.ops[0].outputs.size(), 2);
    EXPECT_TRUE(lowered.ops[0].outputs[0].present);
    EXPECT_EQ(lowered.ops[0].outputs[0].type, (db::ElementType{kF32, false})) << "values are like the input";
    EXPECT_EQ(lowered.ops[0].outputs[1].type, (db::ElementType{v1::DATA_TYPE_INT32, false}));
  }
}

// conv -> batch_norm -> relu, as quantization-aware training annotates it: the convolution's own output is float.
GraphBuilder TrainedConvolution(bool shared) {
  GraphBuilder b(v1::Graph::PT2E, v1::STAGE_ANNOTATED);
  v1::Spec& spec = *b.graph.add_specs();
  spec.set_kind(v1::Spec::PLAIN);
  spec.set_dtype(v1::DATA_TYPE_UINT8);
  spec.set_quant_max(255);
  spec.set_qscheme(v1::Spec::PER_TENSOR_AFFINE);
  b.Input("x", kF32, {1, 4, 8, 8});
  b.Weight("w", kF32, {4, 4, 1, 1}, -1);
  b.Node("aten.conv2d.default", "conv", {"x", "w"}, {"c"}).add_input_specs(1);
  b.Shape("c", kF32, {1, 4, 8, 8});
  for (const char* parameter : {"gamma", "beta", "mean", "variance"}) b.Weight(parameter, kF32, {4}, -1);
  b.Node("aten.batch_norm.default", "bn", {"c", "gamma", "beta", "mean", "variance"}, {"y"});
  b.Shape("y", kF32, {1, 4, 8, 8}).set_spec(1);
  b.Output("y");
  if (shared) b.Output("c");
  return b;
}

TEST(HtpLowering, BatchNormOfTrainingGoesIntoTheConvolution) {
  const Lowered conv(TrainedConvolution(false), "conv");
  ASSERT_THAT(conv.names(), ElementsAre("Conv2d"));
  EXPECT_EQ(conv.ops[0].outputs[0].type, (db::ElementType{v1::DATA_TYPE_UINT8, true}));
  EXPECT_EQ(Lowered(TrainedConvolution(false), "bn").result.status, Lowering::kFolded);
  // Somebody else reads what the convolution computes: both stay.
  const Lowered kept(TrainedConvolution(true), "conv");
  EXPECT_EQ(kept.ops[0].outputs[0].type, (db::ElementType{kF32, false}));
  EXPECT_THAT(LoweredName(kept, "bn"), ElementsAre("Batchnorm"));
}

TEST(HtpLowering, PerChannelTableIsConvertedFirst) {
  for (const bool per_channel : {true, false}) {
    GraphBuilder b(v1::Graph::PT2E, v1::STAGE_ANNOTATED);
    b.Weight("table", kF32, {10, 4}, -1);
    b.Input("i", kI64, {3});
    for (const v1::Spec::QScheme scheme : {v1::Spec::PER_TENSOR_AFFINE, v1::Spec::PER_CHANNEL_SYMMETRIC}) {
      v1::Spec& spec = *b.graph.add_specs();
      spec.set_kind(v1::Spec::PLAIN);
      spec.set_dtype(v1::DATA_TYPE_INT8);
      spec.set_qscheme(scheme);
      if (scheme == v1::Spec::PER_CHANNEL_SYMMETRIC) spec.set_axis(0);
    }
    b.Node("aten.embedding.default", "n", {"table", "i"}, {"y"}).add_input_specs(per_channel ? 2 : 1);
    b.Shape("y", kF32, {3, 4}).set_spec(1);
    b.Output("y");
    const Lowered lowered(std::move(b), "n");
    if (!per_channel) {
      EXPECT_THAT(lowered.names(), ElementsAre("Gather"));
      continue;
    }
    ASSERT_THAT(lowered.names(), ElementsAre("Convert", "Gather"));
    EXPECT_EQ(lowered.ops[0].inputs[0].encoding, Encoding::kPerChannel);
    EXPECT_EQ(lowered.ops[1].inputs[0].encoding, Encoding::kPerTensor);
    EXPECT_FALSE(lowered.ops[1].inputs[0].is_static);
  }
}

TEST(HtpLowering, WeightOnlyOperatorsRunInHalfPrecision) {
  // As FloatActivationsWithIntegerWeightsRunInHalfPrecision, for matrices and for one dimension.
  GraphBuilder b;
  b.Input("x", kF32, {1, 2, 16});
  b.Input("m", kF32, {2, 16});
  b.Input("l", kF32, {1, 4, 16});
  const auto weight = [&](const std::string& name, const std::vector<int64_t>& shape) {
    b.Weight(name, v1::DATA_TYPE_INT8, shape, -1);
    b.Reals(name + "_scale", {0.01});
    b.Ints(name + "_zp", v1::DATA_TYPE_INT8, {0});
    b.Node("DequantizeLinear", name + "_DQ", {name, name + "_scale", name + "_zp"}, {name + "_dq"});
  };
  weight("w", {16, 8});
  weight("f", {8, 4, 3});
  b.Reals("bias", {1, 2, 3, 4, 5, 6, 7, 8}, false);
  b.Node("MatMul", "matmul", {"x", "w_dq"}, {"y0"});
  b.Node("Gemm", "gemm", {"m", "w_dq", "bias"}, {"y1"});
  b.Node("Conv", "conv", {"l", "f_dq", "bias"}, {"y2"});
  b.Shape("y0", kF32, {1, 2, 8});
  b.Shape("y1", kF32, {2, 8});
  b.Shape("y2", kF32, {1, 8, 14});
  for (const char* y : {"y0", "y1", "y2"}) b.Output(y);
  for (const char* node : {"matmul", "gemm", "conv"}) {
    const Lowered lowered(b, node);
    for (const BackendOp& op : lowered.ops) {
      EXPECT_EQ(db::ElementTypeName(op.inputs[0].type), "FLOAT_16") << node;
      EXPECT_EQ(db::ElementTypeName(op.outputs[0].type), "FLOAT_16") << node;
      if (op.inputs.size() > 2) {
        EXPECT_EQ(db::ElementTypeName(op.inputs[2].type), "FLOAT_16") << node;
      }
    }
  }
}

TEST(HtpLowering, ParametersOfAQnnGraphInEveryForm) {
  One graph(v1::Graph::QNN, "Anything");
  graph.In({1, 8}).Out({1, 8}).I("i", 3).B("b", true).F("f", 0.5).L("list", {4, 5}).S("text", "x");
  v1::Attribute& reals = graph.Attribute("reals");
  reals.mutable_floats()->add_values(1.5);
  graph.builder().Ints("constant", v1::DATA_TYPE_INT32, {6, 7}, false);
  graph.Attribute("tensor").set_tensor(graph.builder().Id("constant"));
  graph.Attribute("nothing").set_tensor(0);
  const Lowered lowered(graph.builder(), "n");
  ASSERT_THAT(lowered.names(), ElementsAre("Anything"));
  const BackendOp& op = lowered.ops[0];
  EXPECT_THAT(Param(op, "i")->ints, ElementsAre(3));
  EXPECT_THAT(Param(op, "b")->ints, ElementsAre(1));
  EXPECT_THAT(Param(op, "f")->reals, ElementsAre(0.5));
  EXPECT_THAT(Param(op, "list")->ints, ElementsAre(4, 5));
  EXPECT_THAT(Param(op, "reals")->reals, ElementsAre(1.5));
  EXPECT_THAT(Param(op, "tensor")->ints, ElementsAre(6, 7));
  EXPECT_TRUE(Param(op, "nothing")->ints.empty());
  EXPECT_TRUE(Param(op, "text")->ints.empty());
}

TEST(HtpLowering, PortsThatAQnnGraphLeavesOutAreAbsent) {
  One graph(v1::Graph::QNN, "Anything");
  graph.In({1, 8}, kF32, 0).In({8}, kF32, 2).Out({1, 8});
  const Lowered lowered(graph.builder(), "n");
  ASSERT_EQ(lowered.ops[0].inputs.size(), 3);
  EXPECT_TRUE(lowered.ops[0].inputs[0].present);
  EXPECT_FALSE(lowered.ops[0].inputs[1].present);
  EXPECT_TRUE(lowered.ops[0].inputs[2].present);
}

}  // namespace
}  // namespace quantgate::qnn
