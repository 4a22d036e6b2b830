// LiteRT's operators as QNN's: the same network becomes what it becomes from ONNX.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/rules/backends/lowered.h"
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
struct Slice {
  std::vector<int64_t> begin, end, strides = {1, 2};
  int64_t begin_mask = 0, end_mask = 0, shrink_mask = 0, ellipsis_mask = 0;
};

GraphBuilder Sliced(const Slice& slice) {
  GraphBuilder b(v1::Graph::TFLITE);
  b.Input("x", v1::DATA_TYPE_FLOAT32, {6, 8});
  b.Ints("begin", v1::DATA_TYPE_INT32, slice.begin);
  b.Ints("end", v1::DATA_TYPE_INT32, slice.end);
  b.Ints("strides", v1::DATA_TYPE_INT32, slice.strides);
  v1::Node& node = b.Node("STRIDED_SLICE", "op", {"x", "begin", "end", "strides"}, {"y"});
  b.Int(node, "begin_mask", slice.begin_mask);
  b.Int(node, "end_mask", slice.end_mask);
  b.Int(node, "shrink_axis_mask", slice.shrink_mask);
  b.Int(node, "ellipsis_mask", slice.ellipsis_mask);
  b.Shape("y", v1::DATA_TYPE_FLOAT32, {4, 3});
  b.Output("y");
  return b;
}

std::vector<int64_t> Ranges(const Slice& slice) {
  return IntsOf(Lowered(Sliced(slice), "op").op("StridedSlice"), "ranges");
}

TEST(LitertToQnn, SlicesCountFromTheEndAndByMasks) {
  EXPECT_THAT(Ranges({{1, 0}, {5, 6}}), ElementsAre(1, 5, 1, 0, 6, 2));
  EXPECT_THAT(Ranges({{-5, 2}, {-1, -1}}), ElementsAre(1, 5, 1, 2, 7, 2));
  EXPECT_THAT(Ranges({{1, 2}, {5, 6}, {1, 2}, 1, 2}), ElementsAre(0, 5, 1, 2, 8, 2));
  // What begin and end do not name is whole.
  EXPECT_THAT(Ranges({{1}, {5}, {2}}), ElementsAre(1, 5, 2, 0, 8, 1));
}

// The vendor's library (QAIRT 2.51.0, V75) takes exactly these, and computes a reversal and a row.
TEST(LitertToQnn, BackwardSlicesEndBeforeTheFirstElement) {
  EXPECT_THAT(Ranges({{0, 0}, {0, 0}, {1, -1}, 3, 3}), ElementsAre(0, 6, 1, 7, -1, -1));
}

TEST(LitertToQnn, AnIndexShrinksItsDimension) {
  const Slice row = {{-2, 0}, {0, 0}, {1, 1}, 2, 2, 1};
  EXPECT_THAT(Ranges(row), ElementsAre(4, 5, 1, 0, 8, 1));
  EXPECT_THAT(IntsOf(Lowered(Sliced(row), "op").op("StridedSlice"), "shrink_axes"), ElementsAre(1));
  EXPECT_EQ(Param(Lowered(Sliced({{1, 0}, {5, 6}}), "op").op("StridedSlice"), "shrink_axes"), nullptr);
}

TEST(LitertToQnn, SlicesThatAreNotKnownHaveNoRanges) {
  Slice with_ellipsis = {{1, 0}, {5, 6}};
  with_ellipsis.ellipsis_mask = 1;
  EXPECT_THAT(Ranges(with_ellipsis), ElementsAre());
  EXPECT_THAT(Ranges({{1, 0, 0}, {5, 6, 1}, {1, 1, 1}}), ElementsAre());
  EXPECT_THAT(Ranges({{1, 0}, {5}}), ElementsAre());
  EXPECT_THAT(Ranges({{1, 0}, {5, 6}, {1}}), ElementsAre());
  GraphBuilder open = Sliced({{1, 0}, {5, 6}});
  open.Value("x").set_dims(1, -1);
  EXPECT_THAT(IntsOf(Lowered(open, "op").op("StridedSlice"), "ranges"), ElementsAre());
}

