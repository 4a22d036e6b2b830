// LiteRT's kernels and the XNNPACK delegate in front of them, by the shipped tables: each rule with a model that fires
// it and its neighbor that does not. What LiteRT itself says of such models: tests/runtimes/litert.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "rules/check.h"
#include "rules/graph/data_type.h"
#include "tests/rules/graph_builder.h"
#include "tests/rules/real_tables.h"

namespace quantgate {
namespace {

using testing::Ask;
using testing::GraphBuilder;

constexpr v1::DataType kFloat = v1::DATA_TYPE_FLOAT32;
constexpr v1::DataType kInt8 = v1::DATA_TYPE_INT8;
constexpr v1::DataType kInt16 = v1::DATA_TYPE_INT16;
constexpr v1::DataType kInt32 = v1::DATA_TYPE_INT32;
constexpr v1::DataType kInt64 = v1::DATA_TYPE_INT64;

GraphBuilder Empty() {
  GraphBuilder b(v1::Graph::TFLITE);
  b.graph.set_format_version(3);
  return b;
}

// One scale, or one per channel along axis 0.
void Quantize(GraphBuilder& b, const std::string& name, const std::vector<double>& scales, double zero_point = 0) {
  v1::Spec& spec = *b.graph.add_specs();
  spec.set_kind(v1::Spec::PLAIN);
  spec.set_dtype(b.Value(name).dtype());
  spec.set_is_dynamic(false);
  spec.set_qscheme(scales.size() > 1 ? v1::Spec::PER_CHANNEL_SYMMETRIC : v1::Spec::PER_TENSOR_AFFINE);
  for (double scale : scales) {
    spec.mutable_qparams()->add_scales(scale);
    spec.mutable_qparams()->add_zero_points(zero_point);
  }
  if (scales.size() > 1) spec.mutable_qparams()->add_axes(0);
  b.Value(name).set_spec(b.graph.specs_size());
}

GraphBuilder OfVersion(GraphBuilder b, int64_t version) {
  b.Int(b.Find("op"), "operator_version", version);
  return b;
}

// y = op(x), quantized where the type is an integer.
GraphBuilder Unary(const std::string& op, v1::DataType in, v1::DataType out, double scale = 0.1,
                   double zero_point = 0) {
  GraphBuilder b = Empty();
  b.Input("x", in, {1, 4});
  if (in != kFloat) Quantize(b, "x", {0.1});
  b.Node(op, "op", {"x"}, {"y"});
  b.Shape("y", out, {1, 4});
  if (out != kFloat) Quantize(b, "y", {scale}, zero_point);
  b.Output("y");
  return b;
}

// y = op(x, x2) of one type.
GraphBuilder Binary(const std::string& op, v1::DataType type, double second = 0.1, double out = 0.1) {
  GraphBuilder b = Empty();
  b.Input("x", type, {1, 4});
  b.Input("x2", type, {1, 4});
  b.Node(op, "op", {"x", "x2"}, {"y"});
  b.Shape("y", type, {1, 4});
  for (const auto& [name, scale] : {std::pair{"x", 0.1}, {"x2", second}, {"y", out}}) {
    if (type != kFloat) Quantize(b, name, {scale});
  }
  b.Output("y");
  return b;
}

GraphBuilder Less(double second, v1::DataType type = kInt16) {
  GraphBuilder b = Binary("LESS", type, second);
  b.Value("y").set_dtype(v1::DATA_TYPE_BOOL);
  b.Value("y").set_spec(0);
  return b;
}

// y = FULLY_CONNECTED(x, w, b), weights of four rows.
GraphBuilder Linear(v1::DataType in, v1::DataType weight, v1::DataType bias, int64_t row = 8) {
  GraphBuilder b = Empty();
  b.Input("x", in, {2, row});
  b.Weight("w", weight, {4, row}, weight == v1::DATA_TYPE_INT4 ? 2 * row : 4 * row);
  b.Weight("b", bias, {4}, bias == kInt64 ? 32 : 16);
  v1::Node& op = b.Node("FULLY_CONNECTED", "op", {"x", "w", "b"}, {"y"});
  v1::Attribute& activation = *op.add_attributes();
  activation.set_name(b.Symbol("fused_activation_function"));
  activation.set_s("NONE");
  b.Shape("y", in, {2, 4});
  Quantize(b, "w", {0.01, 0.02, 0.01, 0.02});
  if (in != kFloat) {
    Quantize(b, "x", {0.1});
    Quantize(b, "b", {0.001, 0.002, 0.001, 0.002});
    Quantize(b, "y", {0.1});
  }
  b.Output("y");
  return b;
}

GraphBuilder Conv(bool with_bias, double out = 0.1) {
  GraphBuilder b = Empty();
  b.Input("x", kInt8, {1, 8, 8, 3});
  b.Weight("w", kInt8, {2, 3, 3, 3}, 54);
  b.Weight("b", kInt32, {2}, 8);
  v1::Node& conv = b.Node("CONV_2D", "op", {"x", "w", "b"}, {"y"});
  if (!with_bias) conv.mutable_inputs()->RemoveLast();
  for (const char* name : {"stride_w", "stride_h", "dilation_w_factor", "dilation_h_factor"}) b.Int(conv, name, 1);
  b.Shape("y", kInt8, {1, 6, 6, 2});
  Quantize(b, "x", {0.1});
  Quantize(b, "w", {0.01, 0.02});
  Quantize(b, "b", {0.001, 0.002});
  Quantize(b, "y", {out});
  b.Output("y");
  return b;
}

// Scales of the weight "w", one for each block of `size` along a row.
GraphBuilder InBlocks(GraphBuilder b, int size) {
  const v1::Value& weight = b.Value("w");
  const int64_t rank = weight.dims_size(), row = weight.dims(static_cast<int>(rank) - 1);
  v1::Spec& spec = *b.graph.mutable_specs(weight.spec() - 1);
  spec.set_qscheme(v1::Spec::PER_BLOCK_SYMMETRIC);
  spec.clear_qparams();
  int64_t scales = row / size;
  for (int axis = 0; axis < rank; ++axis) {
    spec.mutable_qparams()->add_axes(axis);
    spec.mutable_qparams()->add_block_sizes(axis == rank - 1 ? size : 1);
    if (axis < rank - 1) scales *= weight.dims(axis);
  }
  for (int64_t i = 0; i < scales; ++i) {
    spec.mutable_qparams()->add_scales(0.01);
    spec.mutable_qparams()->add_zero_points(0);
  }
  return b;
}

GraphBuilder AtRunTime(GraphBuilder b, const std::string& name) {
  b.Value(name).clear_constant();
  b.graph.add_inputs(b.Id(name));
  return b;
}

// With one scale each, which tensors that are computed can have.
GraphBuilder LinearAtRunTime(const std::string& name) {
  GraphBuilder b = Linear(kInt8, kInt8, kInt32);
  Quantize(b, "w", {0.01});
  Quantize(b, "b", {0.001});
  return AtRunTime(std::move(b), name);
}

// y = FULLY_CONNECTED(x, DEQUANTIZE(w), b) in float, weights stored as `stored`.
GraphBuilder Unpacked(v1::DataType stored, bool at_run_time = false) {
  GraphBuilder b = Empty();
  b.Input("x", kFloat, {2, 8});
  b.Weight("w", stored, {4, 8}, stored == v1::DATA_TYPE_FLOAT16 ? 64 : stored == v1::DATA_TYPE_INT4 ? 16 : 32);
  if (stored != v1::DATA_TYPE_FLOAT16) Quantize(b, "w", {0.01, 0.02, 0.01, 0.02});
  b.Weight("b", kFloat, {4}, 16);
  v1::Node& dequantize = b.Node("DEQUANTIZE", "dequantize", {"w"}, {"w_float"});
  b.Int(dequantize, "operator_version", 6);
  b.Shape("w_float", kFloat, {4, 8});
  b.Node("FULLY_CONNECTED", "op", {"x", "w_float", "b"}, {"y"});
  b.Shape("y", kFloat, {2, 4});
  b.Output("y");
  return at_run_time ? AtRunTime(std::move(b), "w") : b;
}

GraphBuilder HybridMatMul(bool at_run_time) {
  GraphBuilder b = Empty();
  b.Input("x", kFloat, {2, 8});
  b.Weight("w", kInt8, {8, 4}, 32);
  Quantize(b, "w", {0.01});
  b.Int(b.Node("BATCH_MATMUL", "op", {"x", "w"}, {"y"}), "operator_version", 4);
  b.Shape("y", kFloat, {2, 4});
  b.Output("y");
  return at_run_time ? AtRunTime(std::move(b), "w") : b;
}

// Float input, int8 weights of which each reads half of the channels.
GraphBuilder GroupedConv(const std::vector<double>& scales) {
  GraphBuilder b = Empty();
  b.Input("x", kFloat, {1, 3, 3, 4});
  b.Weight("w", kInt8, {2, 1, 1, 2}, 4);
  Quantize(b, "w", scales);
  b.Weight("b", kFloat, {2}, 8);
  v1::Node& conv = b.Node("CONV_2D", "op", {"x", "w", "b"}, {"y"});
  for (const char* name : {"stride_w", "stride_h", "dilation_w_factor", "dilation_h_factor"}) b.Int(conv, name, 1);
  b.Shape("y", kFloat, {1, 3, 3, 2});
  b.Output("y");
  return b;
}

// y = op(x, w) and z = ADD(d, w) of one shape, in this or the other order; weights of `rows` rows and one scale.
GraphBuilder WeightAsData(const std::string& op, v1::DataType in, bool weight_first, int64_t rows = 4,
                          v1::DataType added = kInt8) {
  GraphBuilder b = Empty();
  const bool conv = op == "CONV_2D";
  const std::vector<int64_t> shape = conv ? std::vector<int64_t>{rows, 1, 1, 8} : std::vector<int64_t>{rows, 8};
  std::vector<int64_t> out = shape;
  out.back() = rows;
  b.Input("x", in, shape);
  b.Input("d", added, shape);
  b.Weight("w", kInt8, shape, static_cast<int>(8 * rows));
  b.Weight("b", in == kFloat ? kFloat : kInt32, {rows}, static_cast<int>(4 * rows));
  const auto add = [&] { b.Node("ADD", "add", {"d", "w"}, {"z"}); };
  if (!weight_first) add();
  v1::Node& node = b.Node(op, "op", {"x", "w", "b"}, {"y"});
  if (conv) {
    for (const char* name : {"stride_w", "stride_h", "dilation_w_factor", "dilation_h_factor"}) b.Int(node, name, 1);
  }
  if (weight_first) add();
  b.Shape("y", in, out);
  b.Shape("z", added, shape);
  Quantize(b, "w", {0.01});
  for (const char* name : {"d", "z"}) Quantize(b, name, {0.1});
  if (in != kFloat) {
    Quantize(b, "x", {0.1});
    Quantize(b, "b", {0.001});
    Quantize(b, "y", {0.1});
  }
  b.Output("y");
  b.Output("z");
  return b;
}

GraphBuilder Prelu(bool at_run_time) {
  GraphBuilder b = Empty();
  b.Input("x", kFloat, {1, 4});
  b.Weight("w", kFloat, {4}, 16);
  b.Node("PRELU", "op", {"x", "w"}, {"y"});
  b.Shape("y", kFloat, {1, 4});
  b.Output("y");
  return at_run_time ? AtRunTime(std::move(b), "w") : b;
}

// y = TRANSPOSE_CONV(shape, DEQUANTIZE(w), x, b) in float.
GraphBuilder UnpackedTransposeConv(v1::DataType stored) {
  GraphBuilder b = Empty();
  b.Ints("shape", kInt32, {1, 8, 8, 3}, /*scalar=*/false);
  b.Weight("w", stored, {3, 2, 2, 4}, stored == v1::DATA_TYPE_INT4 ? 24 : 48);
  Quantize(b, "w", {0.01, 0.02, 0.01});
  b.Int(b.Node("DEQUANTIZE", "dequantize", {"w"}, {"w_float"}), "operator_version", 6);
  b.Shape("w_float", kFloat, {3, 2, 2, 4});
  b.Input("x", kFloat, {1, 4, 4, 4});
  b.Weight("b", kFloat, {3}, 12);
  v1::Node& conv = b.Node("TRANSPOSE_CONV", "op", {"shape", "w_float", "x", "b"}, {"y"});
  for (const char* name : {"stride_w", "stride_h"}) b.Int(conv, name, 2);
  b.Shape("y", kFloat, {1, 8, 8, 3});
  b.Output("y");
  return b;
}

v1::Sparsity& SparsityOf(GraphBuilder& b, const std::string& name) {
  v1::Constant& constant = *b.Value(name).mutable_constant();
  constant.set_stored_bytes(-1);
  return *constant.mutable_sparsity();
}

// A FULLY_CONNECTED of 16 columns whose weight is stored by rows, of each some runs of `run` columns.
GraphBuilder SparseLinear(v1::DataType in, v1::DataType weight, int run, int64_t version = 1) {
  GraphBuilder b = OfVersion(Linear(in, weight, in == kFloat ? kFloat : kInt32, 16), version);
  if (weight == kFloat) b.Value("w").set_spec(0);
  v1::Sparsity& sparsity = SparsityOf(b, "w");
  for (int i = 0; i < (run > 1 ? 3 : 2); ++i) sparsity.add_traversal_order(i);
  sparsity.add_sizes(4);
  sparsity.add_sizes(-1);
  if (run > 1) {
    sparsity.add_block_map(1);
    sparsity.add_sizes(run);
  }
  return b;
}

// By columns: its numbers are those of rows to a kernel that looks at sizes alone.
GraphBuilder ByColumns(GraphBuilder b) {
  v1::Sparsity& sparsity = *b.Value("w").mutable_constant()->mutable_sparsity();
  sparsity.set_traversal_order(0, 1);
  sparsity.set_traversal_order(1, 0);
  return b;
}

// All columns are stored after all.
GraphBuilder WholeRows(GraphBuilder b) {
  b.Value("w").mutable_constant()->mutable_sparsity()->set_sizes(1, 16);
  return b;
}

// y = ADD(x, w), of which some columns are stored.
GraphBuilder SparseAdd(int columns = -1) {
  GraphBuilder b = Empty();
  b.Input("x", kFloat, {2, 8});
  b.Weight("w", kFloat, {2, 8}, 64);
  v1::Sparsity& sparsity = SparsityOf(b, "w");
  for (int i : {0, 1}) sparsity.add_traversal_order(i);
  sparsity.add_sizes(2);
  sparsity.add_sizes(columns);
  b.Node("ADD", "op", {"x", "w"}, {"y"});
  b.Shape("y", kFloat, {2, 8});
  b.Output("y");
  return b;
}

// Beside an ABS, an operator of the table that no node is of.
GraphBuilder Unused(const std::string& op, int64_t version = 1) {
  GraphBuilder b = Unary("ABS", kFloat, kFloat);
  v1::ListedOperator& unused = *b.graph.add_unused_operators();
  unused.set_op(op);
  unused.set_version(version);
  return b;
}

// BATCH_MATMUL of x with a constant of int8.
GraphBuilder ConstantProduct(v1::DataType in, const std::vector<double>& scales, double zero_point = 0,
                             double out = 0.1) {
  GraphBuilder b = Empty();
  b.Input("x", in, {2, 8});
  b.Weight("w", kInt8, {8, 4}, 32);
  Quantize(b, "w", scales, zero_point);
  b.Node("BATCH_MATMUL", "op", {"x", "w"}, {"y"});
  b.Shape("y", in, {2, 4});
  if (in != kFloat) {
    Quantize(b, "x", {0.1});
    Quantize(b, "y", {out});
  }
  b.Output("y");
  return b;
}

// y = op(x, k) of int8, with a constant that has these scales.
GraphBuilder WithConstant(const std::string& op, const std::vector<double>& scales) {
  GraphBuilder b = Binary(op, kInt8);
  b.Find("op").set_inputs(1, b.Id("k"));
  b.Weight("k", kInt8, {2, 4}, 8);
  Quantize(b, "k", scales);
  b.Value("y").set_dims(0, 2);
  return b;
}

// What DEQUANTIZE makes of a constant.
GraphBuilder Dequantized(v1::DataType type, const std::vector<double>& scales) {
  GraphBuilder b = Empty();
  b.Input("x", kFloat, {2, 4});
  b.Weight("k", type, {2, 4}, type == kInt16 ? 16 : 8);
  Quantize(b, "k", scales);
  b.Node("DEQUANTIZE", "op", {"k"}, {"d"});
  b.Shape("d", kFloat, {2, 4});
  b.Node("ADD", "sum", {"x", "d"}, {"y"});
  b.Shape("y", kFloat, {2, 4});
  b.Output("y");
  return b;
}

// A loop over three floats, whose body gives these of a, b, c and s = a + b.
GraphBuilder LoopGiving(const std::vector<std::string>& given) {
  GraphBuilder b = Empty();
  for (const char* name : {"x", "y", "z"}) b.Input(name, kFloat, {1});
  v1::Node& node = b.Node("WHILE", "op", {"x", "y", "z"}, {"x2", "y2", "z2"});
  for (const char* name : {"x2", "y2", "z2"}) {
    b.Shape(name, kFloat, {1});
    b.Output(name);
  }
  for (int i = 1; i <= 2; ++i) {
    GraphBuilder body(v1::Graph::TFLITE);
    for (const char* name : {"a", "b", "c"}) body.Input(name, kFloat, {1});
    body.Node(i == 1 ? "LESS" : "ADD", "sum", {"a", "b"}, {"s"});
    body.Shape("s", i == 1 ? v1::DATA_TYPE_BOOL : kFloat, {1});
    for (const std::string& name : i == 1 ? std::vector<std::string>{"s"} : given) body.Output(name);
    *b.graph.add_subgraphs() = body.graph;
    v1::Attribute& attribute = *node.add_attributes();
    attribute.set_name(b.Symbol(i == 1 ? "cond_subgraph_index" : "body_subgraph_index"));
    attribute.set_graph(i);
  }
  return b;
}

// A branch that gives these of a and s = |a|.
GraphBuilder BranchGiving(const std::string& first, const std::string& second) {
  GraphBuilder b = Empty();
  b.Input("go", v1::DATA_TYPE_BOOL, {1});
  b.Input("x", kFloat, {1});
  v1::Node& node = b.Node("IF", "op", {"go", "x"}, {"y", "z"});
  for (const char* name : {"y", "z"}) {
    b.Shape(name, kFloat, {1});
    b.Output(name);
  }
  GraphBuilder body(v1::Graph::TFLITE);
  body.Input("a", kFloat, {1});
  body.Node("ABS", "abs", {"a"}, {"s"});
  body.Shape("s", kFloat, {1});
  for (const std::string& name : {first, second}) body.Output(name);
  *b.graph.add_subgraphs() = body.graph;
  for (const char* branch : {"then_subgraph_index", "else_subgraph_index"}) {
    v1::Attribute& attribute = *node.add_attributes();
    attribute.set_name(b.Symbol(branch));
    attribute.set_graph(1);
  }
  return b;
}

// Rows of x are updated by these operators.
GraphBuilder Scattering(const std::vector<std::string>& operators) {
  GraphBuilder b = Empty();
  b.Input("x", kFloat, {4, 3});
  b.Input("at", kInt32, {2, 1});
  b.Input("rows", kFloat, {2, 3});
  v1::Attribute& update = *b.Node("STABLEHLO_SCATTER", "op", {"x", "at", "rows"}, {"y"}).add_attributes();
  update.set_name(b.Symbol("update_computation_subgraph_index"));
  update.set_graph(1);
  b.Shape("y", kFloat, {4, 3});
  b.Output("y");
  GraphBuilder body(v1::Graph::TFLITE);
  for (const char* name : {"a", "b"}) body.Input(name, kFloat, {});
  std::string last = "b";
  for (const std::string& op : operators) {
    body.Node(op, last + "1", {"a", last}, {last + "1"});
    last += "1";
    body.Shape(last, kFloat, {});
  }
  body.Output(last);
  *b.graph.add_subgraphs() = body.graph;
  return b;
}

// Weights of a FULLY_CONNECTED, some of which are stored.
GraphBuilder Densified(bool sparse) {
  GraphBuilder b = Empty();
  b.Input("x", kFloat, {2, 8});
  b.Weight("packed", kFloat, {4, 8}, 128);
  if (sparse) {
    v1::Sparsity& sparsity = SparsityOf(b, "packed");
    for (int i = 0; i < 2; ++i) sparsity.add_traversal_order(i);
    sparsity.add_sizes(4);
    sparsity.add_sizes(-1);
  }
  b.Node("DENSIFY", "unpack", {"packed"}, {"w"});
  b.Shape("w", kFloat, {4, 8});
  b.Weight("b", kFloat, {4}, 16);
  b.Node("FULLY_CONNECTED", "op", {"x", "w", "b"}, {"y"});
  b.Shape("y", kFloat, {2, 4});
  b.Output("y");
  return b;
}

// Of 2 input channels and 4 output channels.
GraphBuilder DepthwiseOf(int64_t multiplier) {
  GraphBuilder b = Empty();
  b.Input("x", kFloat, {1, 8, 8, 2});
  b.Weight("w", kFloat, {1, 3, 3, 4}, 144);
  b.Weight("b", kFloat, {4}, 16);
  v1::Node& conv = b.Node("DEPTHWISE_CONV_2D", "op", {"x", "w", "b"}, {"y"});
  for (const char* name : {"stride_w", "stride_h", "dilation_w_factor", "dilation_h_factor"}) b.Int(conv, name, 1);
  b.Int(conv, "depth_multiplier", multiplier);
  b.Shape("y", kFloat, {1, 8, 8, 4});
  b.Output("y");
  return b;
}

GraphBuilder WithReal(GraphBuilder b, const std::string& option, double number) {
  v1::Attribute& attribute = *b.Find("op").add_attributes();
  attribute.set_name(b.Symbol(option));
  attribute.set_f(number);
  return b;
}
GraphBuilder Leaky(v1::DataType type, double alpha, double out = 0.1) {
  GraphBuilder b = Unary("LEAKY_RELU", type, type, out);
  if (!IsInteger(type)) b.Value("x").set_spec(0), b.Value("y").set_spec(0);
  return WithReal(std::move(b), "alpha", alpha);
}
GraphBuilder Softmax(v1::DataType type, double beta, double scale = 0.1) {
  GraphBuilder b = Unary("SOFTMAX", type, type, 1.0 / 256, -128);
  if (type != kFloat) Quantize(b, "x", {scale});
  return WithReal(std::move(b), "beta", beta);
}
GraphBuilder LogSoftmax(double scale) {
  GraphBuilder b = Unary("LOG_SOFTMAX", kInt8, kInt8, 1.0 / 16, 127);
  Quantize(b, "x", {scale});
  return b;
}

// The index of the largest number, as 64 bits.
GraphBuilder Largest(v1::DataType type) {
  GraphBuilder b = Empty();
  b.Input("x", type, {2, 4});
  b.Ints("axis", kInt32, {1});
  b.Node("ARG_MAX", "op", {"x", "axis"}, {"y"});
  v1::Attribute& attribute = *b.Find("op").add_attributes();
  attribute.set_name(b.Symbol("output_type"));
  attribute.set_dtype(kInt64);
  b.Shape("y", kInt64, {2});
  b.Output("y");
  return b;
}

// To half the size.
GraphBuilder Resized(bool corners, bool centers) {
  GraphBuilder b = Empty();
  b.Input("x", kFloat, {1, 4, 4, 2});
  b.Ints("size", kInt32, {2, 2});
  b.Node("RESIZE_BILINEAR", "op", {"x", "size"}, {"y"});
  for (const auto& [name, stated] : {std::pair("align_corners", corners), {"half_pixel_centers", centers}}) {
    v1::Attribute& attribute = *b.Find("op").add_attributes();
    attribute.set_name(b.Symbol(name));
    attribute.set_b(stated);
  }
  b.Shape("y", kFloat, {1, 2, 2, 2});
  b.Output("y");
  return b;
}

GraphBuilder Embedding(v1::DataType type, v1::DataType out, int64_t row = 2) {
  GraphBuilder b = Empty();
  b.Input("i", kInt32, {3});
  b.Weight("w", type, {5, row}, type == v1::DATA_TYPE_INT4 ? (5 * row + 1) / 2 : 10 * row);
  if (type == v1::DATA_TYPE_INT4) Quantize(b, "w", {0.1});
  b.Node("EMBEDDING_LOOKUP", "op", {"i", "w"}, {"y"});
  b.Shape("y", out, {3, row});
  b.Output("y");
  return b;
}

GraphBuilder Summed(v1::DataType type) {
  GraphBuilder b = Empty();
  b.Input("x", type, {2, 4});
  b.Ints("axis", kInt32, {1}, /*scalar=*/false);
  b.Node("SUM", "op", {"x", "axis"}, {"y"});
  b.Shape("y", type, {2});
  for (const char* name : {"x", "y"}) Quantize(b, name, {0.1});
  b.Output("y");
  return b;
}

struct Case {
  const char* name;
  const char* target;
  std::function<GraphBuilder()> graph;
  const char* code;  // that must be there; "": no finding but remarks
  v1::Finding::Effect effect = v1::Finding::REFUSED;
  v1::Outcome::Kind outcome = v1::Outcome::FULL;
};

std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.name; }

constexpr char kReference[] = "litert/reference";
constexpr char kXnnpack[] = "litert/xnnpack@2.3";

std::vector<Case> Cases() {
  constexpr v1::DataType kInt4 = v1::DATA_TYPE_INT4;
  const v1::Finding::Effect refused = v1::Finding::REFUSED, wrong = v1::Finding::WRONG_NUMBERS,
                            fallback = v1::Finding::FALLBACK;
  const v1::Outcome::Kind full = v1::Outcome::FULL, partial = v1::Outcome::PARTIAL, fails = v1::Outcome::FAILS,
                          unknown = v1::Outcome::UNKNOWN;
  return {
      {"SignOfFloat", kReference, [] { return Unary("SIGN", kFloat, kFloat); }, ""},
      {"SignOfInt8", kReference, [] { return Unary("SIGN", kInt8, kInt8); }, "DT101", refused, fails},
      {"AnotherOutputType", kReference, [] { return Unary("NEG", kFloat, kInt8); }, "DT104", wrong, unknown},
      {"NegatedStoredIntegers", kReference, [] { return Unary("NEG", kInt8, kInt8); }, ""},
      {"NegatedZeroPoint", kReference, [] { return Unary("NEG", kInt8, kInt8, 0.1, 3); }, "SH101", wrong},
      {"NegatedIntoAnotherScale", kReference, [] { return Unary("NEG", kInt8, kInt8, 0.2); }, "SH102", wrong},
      {"CustomOperator", kReference, [] { return Unary("CUSTOM::AcmeMagic", kFloat, kFloat); }, "CV601", refused,
       fails},
      {"EluByReference", kReference, [] { return Unary("ELU", kFloat, kFloat); }, "CV601", refused, fails},
      {"EluByDelegate", kXnnpack, [] { return Unary("ELU", kFloat, kFloat); }, ""},

      {"LogisticOfItsOwnScale", kReference, [] { return Unary("LOGISTIC", kInt8, kInt8, 1.0 / 256, -128); }, ""},
      {"LogisticOfAnotherScale", kReference, [] { return Unary("LOGISTIC", kInt8, kInt8, 0.02, 0); }, "FX101", refused,
       fails},
      {"DelegatedLogisticOfAnotherScale", kXnnpack, [] { return Unary("LOGISTIC", kInt8, kInt8, 0.02, 0); }, ""},

      {"HardSwishIntoFarSmallerScale", kReference, [] { return Unary("HARD_SWISH", kInt8, kInt8, 0.1 / 129); }, "NR105",
       refused, fails},
      {"HardSwishIntoSmallerScale", kReference, [] { return Unary("HARD_SWISH", kInt8, kInt8, 0.1 / 127); }, ""},
      {"AddInt8", kXnnpack, [] { return Binary("ADD", kInt8); }, ""},
      {"AddOfTheLastVersion", kXnnpack, [] { return OfVersion(Binary("ADD", kInt8), 6); }, ""},
      {"AddOfAVersionToCome", kXnnpack, [] { return OfVersion(Binary("ADD", kInt8), 7); }, "EN601", refused, fails},
      {"AddOfOptimizedKernelsVersion", kReference, [] { return OfVersion(Binary("ADD", kInt8), 6); }, "EN601", refused,
       fails},
      {"AddOfNoVersion", kReference, [] { return OfVersion(Binary("ADD", kInt8), 0); }, "EN601", refused, fails},
      {"AddIntoFarSmallerScale", kXnnpack, [] { return Binary("ADD", kInt8, 0.1, 0.1 / 256); }, "CV602", fallback,
       partial},
      {"AddIntoSmallerScale", kXnnpack, [] { return Binary("ADD", kInt8, 0.1, 0.1 / 255); }, ""},
      {"AddOfFarSmallerScale", kXnnpack, [] { return Binary("ADD", kInt8, 9e-5); }, "CV602", fallback, partial},
      {"MulIntoFarSmallerScale", kXnnpack, [] { return Binary("MUL", kInt8, 0.1, 3e-5); }, "CV602", fallback, partial},
      {"MulIntoSmallerScale", kXnnpack, [] { return Binary("MUL", kInt8, 0.1, 5e-5); }, ""},
      {"RequantizedFar", kXnnpack, [] { return Unary("QUANTIZE", kInt8, kInt8, 0.1 / 129); }, "CV602", fallback,
       partial},
      {"Requantized", kXnnpack, [] { return Unary("QUANTIZE", kInt8, kInt8, 0.1 / 127); }, ""},
      {"AddInt16", kXnnpack, [] { return Binary("ADD", kInt16); }, "CV602", fallback, partial},
      {"AddInt16ByReference", kReference, [] { return Binary("ADD", kInt16); }, ""},
      {"LessOfEqualScales", kReference, [] { return Less(0.1); }, ""},
      {"LessOfOtherScales", kReference, [] { return Less(0.2); }, "SH102", wrong},

      {"Int8Linear", kReference, [] { return Linear(kInt8, kInt8, kInt32); }, ""},
      {"Int8LinearWithWideBias", kReference, [] { return Linear(kInt8, kInt8, kInt64); }, "DT104", wrong, unknown},
      {"Int16LinearWithWideBias", kReference, [] { return Linear(kInt16, kInt8, kInt64); }, ""},
      {"DynamicRange", kReference, [] { return Linear(kFloat, kInt8, kFloat); }, ""},
      {"FourBitWeights", kXnnpack, [] { return Linear(kFloat, kInt4, kFloat); }, ""},
      {"FourBitWeightsOfOddRows", kXnnpack, [] { return Linear(kFloat, kInt4, kFloat, 7); }, "CV602", fallback,
       partial},
      {"BlocksByReference", kReference, [] { return InBlocks(Linear(kFloat, kInt4, kFloat, 32), 32); }, "QS103", wrong,
       full},
      {"BlocksByDelegate", kXnnpack, [] { return InBlocks(Linear(kFloat, kInt4, kFloat, 32), 32); }, ""},
      {"BlocksOfAConvolution", kXnnpack,
       [] {
         return InBlocks(GroupedConv({0.01, 0.02}), 2);
       },
       "QS103", wrong, partial},
      {"WeightReadAsDataLater", kXnnpack, [] { return WeightAsData("FULLY_CONNECTED", kInt8, true); }, "GS601", refused,
       fails},
      {"HybridWeightReadAsDataLater", kXnnpack, [] { return WeightAsData("FULLY_CONNECTED", kFloat, true); }, "GS601",
       refused, fails},
      {"WeightReadAsDataBefore", kXnnpack, [] { return WeightAsData("FULLY_CONNECTED", kInt8, false); }, ""},
      {"WeightOfOneRowReadAsData", kXnnpack, [] { return WeightAsData("FULLY_CONNECTED", kInt8, true, 1); }, ""},
      {"WeightReadAsDataByReference", kReference, [] { return WeightAsData("FULLY_CONNECTED", kInt8, true); }, ""},
      {"HybridFilterReadAsDataLater", kXnnpack, [] { return WeightAsData("CONV_2D", kFloat, true); }, "GS601", refused,
       fails},
      {"FilterReadAsDataLater", kXnnpack, [] { return WeightAsData("CONV_2D", kInt8, true); }, ""},
      {"WeightAtRunTime", kXnnpack, [] { return LinearAtRunTime("w"); }, "CV602", fallback, partial},
      {"BiasAtRunTime", kXnnpack, [] { return LinearAtRunTime("b"); }, "CV602", fallback, partial},
      {"WeightAtRunTimeByReference", kReference, [] { return LinearAtRunTime("w"); }, ""},
      {"UnpackedWeight", kXnnpack, [] { return Unpacked(kInt8); }, ""},
      {"UnpackedHalfPrecision", kXnnpack, [] { return Unpacked(v1::DATA_TYPE_FLOAT16); }, ""},
      {"UnpackedFourBits", kXnnpack, [] { return Unpacked(kInt4); }, "CV602", fallback, partial},
      {"UnpackedUnsigned", kXnnpack, [] { return Unpacked(v1::DATA_TYPE_UINT8); }, "CV602", fallback, partial},
      {"UnpackedTransposeConv", kXnnpack, [] { return UnpackedTransposeConv(kInt8); }, ""},
      {"UnpackedTransposeConvOfFourBits", kXnnpack, [] { return UnpackedTransposeConv(kInt4); }, "CV602", fallback,
       partial},
      {"UnpackedAtRunTime", kXnnpack, [] { return Unpacked(kInt8, true); }, "CV602", fallback, partial},
      {"UnpackedOutput", kXnnpack,
       [] {
         GraphBuilder b = Unpacked(kInt8);
         b.Output("w_float");
         return b;
       },
       "GS107", wrong, full},
      {"UnpackedUnsignedOutput", kXnnpack,
       [] {
         GraphBuilder b = Unpacked(v1::DATA_TYPE_UINT8);
         b.Output("w_float");
         return b;
       },
       "CV602", fallback, partial},
      {"TransposeConvOfBiasAtRunTime", kXnnpack, [] { return AtRunTime(UnpackedTransposeConv(kInt8), "b"); }, "CV602",
       fallback, partial},
      {"ProductWithScalesOfChannels", kReference,
       [] {
         return ConstantProduct(kInt8, {0.1, 0.2, 0.1, 0.2, 1, 1, 1, 1});
       },
       "AX601", wrong, full},
      {"WideProductWithScalesOfChannels", kReference,
       [] {
         return ConstantProduct(kInt16, {0.1, 0.2, 0.1, 0.2, 1, 1, 1, 1});
       },
       "AX601", wrong, full},
      {"HybridProductWithScalesOfChannels", kReference,
       [] {
         return ConstantProduct(kFloat, {0.1, 0.2, 0.1, 0.2, 1, 1, 1, 1});
       },
       ""},
      {"WideProduct", kReference, [] { return ConstantProduct(kInt16, {0.1}); }, ""},
      {"WideProductShifted", kReference, [] { return ConstantProduct(kInt16, {0.1}, 5); }, "QS104", refused, fails},
      {"LargerOfScalesOfChannels", kReference,
       [] {
         return WithConstant("MAXIMUM", {0.1, 0.2});
       },
       "AX601", wrong, full},
      {"LargerOfOneScale", kReference, [] { return WithConstant("MAXIMUM", {0.1}); }, ""},
      {"SquareOfScalesOfChannels", kReference,
       [] {
         return WithConstant("SQUARED_DIFFERENCE", {0.1, 0.2});
       },
       "AX601", refused, fails},
      {"DequantizedScalesOfChannels", kReference,
       [] {
         return Dequantized(kInt8, {0.1, 0.2});
       },
       ""},
      {"DequantizedWideScalesOfChannels", kReference,
       [] {
         return Dequantized(kInt16, {0.1, 0.2});
       },
       "AX601", refused, fails},
      {"ProductByDelegate", kXnnpack, [] { return ConstantProduct(kInt8, {0.1}); }, ""},
      {"ProductShifted", kXnnpack, [] { return ConstantProduct(kInt8, {0.1}, 3); }, "CV602", fallback, partial},
      // 0.1 x 0.1 / 3.92e-5 is 255.1.
      {"ProductIntoFarSmallerScale", kXnnpack, [] { return ConstantProduct(kInt8, {0.1}, 0, 3.92e-5); }, "NR105",
       refused, fails},
      {"ProductIntoSmallerScale", kXnnpack, [] { return ConstantProduct(kInt8, {0.1}, 0, 3.93e-5); }, ""},
      {"ProductAtRunTimeIntoFarSmallerScale", kXnnpack,
       [] { return AtRunTime(ConstantProduct(kInt8, {0.1}, 0, 3.92e-5), "w"); }, ""},
      {"ProductIntoFarSmallerScaleByReference", kReference, [] { return ConstantProduct(kInt8, {0.1}, 0, 3.92e-5); },
       ""},
      // 0.1 / 2^19 is 1.907e-7, 0.1 / 2^14 is 6.1e-6.
      {"SumIntoFarSmallerScale", kReference, [] { return Binary("ADD", kInt8, 0.01, 1.9e-7); }, "NR105", refused,
       fails},
      {"SumIntoSmallerScale", kReference, [] { return Binary("ADD", kInt8, 0.01, 1.91e-7); }, ""},
      {"WideSumIntoFarSmallerScale", kReference, [] { return Binary("ADD", kInt16, 0.01, 6e-6); }, "NR105", refused,
       fails},
      {"WideSumIntoSmallerScale", kReference, [] { return Binary("ADD", kInt16, 0.01, 6.2e-6); }, ""},
      {"DifferenceIntoFarSmallerScale", kReference, [] { return Binary("SUB", kInt8, 0.01, 1.9e-7); }, "NR105", wrong,
       full},
      {"DifferenceIntoSmallerScale", kReference, [] { return Binary("SUB", kInt8, 0.01, 1.91e-7); }, ""},
      {"WideDifferenceOfALargerScale", kReference, [] { return Binary("SUB", kInt16, 1700); }, "NR105", wrong, full},
      {"WideDifference", kReference, [] { return Binary("SUB", kInt16, 1600); }, ""},
      // 0.1 / 2^23 is 1.192e-8, 0.1 / 2^16 is 1.526e-6, 0.1 / 2^15 is 3.052e-6.
      {"ReluIntoFarSmallerScale", kReference, [] { return Unary("RELU", kInt8, kInt8, 1.19e-8); }, "NR105", wrong,
       full},
      {"ReluIntoSmallerScale", kReference, [] { return Unary("RELU", kInt8, kInt8, 1.2e-8); }, ""},
      {"WideReluIntoFarSmallerScale", kReference, [] { return Unary("RELU", kInt16, kInt16, 1.52e-6); }, "NR105", wrong,
       full},
      {"WideReluIntoSmallerScale", kReference, [] { return Unary("RELU", kInt16, kInt16, 1.53e-6); }, ""},
      {"WideAbsIntoFarSmallerScale", kReference, [] { return Unary("ABS", kInt16, kInt16, 3.05e-6); }, "NR105", wrong,
       full},
      {"WideAbsIntoSmallerScale", kReference, [] { return Unary("ABS", kInt16, kInt16, 3.06e-6); }, ""},
      // 0.1 x 0.1 / 2^15 is 3.052e-7.
      {"ProductsIntoFarSmallerScale", kReference, [] { return Binary("MUL", kInt8, 0.1, 3.05e-7); }, "NR105", wrong,
       full},
      {"ProductsIntoSmallerScale", kReference, [] { return Binary("MUL", kInt8, 0.1, 3.06e-7); }, ""},
      {"WideProductsIntoSmallerScale", kReference, [] { return Binary("MUL", kInt16, 0.1, 0.0099); }, "NR105", wrong,
       full},
      {"WideProducts", kReference, [] { return Binary("MUL", kInt16, 0.1, 0.0101); }, ""},
      // 1 / 32 is 0.03125, 1 / 8192 is 1.221e-4.
      {"QuotientIntoALargerScale", kReference, [] { return Binary("DIV", kInt8, 0.1, 0.032); }, "NR105", wrong, full},
      {"Quotient", kReference, [] { return Binary("DIV", kInt8, 0.1, 0.03125); }, ""},
      {"WideQuotientIntoALargerScale", kReference, [] { return Binary("DIV", kInt16, 0.1, 1.23e-4); }, "NR105", wrong,
       full},
      {"WideQuotient", kReference, [] { return Binary("DIV", kInt16, 0.1, 1.22e-4); }, ""},
      {"ComparedInWholeSteps", kReference, [] { return Less(1, kInt8); }, "NR106", wrong, full},
      {"ComparedInSteps", kReference, [] { return Less(0.99, kInt8); }, ""},
      // 0.1 x 0.1 / 4096 is 2.441e-6.
      {"SquareIntoFarSmallerScale", kReference, [] { return Binary("SQUARED_DIFFERENCE", kInt8, 0.1, 2.4e-6); },
       "NR105", refused, fails},
      {"SquareIntoSmallerScale", kReference, [] { return Binary("SQUARED_DIFFERENCE", kInt8, 0.1, 2.5e-6); }, ""},
      {"HybridMatMul", kXnnpack, [] { return HybridMatMul(false); }, ""},
      {"HybridMatMulByReference", kReference, [] { return HybridMatMul(true); }, ""},
      {"HybridMatMulAtRunTime", kXnnpack, [] { return HybridMatMul(true); }, "GS106", wrong, full},
      {"GroupedConvOfOneScale", kReference, [] { return GroupedConv({0.01}); }, "GS107", refused, fails},
      {"GroupedConv", kReference,
       [] {
         return GroupedConv({0.01, 0.02});
       },
       ""},
      {"GroupedConvOfOneScaleByDelegate", kXnnpack, [] { return GroupedConv({0.01}); }, ""},
      {"Prelu", kXnnpack, [] { return Prelu(false); }, ""},
      {"PreluAtRunTime", kXnnpack, [] { return Prelu(true); }, "CV602", fallback, partial},
      {"ConvWithBias", kXnnpack, [] { return Conv(true); }, "", refused, full},
      // The second channel: 0.1 x 0.02 / 7e-6 is 285.
      {"ConvIntoFarSmallerScale", kXnnpack, [] { return Conv(true, 7e-6); }, "NR105", refused, fails},
      {"ConvIntoSmallerScale", kXnnpack, [] { return Conv(true, 8e-6); }, ""},
      {"ConvIntoFarSmallerScaleByReference", kReference, [] { return Conv(true, 7e-6); }, ""},
      {"ConvWithoutBias", kReference, [] { return Conv(false); }, "GS101", refused, fails},

      {"LargestInWideIndices", kReference, [] { return Largest(kFloat); }, ""},
      {"LargestInWideIndicesByBuiltin", kXnnpack, [] { return Largest(kFloat); }, "CV602", fallback, partial},
      {"LargestOfWideIntegers", kReference, [] { return Largest(kInt64); }, "DT101", refused, fails},
      {"EmbeddingOfFourBits", kReference, [] { return Embedding(kInt4, kFloat, 6); }, ""},
      {"EmbeddingOfFourBitsInOddRows", kReference, [] { return Embedding(kInt4, kFloat, 5); }, "GS107", wrong, full},
      {"SumOfWords", kReference, [] { return Summed(kInt16); }, "DT104", wrong, full},
      {"SumOfWordsByOptimizedKernel", kXnnpack, [] { return Summed(kInt16); }, "CV602", fallback, partial},
      {"EmbeddingOfUnsigned", kReference, [] { return Embedding(v1::DATA_TYPE_UINT16, v1::DATA_TYPE_UINT16); }, ""},
      {"EmbeddingOfUnsignedAsFloat", kReference, [] { return Embedding(v1::DATA_TYPE_UINT16, kFloat); }, "DT101",
       refused, fails},

      {"ResizedByCenters", kReference, [] { return Resized(false, true); }, ""},
      {"ResizedByCorners", kReference, [] { return Resized(true, false); }, ""},
      {"ResizedByBoth", kReference, [] { return Resized(true, true); }, "GS107", refused, fails},
      {"ResizedByBothByDelegate", kXnnpack, [] { return Resized(true, true); }, ""},

      {"SparseByReference", kReference, [] { return SparseLinear(kFloat, kFloat, 8); }, ""},
      {"SparseByDelegate", kXnnpack, [] { return SparseLinear(kFloat, kFloat, 1); }, "GS602", wrong, full},
      {"SparseByKernel", kXnnpack, [] { return SparseLinear(kFloat, kFloat, 1, 8); }, "CV602", fallback, partial},
      {"SparseRunsOf4ByKernel", kXnnpack, [] { return SparseLinear(kFloat, kFloat, 4, 8); }, "CV602", fallback,
       partial},
      {"SparseRunsOf8ByKernel", kXnnpack, [] { return SparseLinear(kFloat, kFloat, 8, 8); }, "CV601", refused, fails},
      {"SparseColumnsByKernel", kXnnpack, [] { return ByColumns(SparseLinear(kFloat, kFloat, 1, 8)); }, "GS602", wrong,
       partial},
      {"SparseColumnsByReference", kReference, [] { return ByColumns(SparseLinear(kFloat, kFloat, 1)); }, ""},
      {"DenseOfSparseVersion", kXnnpack, [] { return OfVersion(Linear(kInt8, kInt8, kInt32), 8); }, "CV602", fallback,
       partial},
      {"DenseOfAnotherVersion", kXnnpack, [] { return OfVersion(Linear(kInt8, kInt8, kInt32), 9); }, ""},
      {"SparseWholeByKernel", kXnnpack, [] { return WholeRows(SparseLinear(kFloat, kFloat, 1, 8)); }, "CV601", refused,
       fails},
      {"SparseWholeByDelegate", kXnnpack, [] { return WholeRows(SparseLinear(kFloat, kFloat, 1)); }, ""},
      {"SparseBytes", kReference, [] { return SparseLinear(kInt8, kInt8, 1); }, "CV601", refused, fails},
      {"SparseBytesInRuns", kReference, [] { return SparseLinear(kInt8, kInt8, 16); }, ""},
      {"SparseHybrid", kReference, [] { return SparseLinear(kFloat, kInt8, 4); }, "GS602", wrong, full},
      {"SparseHybridInRuns", kReference, [] { return SparseLinear(kFloat, kInt8, 16); }, ""},
      {"SparseSummand", kReference, [] { return SparseAdd(); }, "GS602", wrong, full},
      {"SparseSummandByDelegate", kXnnpack, [] { return SparseAdd(); }, "GS602", wrong, full},
      {"SparseSummandStoredWhole", kReference, [] { return SparseAdd(8); }, ""},

      {"UnusedVersionToCome", kReference, [] { return Unused("ABS", 99); }, "EN601"},
      {"UnusedOptimizedVersion", kReference, [] { return Unused("ABS", 5); }, "EN601"},
      {"UnusedOptimizedVersionThere", kXnnpack, [] { return Unused("ABS", 5); }, ""},
      {"UnusedWithoutKernel", kXnnpack, [] { return Unused("CALL"); }, "CV601"},
      {"UnusedWithoutReferenceKernel", kReference, [] { return Unused("ELU"); }, "CV601"},
      {"UnusedOfNoSchema", kReference, [] { return Unused("BUILTIN_250"); }, "CV601"},
      {"UnusedWithoutName", kReference, [] { return Unused("CUSTOM"); }, "CV601"},
      {"UnusedCustom", kReference, [] { return Unused("CUSTOM::AcmeMagic"); }, ""},

      {"LoopThatSums", kReference,
       [] {
         return LoopGiving({"a", "s", "c"});
       },
       ""},
      {"LoopThatMovesDown", kReference,
       [] {
         return LoopGiving({"b", "c", "s"});
       },
       ""},
      {"LoopThatMovesUp", kReference,
       [] {
         return LoopGiving({"s", "a", "c"});
       },
       "GS603", wrong},
      {"LoopThatSwaps", kReference,
       [] {
         return LoopGiving({"a", "c", "b"});
       },
       "GS603", wrong},
      {"LoopThatRepeats", kReference,
       [] {
         return LoopGiving({"a", "s", "a"});
       },
       ""},
      {"LoopThatGivesTwice", kReference,
       [] {
         return LoopGiving({"s", "s", "c"});
       },
       ""},
      {"BranchThatGivesTwice", kReference, [] { return BranchGiving("s", "s"); }, "GS603", wrong},
      {"BranchThatHandsOnTwice", kReference, [] { return BranchGiving("a", "a"); }, ""},
      {"BranchOfTwo", kReference, [] { return BranchGiving("s", "a"); }, ""},

      {"ScatterThatWrites", kReference, [] { return Scattering({}); }, ""},
      {"ScatterThatAdds", kReference, [] { return Scattering({"STABLEHLO_ADD"}); }, ""},
      {"ScatterOfAnotherAdd", kReference, [] { return Scattering({"ADD"}); }, "CV601", refused, fails},
      {"ScatterOfTwo", kReference,
       [] {
         return Scattering({"STABLEHLO_ADD", "STABLEHLO_ADD"});
       },
       "CV601", refused, fails},
      {"DensifiedWeight", kReference, [] { return Densified(true); }, ""},
      {"DensifiedWeightByDelegate", kXnnpack, [] { return Densified(true); }, ""},
      {"DensifiedOfWhole", kReference, [] { return Densified(false); }, "CV601", refused, fails},

      {"DepthwiseOfTwo", kXnnpack, [] { return DepthwiseOf(2); }, ""},
      {"DepthwiseOfOneOfTwo", kXnnpack, [] { return DepthwiseOf(1); }, "GS107", refused, fails},
      {"DepthwiseOfThreeOfTwo", kXnnpack, [] { return DepthwiseOf(3); }, "CV602", fallback, partial},
      {"DepthwiseOfOneOfTwoByReference", kReference, [] { return DepthwiseOf(1); }, ""},
      {"LeakyHalf", kXnnpack, [] { return Leaky(v1::DATA_TYPE_FLOAT16, 0.1); }, ""},
      {"LeakyHalfOfNoSlope", kXnnpack, [] { return Leaky(v1::DATA_TYPE_FLOAT16, 0); }, "DT101", refused, fails},
      {"LeakyOfNoSlope", kXnnpack, [] { return Leaky(kFloat, 0); }, "CV602", fallback, partial},
      {"LeakyInt8", kXnnpack, [] { return Leaky(kInt8, -2); }, ""},
      {"LeakyInt8OfSmallSlope", kXnnpack, [] { return Leaky(kInt8, 0.003); }, "CV602", fallback, partial},
      {"LeakyInt8IntoSmallScale", kXnnpack, [] { return Leaky(kInt8, 0.1, 0.1 / 129); }, "CV602", fallback, partial},
      {"SoftmaxByDelegate", kXnnpack, [] { return Softmax(kFloat, 1); }, ""},
      {"SharperSoftmaxByDelegate", kXnnpack, [] { return Softmax(kFloat, 2); }, "CV602", fallback, partial},
      {"Softmax", kReference, [] { return Softmax(kInt8, 1); }, ""},
      {"SoftmaxOfNothing", kReference, [] { return Softmax(kInt8, 0); }, "GS107", refused, fails},
      {"SoftmaxOfNothingByOptimized", kXnnpack, [] { return Softmax(kInt8, 0); }, "CV602", fallback, partial},
      {"SoftmaxOfTinyScale", kReference, [] { return Softmax(kInt8, 1, 1.4e-8); }, "GS107", refused, fails},
      {"SoftmaxOfSmallScale", kReference, [] { return Softmax(kInt8, 1, 1.6e-8); }, ""},
      {"LogSoftmaxOfTinyScale", kReference, [] { return LogSoftmax(1e-9); }, "GS107", refused, fails},
      {"LogSoftmaxOfSmallScale", kReference, [] { return LogSoftmax(1.6e-8); }, ""},
  };
}

class LitertModule : public ::testing::TestWithParam<Case> {};

TEST_P(LitertModule, Judges) {
  const Case& c = GetParam();
  CheckOptions options;
  options.corrections = false;  // what is asked for here is what is wrong, not how far a search for changes came
  const v1::Report report = testing::CheckOn(c.graph().graph, c.target, options);
  const v1::Result& result = report.results(0);
  bool found = false;
  for (const v1::Finding& finding : result.findings()) {
    if (finding.severity() == v1::Finding::INFO) continue;
    EXPECT_STRNE(c.code, "") << finding.ShortDebugString();
    found = found || (finding.code() == c.code && finding.effect() == c.effect);
  }
  EXPECT_EQ(found, *c.code != '\0') << result.ShortDebugString();
  EXPECT_EQ(result.outcome().kind(), c.outcome) << result.outcome().ShortDebugString();
  EXPECT_THAT(result.not_checked(), ::testing::IsEmpty()) << result.not_checked(0).ShortDebugString();
}

INSTANTIATE_TEST_SUITE_P(Table, LitertModule, ::testing::ValuesIn(Cases()),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(LitertModule, OtherOriginsAreNotJudged) {
  const GraphBuilder onnx = testing::SoundConv();
  const absl::StatusOr<v1::Result> result = Ask(onnx.graph, kReference);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->verdict(), v1::Result::UNKNOWN);
}

TEST(LitertModule, NamesItsTargets) {
  EXPECT_EQ(Ask(Conv(true).graph, kXnnpack)->target(), "litert/xnnpack@2.3.0");
  EXPECT_EQ(Ask(Conv(true).graph, "litert/gpu").status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(Ask(Conv(true).graph, "litert").status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace quantgate
