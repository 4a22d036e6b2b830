// Lowering to QNN: names, layouts, axes, types and parameters of what each kind of node becomes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "rules/backends/layout.h"
#include "tests/rules/backends/lowered.h"
#include "tests/rules/graph_builder.h"

namespace quantgate::qnn {
namespace {

using ::quantgate::testing::SoundConv;
using ::testing::ElementsAre;

// ---- Layout ----

struct AxisCase {
  Layout layout;
  int origin_rank;
  int backend_rank;
  std::vector<int> backend_axis;  // by origin axis
};

class AxisMapping : public ::testing::TestWithParam<AxisCase> {};

TEST_P(AxisMapping, MapsEveryAxis) {
  const AxisCase& c = GetParam();
  const LayoutMap map = MapLayout(c.layout, c.origin_rank, c.backend_rank);
  ASSERT_EQ(map.rank, c.backend_rank);
  for (size_t axis = 0; axis < c.backend_axis.size(); ++axis) EXPECT_EQ(map.AxisOf(axis), c.backend_axis[axis]);
  EXPECT_EQ(map.AxisOf(c.origin_rank), -1);
}

INSTANTIATE_TEST_SUITE_P(Layouts, AxisMapping,
                         ::testing::Values(AxisCase{Layout::kSame, 4, 4, {0, 1, 2, 3}},              // as it is
                                           AxisCase{Layout::kChannelsLast, 4, 4, {0, 3, 1, 2}},      // NCHW -> NHWC
                                           AxisCase{Layout::kChannelsLast, 5, 5, {0, 4, 1, 2, 3}},   // NCDHW -> NDHWC
                                           AxisCase{Layout::kChannelsLast, 3, 4, {0, 3, 2}},         // NCL -> N1LC
                                           AxisCase{Layout::kFilter, 4, 4, {3, 2, 0, 1}},            // OIHW -> HWIO
                                           AxisCase{Layout::kFilter, 5, 5, {4, 3, 0, 1, 2}},         // OIDHW -> DHWIO
                                           AxisCase{Layout::kFilter, 3, 4, {3, 2, 1}},               // OIK -> 1KIO
                                           AxisCase{Layout::kTransposedFilter, 4, 4, {2, 3, 0, 1}},  // IOHW -> HWIO
                                           AxisCase{Layout::kTransposedFilter, 3, 4, {2, 3, 1}},     // IOK -> 1KIO
                                           AxisCase{Layout::kSwapLastTwo, 2, 2, {1, 0}},  // [in, out] -> [out, in]
                                           AxisCase{Layout::kSwapLastTwo, 4, 4, {0, 1, 3, 2}}));

TEST(LayoutTest, RanksBeyondQnnAreUnknown) {
  EXPECT_EQ(MapLayout(Layout::kSame, kMaxBackendRank + 1, kMaxBackendRank + 1).rank, 0);
  EXPECT_EQ(MapLayout(Layout::kChannelsLast, 4, 3).rank, 0);
}

// ---- Convolutions and matrix products ----

TEST(HtpLowering, PerChannelAxisOfAConvolutionIsTheLastOfItsFilter_V9) {
  const Lowered lowered(SoundConv(), "conv");
  ASSERT_THAT(lowered.names(), ElementsAre("Conv2d"));
  const BackendOp& conv = lowered.ops[0];
  ASSERT_EQ(conv.inputs.size(), 3);
  EXPECT_THAT(conv.inputs[0].dims, ElementsAre(1, 16, 16, 3));
  EXPECT_THAT(conv.inputs[1].dims, ElementsAre(3, 3, 3, 8));
  EXPECT_EQ(conv.inputs[1].axis, 3);
  EXPECT_EQ(conv.inputs[1].encoding, Encoding::kPerChannel);
  EXPECT_EQ(conv.inputs[1].symmetric, Tri::kYes);
  EXPECT_TRUE(conv.inputs[1].is_static);
  EXPECT_EQ(db::ElementTypeName(conv.inputs[0].type), "UFIXED_POINT_8");
  EXPECT_EQ(db::ElementTypeName(conv.inputs[1].type), "SFIXED_POINT_8");
  EXPECT_EQ(db::ElementTypeName(conv.inputs[2].type), "SFIXED_POINT_32");
  EXPECT_THAT(conv.outputs[0].dims, ElementsAre(1, 14, 14, 8));
  EXPECT_EQ(conv.outputs[0].symmetric, Tri::kNo);  // zero point 0 of an unsigned type
}

TEST(HtpLowering, DepthwiseIsJudgedAsEmitted_V21) {
  GraphBuilder b = FloatOp("Conv", {1, 8, 16, 16}, {8, 1, 3, 3}, {1, 8, 14, 14});
  b.Int(b.Find("n"), "group", 8);
  const Lowered lowered(std::move(b), "n");
  EXPECT_THAT(lowered.names(), ElementsAre("DepthWiseConv2d"));
  EXPECT_THAT(lowered.ops[0].inputs[1].dims, ElementsAre(3, 3, 1, 8));
  EXPECT_EQ(Param(lowered.ops[0], "group"), nullptr);
}

TEST(HtpLowering, GroupedIsNotDepthwise) {
  GraphBuilder b = FloatOp("Conv", {1, 8, 16, 16}, {8, 2, 3, 3}, {1, 8, 14, 14});
  b.Int(b.Find("n"), "group", 4);
  const Lowered lowered(std::move(b), "n");
  EXPECT_THAT(lowered.names(), ElementsAre("Conv2d"));
  EXPECT_THAT(Param(lowered.ops[0], "group")->ints, ElementsAre(4));
}

TEST(HtpLowering, ConvolutionInOneDimensionIsTwoDimensional) {
  GraphBuilder b = FloatOp("Conv", {1, 4, 32}, {8, 4, 3}, {1, 8, 30});
  Ints(b, b.Find("n"), "strides", {2});
  Ints(b, b.Find("n"), "pads", {1, 3});
  const Lowered lowered(std::move(b), "n");
  EXPECT_THAT(lowered.names(), ElementsAre("Reshape", "Conv2d", "Reshape"));
  const BackendOp& conv = lowered.op("Conv2d");
  EXPECT_THAT(conv.inputs[0].dims, ElementsAre(1, 1, 32, 4));
  EXPECT_THAT(conv.inputs[1].dims, ElementsAre(1, 3, 4, 8));
  EXPECT_THAT(Param(conv, "stride")->ints, ElementsAre(1, 2));
  EXPECT_THAT(Param(conv, "pad_amount")->ints, ElementsAre(0, 0, 1, 3));
  EXPECT_EQ(lowered.ops[0].inputs[0].rank, 3);
  EXPECT_EQ(lowered.ops[0].outputs[0].rank, 4);
}

TEST(HtpLowering, ConvolutionInThreeDimensions) {
  const Lowered lowered(FloatOp("Conv", {1, 4, 8, 8, 8}, {8, 4, 3, 3, 3}, {1, 8, 6, 6, 6}), "n");
  EXPECT_THAT(lowered.names(), ElementsAre("Conv3d"));
  EXPECT_THAT(lowered.ops[0].inputs[1].dims, ElementsAre(3, 3, 3, 4, 8));
}

TEST(HtpLowering, TransposedConvolutionTakesOutputsFromTheSecondAxis) {
  GraphBuilder b = FloatOp("ConvTranspose", {1, 4, 8, 8}, {4, 6, 2, 2}, {1, 6, 16, 16});
  const Lowered lowered(std::move(b), "n");
  EXPECT_THAT(lowered.names(), ElementsAre("TransposeConv2d"));
  EXPECT_THAT(lowered.ops[0].inputs[1].dims, ElementsAre(2, 2, 4, 6));
}

TEST(HtpLowering, DilatedTransposedConvolutionHasNoCounterpart) {
  GraphBuilder b = FloatOp("ConvTranspose", {1, 4, 8, 8}, {4, 6, 2, 2}, {1, 6, 16, 16});
  Ints(b, b.Find("n"), "dilations", {2, 2});
  EXPECT_EQ(Lowered(std::move(b), "n").result.status, Lowering::kNoCounterpart);
}

// ExecuTorch puts zeros between the elements of the kernel.
TEST(HtpLowering, DilatedTransposedConvolutionOfAtenHasALargerKernel) {
  GraphBuilder b(v1::Graph::PT2E);
  b.Input("x", v1::DATA_TYPE_FLOAT32, {1, 4, 8, 8});
  b.Weight("w", v1::DATA_TYPE_FLOAT32, {4, 6, 3, 2}, -1);
  Ints(b, b.Node("aten.conv_transpose2d.input", "n", {"x", "w"}, {"y"}), "dilation", {1, 3});
  b.Shape("y", v1::DATA_TYPE_FLOAT32, {1, 6, 10, 11});
  const Lowered lowered(std::move(b), "n");
  EXPECT_THAT(lowered.names(), ElementsAre("TransposeConv2d"));
  EXPECT_THAT(lowered.ops[0].inputs[1].dims, ElementsAre(3, 4, 4, 6));
}

TEST(HtpLowering, GemmIsFullyConnectedWithOutputsFirst) {
  {
    const Lowered lowered(FloatOp("Gemm", {2, 16}, {16, 8}, {2, 8}), "n");
    EXPECT_THAT(lowered.names(), ElementsAre("FullyConnected"));
    EXPECT_THAT(lowered.ops[0].inputs[1].dims, ElementsAre(8, 16));
  }
  GraphBuilder b = FloatOp("Gemm", {2, 16}, {8, 16}, {2, 8});
  b.Int(b.Find("n"), "transB", 1);
  EXPECT_THAT(Lowered(std::move(b), "n").ops[0].inputs[1].dims, ElementsAre(8, 16));
}

TEST(HtpLowering, GemmOfATransposedInputHasNoCounterpart) {
  GraphBuilder b = FloatOp("Gemm", {16, 2}, {16, 8}, {2, 8});
  b.Int(b.Find("n"), "transA", 1);
  EXPECT_EQ(Lowered(std::move(b), "n").result.status, Lowering::kNoCounterpart);
}

TEST(HtpLowering, MatMulKeepsItsOperands) {
  const Lowered lowered(FloatOp("MatMul", {1, 4, 16}, {16, 8}, {1, 4, 8}), "n");
  EXPECT_THAT(lowered.names(), ElementsAre("MatMul"));
  EXPECT_THAT(lowered.ops[0].inputs[1].dims, ElementsAre(16, 8));
  EXPECT_THAT(Param(lowered.ops[0], "transpose_in1")->ints, ElementsAre(0));
}

// ---- Types ----

TEST(HtpLowering, FourBitWeightsAreStoredInEightBits) {
  GraphBuilder b = SoundConv();
  b.Value("w").set_dtype(v1::DATA_TYPE_INT4);
  b.Value("w_zp").set_dtype(v1::DATA_TYPE_INT4);
  const Lowered lowered(std::move(b), "conv");
  EXPECT_EQ(db::ElementTypeName(lowered.ops[0].inputs[1].type), "SFIXED_POINT_8");
  EXPECT_EQ(lowered.ops[0].inputs[1].bits, 4);
  EXPECT_EQ(lowered.ops[0].inputs[1].encoding, Encoding::kBwPerChannel);
}

TEST(HtpLowering, WidthComesFromTheRange_V18) {
  // PT2E keeps 16-bit activations as int32 with 0..65535, 4-bit weights as int8 with -8..7.
  GraphBuilder b(v1::Graph::PT2E, v1::STAGE_ANNOTATED);
  const auto spec = [&](v1::DataType type, int64_t low, int64_t high, v1::Spec::QScheme scheme) {
    v1::Spec& made = *b.graph.add_specs();
    made.set_kind(v1::Spec::PLAIN);
    made.set_dtype(type);
    made.set_quant_min(low);
    made.set_quant_max(high);
    made.set_qscheme(scheme);
    return b.graph.specs_size();
  };
  b.Input("x", v1::DATA_TYPE_FLOAT32, {2, 16});
  b.Shape("w", v1::DATA_TYPE_FLOAT32, {8, 16}).mutable_constant();
  v1::Node& node = b.Node("aten.linear.default", "n", {"x", "w"}, {"y"});
  const int activation = spec(v1::DATA_TYPE_INT32, 0, 65535, v1::Spec::PER_TENSOR_AFFINE);
  const int weight = spec(v1::DATA_TYPE_INT8, -8, 7, v1::Spec::PER_CHANNEL_SYMMETRIC);
  b.graph.mutable_specs(weight - 1)->set_axis(0);
  node.add_input_specs(activation);
  node.add_input_specs(weight);
  b.Shape("y", v1::DATA_TYPE_FLOAT32, {2, 8}).set_spec(activation);
  b.Output("y");
  const Lowered lowered(std::move(b), "n");
  ASSERT_THAT(lowered.names(), ElementsAre("FullyConnected"));
  EXPECT_EQ(db::ElementTypeName(lowered.ops[0].inputs[0].type), "UFIXED_POINT_16");
  EXPECT_EQ(db::ElementTypeName(lowered.ops[0].inputs[1].type), "SFIXED_POINT_8");
  EXPECT_EQ(lowered.ops[0].inputs[1].encoding, Encoding::kBwPerChannel);
  EXPECT_EQ(lowered.ops[0].inputs[1].bits, 4);
  EXPECT_EQ(lowered.ops[0].inputs[1].axis, 0);
  EXPECT_EQ(lowered.ops[0].inputs[1].symmetric, Tri::kYes);
}

TEST(HtpLowering, SymmetryIsJudgedByTheZeroPoint_V16) {
  GraphBuilder b = SoundConv();
  b.Value("w_zp").mutable_constant()->set_ints(3, 7);
  EXPECT_EQ(Lowered(std::move(b), "conv").ops[0].inputs[1].symmetric, Tri::kNo);
}

// What torchao's observers come to: HTP's middle of an unsigned type is not that of the range that a spec states.
TEST(HtpLowering, SymmetryOfUnsignedSpecsIsThatOfTheirObserver) {
  struct Range {
    v1::DataType type;
    int64_t min, max;
    bool stated;
    Tri symmetric;
  };
  const Range ranges[] = {
      {v1::DATA_TYPE_UINT8, 0, 15, true, Tri::kNo},       // zero point 7 of a UFIXED_POINT_8
      {v1::DATA_TYPE_UINT8, 0, 255, true, Tri::kNo},      // 127
      {v1::DATA_TYPE_UINT8, 0, 255, false, Tri::kYes},    // 128
      {v1::DATA_TYPE_UINT8, 1, 255, true, Tri::kYes},     // 128
      {v1::DATA_TYPE_UINT16, 0, 65535, true, Tri::kYes},  // 32768
      {v1::DATA_TYPE_INT32, 0, 65535, true, Tri::kNo},    // 0
      {v1::DATA_TYPE_INT8, -128, 127, true, Tri::kYes},   // 0
      {v1::DATA_TYPE_INT8, -100, 127, true, Tri::kNo},    // 0, and lopsided
  };
  for (const Range& range : ranges) {
    GraphBuilder b(v1::Graph::PT2E, v1::STAGE_ANNOTATED);
    v1::Spec& spec = *b.graph.add_specs();
    spec.set_kind(v1::Spec::PLAIN);
    spec.set_dtype(range.type);
    spec.set_qscheme(v1::Spec::PER_TENSOR_SYMMETRIC);
    if (range.stated) {
      spec.set_quant_min(range.min);
      spec.set_quant_max(range.max);
    }
    b.Input("x", v1::DATA_TYPE_FLOAT32, {2, 16});
    b.Node("aten.relu.default", "n", {"x"}, {"y"}).add_input_specs(1);
    b.Shape("y", v1::DATA_TYPE_FLOAT32, {2, 16}).set_spec(1);
    b.Output("y");
    EXPECT_EQ(Lowered(std::move(b), "n").ops[0].inputs[0].symmetric, range.symmetric)
        << v1::DataType_Name(range.type) << " in " << range.min << ".." << range.max;
  }
}

TEST(HtpLowering, IndicesBecome32Bits) {
  GraphBuilder b;
  b.Input("x", v1::DATA_TYPE_FLOAT32, {10, 4});
  b.Input("i", v1::DATA_TYPE_INT64, {3});
  b.Int(b.Node("Gather", "n", {"x", "i"}, {"y"}), "axis", -2);
  b.Shape("y", v1::DATA_TYPE_FLOAT32, {3, 4});
  b.Output("y");
  const Lowered lowered(std::move(b), "n");
  ASSERT_THAT(lowered.names(), ElementsAre("Gather"));
  EXPECT_EQ(db::ElementTypeName(lowered.ops[0].inputs[1].type), "INT_32");
  EXPECT_THAT(Param(lowered.ops[0], "axis")->ints, ElementsAre(0));
}

TEST(HtpLowering, FloatActivationsWithIntegerWeightsRunInHalfPrecision) {
  GraphBuilder b = SoundConv();
  b.Node("Conv", "weight_only", {"x", "w_dq"}, {"z"});
  b.Shape("z", v1::DATA_TYPE_FLOAT32, {1, 8, 14, 14});
  b.Output("z");
  const Lowered lowered(std::move(b), "weight_only");
  EXPECT_EQ(db::ElementTypeName(lowered.ops[0].inputs[0].type), "FLOAT_16");
  EXPECT_EQ(db::ElementTypeName(lowered.ops[0].outputs[0].type), "FLOAT_16");
}

TEST(HtpLowering, ScalarsHaveRankOne) {
  GraphBuilder b = FloatOp("Mul", {1, 8}, {}, {1, 8});
  b.Reals("two", {2.0});
  b.Find("n").add_inputs(b.Id("two"));
  const Lowered lowered(std::move(b), "n");
  EXPECT_EQ(lowered.op("ElementWiseMultiply").inputs[1].rank, 1);
  EXPECT_THAT(lowered.op("ElementWiseMultiply").inputs[1].dims, ElementsAre(1));
}

TEST(HtpLowering, OperatorBetweenFloatAndIntegersRunsInFloat) {
  GraphBuilder b;
  b.Input("x", v1::DATA_TYPE_FLOAT32, {1, 8});
  b.Input("f", v1::DATA_TYPE_FLOAT32, {1, 8});
  b.Pair("x", 0.02, 128);
  b.Node("Add", "n", {"x_dq", "f"}, {"y"});
  b.Shape("y", v1::DATA_TYPE_FLOAT32, {1, 8});
  b.Pair("y", 0.04, 128);
  b.Output("y_dq");
  const Lowered lowered(std::move(b), "n");
  ASSERT_THAT(lowered.names(), ElementsAre("ElementWiseAdd"));
  for (const BackendTensor& tensor : lowered.ops[0].inputs) EXPECT_EQ(db::ElementTypeName(tensor.type), "FLOAT_32");
  EXPECT_EQ(db::ElementTypeName(lowered.ops[0].outputs[0].type), "FLOAT_32");
  EXPECT_THAT(LoweredName(lowered, "x_DQ"), ElementsAre("Dequantize"));
  EXPECT_THAT(LoweredName(lowered, "y_Q"), ElementsAre("Quantize"));
}

// y = MatMul(a, b), both uint16; `b` a graph input or a constant.
GraphBuilder WideMatMul(bool constant) {
  GraphBuilder b;
  b.Input("a", v1::DATA_TYPE_FLOAT32, {1, 4, 8});
  b.Pair("a", 0.01, 100, v1::DATA_TYPE_UINT16);
  if (constant) {
    b.Weight("w", v1::DATA_TYPE_UINT16, {8, 4}, 64);
    b.Reals("w_scale", {0.01});
    b.Ints("w_zp", v1::DATA_TYPE_UINT16, {32768});
    b.Node("DequantizeLinear", "w_DQ", {"w", "w_scale", "w_zp"}, {"w_dq"});
  } else {
    b.Input("w", v1::DATA_TYPE_FLOAT32, {1, 8, 4});
    b.Pair("w", 0.01, 100, v1::DATA_TYPE_UINT16);
  }
  b.Node("MatMul", "n", {"a_dq", "w_dq"}, {"y"});
  b.Shape("y", v1::DATA_TYPE_FLOAT32, {1, 4, 4});
  b.Pair("y", 0.04, 100, v1::DATA_TYPE_UINT16);
  b.Output("y_dq");
  return b;
}

TEST(HtpLowering, RunTimeSecondOperandOfAWideMatMulIsNarrowed_G4) {
  const Lowered lowered(WideMatMul(false), "n");
  ASSERT_THAT(lowered.names(), ElementsAre("Convert", "MatMul"));
  EXPECT_EQ(db::ElementTypeName(lowered.op("MatMul").inputs[1].type), "UFIXED_POINT_8");
  EXPECT_THAT(Lowered(WideMatMul(true), "n").names(), ElementsAre("MatMul"));
}

TEST(HtpLowering, ExpandMultipliesByOnes) {
  GraphBuilder b = FloatOp("Expand", {1, 8}, {}, {4, 8});
  b.Ints("shape", v1::DATA_TYPE_INT64, {4, 8});
  b.Find("n").add_inputs(b.Id("shape"));
  const Lowered lowered(std::move(b), "n");
  ASSERT_THAT(lowered.names(), ElementsAre("ElementWiseMultiply"));
  EXPECT_EQ(lowered.ops[0].inputs.size(), 2);
  EXPECT_EQ(lowered.ops[0].inputs[1].rank, 2);
}

TEST(HtpLowering, ReciprocalDividesOne) {
  const Lowered lowered(FloatOp("Reciprocal", {1, 8}, {}, {1, 8}), "n");
  ASSERT_THAT(lowered.names(), ElementsAre("ElementWiseDivide"));
  EXPECT_TRUE(lowered.ops[0].inputs[0].is_static);
  EXPECT_FALSE(lowered.ops[0].inputs[1].is_static);
}

// ---- Other families: name, and the parameter that tables look at ----

struct FamilyCase {
  std::string op;
  std::vector<int64_t> x;
  std::vector<int64_t> y;
  std::string attribute;  // "" for none
  int64_t value = 0;
  std::string qnn;
  std::string param;  // "" for none
  std::vector<int64_t> expected;
};

class Family : public ::testing::TestWithParam<FamilyCase> {};

TEST_P(Family, EmitsTheOperatorWithItsParameter) {
  const FamilyCase& c = GetParam();
  GraphBuilder b = FloatOp(c.op, c.x, {}, c.y);
  if (!c.attribute.empty()) b.Int(b.Find("n"), c.attribute, c.value);
  const Lowered lowered(std::move(b), "n");
  ASSERT_EQ(lowered.result.status, Lowering::kEmitted) << lowered.result.reason;
  ASSERT_THAT(lowered.names(), ElementsAre(c.qnn));
  if (c.param.empty()) return;
  const BackendParam* param = Param(lowered.ops[0], c.param);
  ASSERT_NE(param, nullptr) << c.param;
  EXPECT_EQ(param->ints, c.expected);
}

INSTANTIATE_TEST_SUITE_P(
    Onnx, Family,
    ::testing::Values(
        FamilyCase{"Relu", {1, 8}, {1, 8}, "", 0, "Relu", "", {}},
        FamilyCase{"Sigmoid", {1, 8}, {1, 8}, "", 0, "Sigmoid", "", {}},
        FamilyCase{"Tanh", {1, 8}, {1, 8}, "", 0, "Tanh", "", {}},
        FamilyCase{"HardSwish", {1, 8}, {1, 8}, "", 0, "HardSwish", "", {}},
        FamilyCase{"HardSigmoid", {1, 8}, {1, 8}, "", 0, "ElementWiseNeuron", "operation", {2}},
        FamilyCase{"Sqrt", {1, 8}, {1, 8}, "", 0, "ElementWiseSquareRoot", "", {}},
        FamilyCase{"Softmax", {1, 4, 8}, {1, 4, 8}, "axis", -1, "Softmax", "axis", {2}},
        // Over channels the tensor is channels last, over anything else the toolchain transposes.
        FamilyCase{"Softmax", {1, 4, 8, 8}, {1, 4, 8, 8}, "axis", 1, "Softmax", "axis", {3}},
        FamilyCase{"Softmax", {1, 4, 8, 8}, {1, 4, 8, 8}, "axis", 2, "Softmax", "axis", {3}},
        FamilyCase{"ReduceMax", {1, 4, 8}, {1, 4, 1}, "axes", -1, "ReduceMax", "axes", {2}},
        FamilyCase{"ReduceMean", {1, 4, 8}, {1, 1, 1}, "", 0, "ReduceMean", "axes", {0, 1, 2}},
        FamilyCase{"ReduceMean", {1, 4, 8}, {1, 1, 1}, "", 0, "ReduceMean", "keep_dims", {1}},
        FamilyCase{"ArgMax", {1, 4, 8}, {1, 4, 1}, "axis", -1, "Argmax", "axis", {2}},
        FamilyCase{"GlobalAveragePool", {1, 4, 7, 5}, {1, 4, 1, 1}, "", 0, "PoolAvg2d", "filter_size", {7, 5}},
        FamilyCase{"MaxPool", {1, 4, 8, 8}, {1, 4, 4, 4}, "kernel_shape", 2, "PoolMax2d", "filter_size", {2, 2}},
        FamilyCase{"Flatten", {1, 4, 8}, {1, 32}, "", 0, "Reshape", "", {}},
        FamilyCase{"Transpose", {1, 4, 8}, {8, 4, 1}, "", 0, "Transpose", "perm", {2, 1, 0}},
        FamilyCase{"Concat", {1, 4, 8}, {1, 4, 8}, "axis", -1, "Concat", "axis", {2}},
        FamilyCase{"DepthToSpace", {1, 8, 4, 4}, {1, 2, 8, 8}, "blocksize", 2, "DepthToSpace", "block_size", {2, 2}},
        FamilyCase{"SpaceToDepth", {1, 2, 8, 8}, {1, 8, 4, 4}, "blocksize", 2, "SpaceToDepth", "block_size", {2, 2}},
        FamilyCase{"LpNormalization", {1, 4, 8}, {1, 4, 8}, "axis", -1, "L2Norm", "axis", {2}},
        FamilyCase{"LRN", {1, 8, 4, 4}, {1, 8, 4, 4}, "size", 5, "Lrn", "radius", {2}}));

TEST(HtpLowering, BinaryOperatorsBySameName) {
  for (const auto& [onnx, qnn] : std::vector<std::pair<std::string, std::string>>{{"Add", "ElementWiseAdd"},
                                                                                  {"Sub", "ElementWiseSubtract"},
                                                                                  {"Mul", "ElementWiseMultiply"},
                                                                                  {"Div", "ElementWiseDivide"},
                                                                                  {"Pow", "ElementWisePower"},
                                                                                  {"Max", "ElementWiseMaximum"},
                                                                                  {"Less", "ElementWiseLess"},
                                                                                  {"And", "ElementWiseAnd"}}) {
    const Lowered lowered(FloatOp(onnx, {1, 8}, {1, 8}, {1, 8}), "n");
    ASSERT_EQ(lowered.ops.size(), 1) << onnx;
    EXPECT_EQ(lowered.ops[0].name, qnn);
    EXPECT_EQ(lowered.ops[0].inputs.size(), 2);
  }
}

TEST(HtpLowering, ClipTakesItsBoundsFromConstants) {
  GraphBuilder b;
  b.Input("x", v1::DATA_TYPE_FLOAT32, {1, 8});
  b.Reals("low", {0.0});
  b.Reals("high", {6.0});
  b.Node("Clip", "n", {"x", "low", "high"}, {"y"});
  b.Output("y");
  const Lowered lowered(std::move(b), "n");
  ASSERT_THAT(lowered.names(), ElementsAre("ReluMinMax"));
  EXPECT_EQ(lowered.ops[0].inputs.size(), 1);
  EXPECT_THAT(Param(lowered.ops[0], "max_value")->reals, ElementsAre(6.0));
}

TEST(HtpLowering, LayerNormNormalizesTheLastAxis) {
  GraphBuilder b = FloatOp("LayerNormalization", {1, 4, 8}, {8}, {1, 4, 8});
  const Lowered lowered(std::move(b), "n");
  ASSERT_THAT(lowered.names(), ElementsAre("LayerNorm"));
  EXPECT_THAT(Param(lowered.ops[0], "axes")->ints, ElementsAre(2));
}

// Exporters of PyTorch write amounts as a computation; toolchains fold it.
TEST(HtpLowering, PadsAmountsMayBeComputedFromConstants) {
  const auto padded = [](const std::function<void(GraphBuilder&)>& amounts) {
    GraphBuilder b;
    b.Input("x", v1::DATA_TYPE_FLOAT32, {2, 3});
    b.Ints("begins", v1::DATA_TYPE_INT64, {0, 1}, /*scalar=*/false);
    amounts(b);
    b.Node("Concat", "join", {"begins", "ends"}, {"amounts"});
    b.Int(b.Find("join"), "axis", 0);
    b.Node("Pad", "n", {"x", "amounts"}, {"y"});
    b.Output("y");
    return Lowered(std::move(b), "n");
  };
  const Lowered known = padded([](GraphBuilder& b) { b.Ints("ends", v1::DATA_TYPE_INT64, {2, 3}, /*scalar=*/false); });
  ASSERT_THAT(known.names(), ElementsAre("Pad"));
  EXPECT_THAT(Param(known.op("Pad"), "pad_amount")->ints, ElementsAre(0, 2, 1, 3));
  const Lowered unread = padded([](GraphBuilder& b) {
    b.Ints("bits", v1::DATA_TYPE_INT64, {-3, -4}, /*scalar=*/false);
    b.Node("BitwiseNot", "not", {"bits"}, {"ends"});
  });
  EXPECT_EQ(unread.result.status, Lowering::kUnknown);
  const Lowered at_run_time = padded([](GraphBuilder& b) { b.Input("ends", v1::DATA_TYPE_INT64, {2}); });
  EXPECT_EQ(at_run_time.result.status, Lowering::kNoCounterpart);
}

TEST(HtpLowering, WhatQnnCannotSay) {
  EXPECT_EQ(Lowered(FloatOp("Det", {1, 4, 4}, {}, {1}), "n").result.status, Lowering::kNoCounterpart);
  EXPECT_EQ(Lowered(FloatOp("my.domain::Thing", {1, 4}, {}, {1, 4}), "n").result.status, Lowering::kNoCounterpart);
}

TEST(HtpLowering, QnnGraphsAreTakenAsTheyAre) {
  GraphBuilder b(v1::Graph::QNN);
  b.Input("x", v1::DATA_TYPE_INT64, {1, 8});
  v1::Node& node = b.Node("Cast", "n", {"x"}, {"y"});
  Ints(b, node, "made_up", {1, 2});
  b.Shape("y", v1::DATA_TYPE_INT32, {1, 8});
  b.Output("y");
  const Lowered lowered(std::move(b), "n");
  ASSERT_THAT(lowered.names(), ElementsAre("Cast"));
  EXPECT_EQ(db::ElementTypeName(lowered.ops[0].inputs[0].type), "INT_64");
  EXPECT_THAT(Param(lowered.ops[0], "made_up")->ints, ElementsAre(1, 2));
}

TEST(HtpLowering, NarrowConstantsOfQnnGraphsAreBytesWithAnEncoding) {
  GraphBuilder b(v1::Graph::QNN);
  b.Input("x", v1::DATA_TYPE_UINT8, {1, 4});
  b.Weight("w", v1::DATA_TYPE_INT4, {2, 4}, 4);
  v1::Spec& spec = *b.graph.add_specs();
  spec.set_kind(v1::Spec::PLAIN);
  spec.set_dtype(v1::DATA_TYPE_INT4);
  spec.set_quant_min(-8);
  spec.set_quant_max(7);
  spec.mutable_qparams()->add_scales(0.1);
  b.Value("w").set_spec(1);
  b.Node("FullyConnected", "n", {"x", "w"}, {"y"});
  b.Shape("y", v1::DATA_TYPE_UINT8, {1, 2});
  b.Output("y");
  const Lowered lowered(std::move(b), "n");
  const BackendTensor& weight = lowered.ops[0].inputs[1];
  EXPECT_EQ(db::ElementTypeName(weight.type), "SFIXED_POINT_8");
  EXPECT_EQ(weight.bits, 4);
  EXPECT_EQ(weight.encoding, Encoding::kBwPerTensor);
}

}  // namespace
}  // namespace quantgate::qnn