// One operator on x, whose other arguments are constants.
struct Single {
  std::string op;
  std::vector<int64_t> dims;
  std::vector<std::pair<std::string, std::vector<int64_t>>> arguments;  // "x" is the input
  std::vector<std::vector<int64_t>> outputs;
  std::vector<std::pair<std::string, int64_t>> integers = {};
  std::string mode = "";
};

GraphBuilder Of(const Single& single) {
  GraphBuilder b(v1::Graph::TFLITE);
  b.Input("x", v1::DATA_TYPE_FLOAT32, single.dims);
  std::vector<std::string> inputs, outputs;
  for (const auto& [name, numbers] : single.arguments) {
    inputs.push_back(name);
    if (name != "x") b.Ints(name, v1::DATA_TYPE_INT32, numbers);
  }
  for (size_t i = 0; i < single.outputs.size(); ++i) outputs.push_back("y" + std::to_string(i));
  v1::Node& node = b.Node(single.op, "op", inputs, outputs);
  for (const auto& [name, value] : single.integers) b.Int(node, name, value);
  if (!single.mode.empty()) Word(b, node, "mode", single.mode);
  for (size_t i = 0; i < single.outputs.size(); ++i) {
    b.Shape(outputs[i], v1::DATA_TYPE_FLOAT32, single.outputs[i]);
    b.Output(outputs[i]);
  }
  return b;
}

// The same with the argument unknown: an input of the graph.
GraphBuilder WithOpen(const Single& single, const std::string& argument) {
  GraphBuilder b = Of(single);
  b.Value(argument).clear_constant();
  return b;
}

TEST(LitertToQnn, Slice) {
  const Single slice = {"SLICE", {6, 8}, {{"x", {}}, {"begin", {1, 2}}, {"size", {3, -1}}}, {{3, 6}}};
  EXPECT_THAT(IntsOf(Lowered(Of(slice), "op").op("StridedSlice"), "ranges"), ElementsAre(1, 4, 1, 2, 8, 1));
  EXPECT_THAT(IntsOf(Lowered(WithOpen(slice, "size"), "op").op("StridedSlice"), "ranges"), ElementsAre());
}

