// LiteRT's operators as QNN's: the same network becomes what it becomes from ONNX.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/rules/lowered.h"
#include "tests/rules/real_tables.h"

namespace quantgate::qnn {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;

// One scale, or one per channel of `axis`.
void Encode(GraphBuilder& b, const std::string& name, const std::vector<double>& scales, double zero_point = 0,
            int axis = 0) {
  v1::Spec& spec = *b.graph.add_specs();
  spec.set_kind(v1::Spec::PLAIN);
  spec.set_dtype(b.Value(name).dtype());
  spec.set_is_dynamic(false);
  spec.set_qscheme(scales.size() > 1 ? v1::Spec::PER_CHANNEL_SYMMETRIC : v1::Spec::PER_TENSOR_AFFINE);
  for (double scale : scales) {
    spec.mutable_qparams()->add_scales(scale);
    spec.mutable_qparams()->add_zero_points(zero_point);
  }
  if (scales.size() > 1) spec.mutable_qparams()->add_axes(axis);
  b.Value(name).set_spec(b.graph.specs_size());
}

void Word(GraphBuilder& b, v1::Node& node, const std::string& name, const std::string& word) {
  v1::Attribute& attribute = *node.add_attributes();
  attribute.set_name(b.Symbol(name));
  attribute.set_s(word);
}

struct Window2d {
  std::string op = "CONV_2D";
  std::vector<int64_t> input = {1, 16, 16, 3};
  std::vector<int64_t> filter = {8, 3, 3, 3};
  std::vector<int64_t> output = {1, 14, 14, 8};
  int64_t stride = 1;
  std::string padding = "VALID";
  std::string activation = "NONE";
  bool quantized = true;
  v1::DataType bias = v1::DATA_TYPE_INT32;
};

// What SoundConv() of the ONNX graphs is, as LiteRT has it, unless told otherwise.
GraphBuilder LitertConv(const Window2d& w = {}) {
  GraphBuilder b(v1::Graph::TFLITE);
  b.graph.set_format_version(3);
  const bool depthwise = w.op == "DEPTHWISE_CONV_2D";
  const v1::DataType activation = w.quantized ? v1::DATA_TYPE_UINT8 : v1::DATA_TYPE_FLOAT32;
  const int64_t channels = depthwise ? w.filter[3] : w.filter[0];
  b.Input("x", activation, w.input);
  b.Weight("w", w.quantized ? v1::DATA_TYPE_INT8 : v1::DATA_TYPE_FLOAT32, w.filter, -1);
  b.Ints("b", w.quantized ? w.bias : v1::DATA_TYPE_FLOAT32, std::vector<int64_t>(channels, 1));
  v1::Node& node = b.Node(w.op, "conv", {"x", "w", "b"}, {"y"});
  b.Int(node, "stride_h", w.stride);
  b.Int(node, "stride_w", w.stride);
  Word(b, node, "padding", w.padding);
  Word(b, node, "fused_activation_function", w.activation);
  b.Shape("y", activation, w.output);
  b.Output("y");
  if (w.quantized) {
    Encode(b, "x", {0.02}, 128);
    Encode(b, "w", std::vector<double>(channels, 0.01), 0, depthwise ? 3 : 0);
    Encode(b, "b", std::vector<double>(channels, 2e-4));
    Encode(b, "y", {0.05});
  }
  return b;
}

std::vector<int64_t> IntsOf(const BackendOp& op, absl::string_view name) {
  const BackendParam* param = Param(op, name);
  return param == nullptr ? std::vector<int64_t>{-999} : param->ints;
}

TEST(LitertToQnn, ConvolutionIsThatOfOnnx) {
  const Lowered litert(LitertConv(), "conv");
  const Lowered onnx(::quantgate::testing::SoundConv(), "conv");
  ASSERT_EQ(litert.names(), onnx.names());
  const BackendOp &a = litert.op("Conv2d"), &b = onnx.op("Conv2d");
  ASSERT_EQ(a.inputs.size(), b.inputs.size());
  for (size_t i = 0; i < a.inputs.size(); ++i) {
    EXPECT_EQ(a.inputs[i].type, b.inputs[i].type) << i;
    EXPECT_EQ(a.inputs[i].encoding, b.inputs[i].encoding) << i;
    EXPECT_EQ(a.inputs[i].axis, b.inputs[i].axis) << i;
    EXPECT_THAT(a.inputs[i].dims, ElementsAreArray(b.inputs[i].dims)) << i;
  }
  EXPECT_THAT(a.outputs[0].dims, ElementsAreArray(b.outputs[0].dims));
  for (const char* param : {"stride", "pad_amount", "dilation", "group"}) {
    EXPECT_EQ(IntsOf(a, param), IntsOf(b, param)) << param;
  }
}

TEST(LitertToQnn, FilterIsHeightWidthInOut) {
  Window2d w;
  w.filter = {8, 5, 3, 2};
  w.input = {1, 16, 16, 4};
  w.output = {1, 12, 14, 8};
  const Lowered lowered(LitertConv(w), "conv");
  const BackendOp& op = lowered.op("Conv2d");
  EXPECT_THAT(op.inputs[1].dims, ElementsAre(5, 3, 2, 8));
  EXPECT_EQ(op.inputs[1].axis, 3);
  EXPECT_THAT(IntsOf(op, "group"), ElementsAre(2));
}

TEST(LitertToQnn, DepthwiseFilterIsHeightWidthOneOut) {
  Window2d w;
  w.op = "DEPTHWISE_CONV_2D";
  w.filter = {1, 5, 3, 4};
  w.input = {1, 16, 16, 4};
  w.output = {1, 12, 14, 4};
  const Lowered lowered(LitertConv(w), "conv");
  const BackendOp& op = lowered.op("DepthWiseConv2d");
  EXPECT_THAT(op.inputs[1].dims, ElementsAre(5, 3, 1, 4));
  EXPECT_EQ(op.inputs[1].axis, 3);
}

TEST(LitertToQnn, SamePaddingPutsTheOddOneBehind) {
  Window2d w;
  w.padding = "SAME";
  w.stride = 2;
  w.output = {1, 8, 8, 8};
  EXPECT_THAT(IntsOf(Lowered(LitertConv(w), "conv").op("Conv2d"), "pad_amount"), ElementsAre(0, 1, 0, 1));
}

TEST(LitertToQnn, FusedActivationIsAnOperatorInFloatOnly) {
  Window2d w;
  w.activation = "RELU6";
  EXPECT_THAT(Lowered(LitertConv(w), "conv").names(), ElementsAre("Conv2d"));
  w.quantized = false;
  EXPECT_THAT(Lowered(LitertConv(w), "conv").names(), ElementsAre("Conv2d", "ReluMinMax"));
}

TEST(LitertToQnn, WideBiasIsStoredIn32Bits) {
  Window2d w;
  w.bias = v1::DATA_TYPE_INT64;
  const db::ElementType type = Lowered(LitertConv(w), "conv").op("Conv2d").inputs[2].type;
  EXPECT_EQ(type, (db::ElementType{v1::DATA_TYPE_INT32, true}));
}

GraphBuilder Converted(const std::string& op, v1::DataType from, v1::DataType to) {
  GraphBuilder b(v1::Graph::TFLITE);
  b.Input("x", from, {1, 4});
  if (from == v1::DATA_TYPE_INT8) Encode(b, "x", {0.1});
  b.Node(op, "op", {"x"}, {"y"});
  b.Shape("y", to, {1, 4});
  if (to == v1::DATA_TYPE_INT8) Encode(b, "y", {0.1});
  b.Output("y");
  return b;
}

TEST(LitertToQnn, ConversionsByWhatTheyConvert) {
  const v1::DataType real = v1::DATA_TYPE_FLOAT32, half = v1::DATA_TYPE_FLOAT16, stored = v1::DATA_TYPE_INT8;
  EXPECT_THAT(Lowered(Converted("QUANTIZE", real, stored), "op").names(), ElementsAre("Quantize"));
  EXPECT_THAT(Lowered(Converted("QUANTIZE", stored, stored), "op").names(), ElementsAre("Convert"));
  EXPECT_THAT(Lowered(Converted("DEQUANTIZE", stored, real), "op").names(), ElementsAre("Dequantize"));
  EXPECT_THAT(Lowered(Converted("DEQUANTIZE", half, real), "op").names(), ElementsAre("Cast"));
}

// STRIDED_SLICE of a tensor of 6 x 8.
std::vector<int64_t> Ranges(const std::vector<int64_t>& begin, const std::vector<int64_t>& end, int64_t begin_mask,
                            int64_t end_mask) {
  GraphBuilder b(v1::Graph::TFLITE);
  b.Input("x", v1::DATA_TYPE_FLOAT32, {6, 8});
  b.Ints("begin", v1::DATA_TYPE_INT32, begin);
  b.Ints("end", v1::DATA_TYPE_INT32, end);
  b.Ints("strides", v1::DATA_TYPE_INT32, {1, 2});
  v1::Node& node = b.Node("STRIDED_SLICE", "op", {"x", "begin", "end", "strides"}, {"y"});
  b.Int(node, "begin_mask", begin_mask);
  b.Int(node, "end_mask", end_mask);
  b.Shape("y", v1::DATA_TYPE_FLOAT32, {4, 3});
  b.Output("y");
  return IntsOf(Lowered(b, "op").op("StridedSlice"), "ranges");
}

TEST(LitertToQnn, SlicesCountFromTheEndAndByMasks) {
  EXPECT_THAT(Ranges({1, 0}, {5, 6}, 0, 0), ElementsAre(1, 5, 1, 0, 6, 2));
  EXPECT_THAT(Ranges({-5, 2}, {-1, -1}, 0, 0), ElementsAre(1, 5, 1, 2, 7, 2));
  EXPECT_THAT(Ranges({1, 2}, {5, 6}, 1, 2), ElementsAre(0, 5, 1, 2, 8, 2));
}

// Findings of HTP for a bias of these numbers, in a unit that is not input scale x weight scale.
int BiasScaleFindings(int64_t number) {
  GraphBuilder b = LitertConv();
  b.Value("b").clear_constant();
  b.Ints("b", v1::DATA_TYPE_INT32, std::vector<int64_t>(8, number));
  for (double& scale : *b.graph.mutable_specs(b.Value("b").spec() - 1)->mutable_qparams()->mutable_scales()) {
    scale = 1e-3;
  }
  const v1::Result result = testing::Ask(b.graph, "qnn_htp/SM8650").value();
  int found = 0;
  for (const v1::Finding& finding : result.findings()) found += finding.code() == "FX201" ? 1 : 0;
  return found;
}

TEST(LitertToQnn, BiasOfZerosIsZeroInAnyUnit) {
  EXPECT_EQ(BiasScaleFindings(1), 1);
  EXPECT_EQ(BiasScaleFindings(0), 0);
}

}  // namespace
}  // namespace quantgate::qnn