// Schemes are numbered as QnnOpDef.h does: CONSTANT 0, MIRROR_SYMMETRIC 1, MIRROR_REFLECT 2.
TEST(LitertToQnn, Pad) {
  Single pad = {"PAD", {6, 8}, {{"x", {}}, {"amounts", {1, 2, 3, 4}}}, {{9, 15}}};
  const Lowered constant(Of(pad), "op");
  EXPECT_THAT(IntsOf(constant.op("Pad"), "scheme"), ElementsAre(0));
  EXPECT_THAT(IntsOf(constant.op("Pad"), "pad_amount"), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(Lowered(WithOpen(pad, "amounts"), "op").names(), ElementsAre());
  pad.op = "MIRROR_PAD";
  pad.mode = "SYMMETRIC";
  EXPECT_THAT(IntsOf(Lowered(Of(pad), "op").op("Pad"), "scheme"), ElementsAre(1));
  pad.mode = "REFLECT";
  EXPECT_THAT(IntsOf(Lowered(Of(pad), "op").op("Pad"), "scheme"), ElementsAre(2));
}

TEST(LitertToQnn, SplitIsByPositions) {
  const Single equal = {"SPLIT", {6, 9}, {{"axis", {-1}}, {"x", {}}}, {{6, 3}, {6, 3}, {6, 3}}, {{"num_splits", 3}}};
  const Lowered thirds(Of(equal), "op");
  EXPECT_THAT(IntsOf(thirds.op("Split"), "axis"), ElementsAre(1));
  EXPECT_THAT(IntsOf(thirds.op("Split"), "split_index"), ElementsAre(3, 6));
  EXPECT_THAT(Lowered(WithOpen(equal, "axis"), "op").names(), ElementsAre());
  const Single stated = {"SPLIT_V", {6, 9}, {{"x", {}}, {"sizes", {2, 4}}, {"axis", {0}}}, {{2, 9}, {4, 9}}};
  EXPECT_THAT(IntsOf(Lowered(Of(stated), "op").op("Split"), "split_index"), ElementsAre(2));
  GraphBuilder open = Of(equal);
  open.Value("y0").set_dims(1, -1);
  EXPECT_EQ(Lowered(open, "op").result.status, Lowering::kUnknown);
}

TEST(LitertToQnn, ArgumentsOfExtremes) {
  Single most = {"ARG_MAX", {6, 9}, {{"x", {}}, {"axis", {-2}}}, {{9}}};
  const Lowered argmax(Of(most), "op");
  EXPECT_THAT(IntsOf(argmax.op("Argmax"), "axis"), ElementsAre(0));
  EXPECT_THAT(IntsOf(argmax.op("Argmax"), "keep_dims"), ElementsAre(0));
  EXPECT_THAT(Lowered(WithOpen(most, "axis"), "op").names(), ElementsAre());
  most.op = "ARG_MIN";
  EXPECT_THAT(Lowered(Of(most), "op").names(), ElementsAre("Argmin"));
}

TEST(LitertToQnn, MovesOfBlocks) {
  const Lowered down(Of({"SPACE_TO_DEPTH", {1, 4, 6, 2}, {{"x", {}}}, {{1, 2, 3, 8}}, {{"block_size", 2}}}), "op");
  EXPECT_THAT(IntsOf(down.op("SpaceToDepth"), "block_size"), ElementsAre(2, 2));
  EXPECT_THAT(IntsOf(down.op("SpaceToDepth"), "mode"), ElementsAre(0));
  const Lowered up(Of({"DEPTH_TO_SPACE", {1, 2, 3, 8}, {{"x", {}}}, {{1, 4, 6, 2}}, {{"block_size", 2}}}), "op");
  EXPECT_THAT(IntsOf(up.op("DepthToSpace"), "block_size"), ElementsAre(2, 2));
}

TEST(LitertToQnn, TransposeByAConstantOrder) {
  const Single turned = {"TRANSPOSE", {2, 3, 4}, {{"x", {}}, {"order", {2, 0, 1}}}, {{4, 2, 3}}};
  EXPECT_THAT(IntsOf(Lowered(Of(turned), "op").op("Transpose"), "perm"), ElementsAre(2, 0, 1));
  EXPECT_THAT(Lowered(WithOpen(turned, "order"), "op").names(), ElementsAre());
}

TEST(LitertToQnn, Resizes) {
  for (const auto& [op, name] : {std::pair("RESIZE_BILINEAR", "ResizeBilinear"),
                                 std::pair("RESIZE_NEAREST_NEIGHBOR", "ResizeNearestNeighbor")}) {
    const Lowered lowered(
        Of({op, {1, 4, 4, 2}, {{"x", {}}, {"size", {8, 8}}}, {{1, 8, 8, 2}}, {{"half_pixel_centers", 1}}}), "op");
    EXPECT_THAT(IntsOf(lowered.op(name), "half_pixel_centers"), ElementsAre(1));
    EXPECT_THAT(IntsOf(lowered.op(name), "align_corners"), ElementsAre(0));
  }
}

TEST(LitertToQnn, ActivationsBehindSumsInFloat) {
  const std::vector<std::pair<std::string, std::string>> fused = {
      {"RELU", "Relu"}, {"RELU6", "ReluMinMax"}, {"RELU_N1_TO_1", "Relu1"}, {"TANH", "Tanh"}};
  for (const auto& [activation, name] : fused) {
    for (const std::string op : {"ADD", "SUB", "MUL", "DIV"}) {
      GraphBuilder b = Of({op, {2, 3}, {{"x", {}}, {"x", {}}}, {{2, 3}}});
      Word(b, *b.graph.mutable_nodes(0), "fused_activation_function", activation);
      const std::vector<std::string> names = Lowered(b, "op").names();
      ASSERT_EQ(names.size(), 2) << op << " " << activation;
      EXPECT_EQ(names[1], name) << op;
    }
  }
  GraphBuilder sign = Of({"ADD", {2, 3}, {{"x", {}}, {"x", {}}}, {{2, 3}}});
  Word(sign, *sign.graph.mutable_nodes(0), "fused_activation_function", "SIGN_BIT");
  EXPECT_EQ(Lowered(sign, "op").result.status, Lowering::kNoCounterpart);
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
