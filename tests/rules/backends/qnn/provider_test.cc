// What ONNX Runtime's QNN provider makes of ONNX operators: for each rule of it an operator that meets it, and one next
// to it that does not. tests/vendor/provider_test.cc has the provider's own answers.
#include "rules/backends/qnn/provider/provider.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "db/database.h"
#include "rules/backends/qnn_htp/module.h"
#include "tests/rules/annotated_check.h"
#include "tests/rules/graph_builder.h"
#include "tests/rules/real_tables.h"

namespace quantgate::qnn_htp {
namespace {

using ::quantgate::testing::GraphBuilder;
using ::testing::Contains;
using ::testing::ElementsAre;

constexpr v1::DataType kReal = v1::DATA_TYPE_FLOAT32;
constexpr v1::DataType kUint8 = v1::DATA_TYPE_UINT8;
constexpr v1::DataType kInt8 = v1::DATA_TYPE_INT8;
constexpr v1::DataType kUint16 = v1::DATA_TYPE_UINT16;
constexpr v1::DataType kInt16 = v1::DATA_TYPE_INT16;
using Sizes = std::vector<int64_t>;

// One operator "node"; quantized unless `type` is float. Operands: run-time tensors first, then constants.
class OneNode {
 public:
  OneNode(std::string op, v1::DataType type) : op_(std::move(op)), type_(type) {}
  OneNode& In(const Sizes& dims) { return InOf(dims, type_); }
  OneNode& InOf(const Sizes& dims, v1::DataType type) {
    const std::string name = absl::StrCat("x", count_++);
    b_.Input(name, kReal, dims);
    inputs_.push_back(Quantized(name, dims, type));
    return *this;
  }
  // Not quantized.
  OneNode& Raw(const Sizes& dims, v1::DataType type) {
    inputs_.push_back(absl::StrCat("x", count_++));
    b_.Input(inputs_.back(), type, dims);
    return *this;
  }
  OneNode& Constant(const Sizes& dims, v1::DataType type) { return Constant(dims, type, -1); }
  // With a scale for each element along `axis`; -1: with one.
  OneNode& Constant(const Sizes& dims, v1::DataType type, int axis) {
    const std::string name = absl::StrCat("c", count_++);
    int64_t bytes = 1;
    for (const int64_t size : dims) bytes *= size;
    b_.Weight(name, type, dims, type == v1::DATA_TYPE_INT32 || type == kReal ? 4 * bytes : bytes);
    if (type == kReal) {
      inputs_.push_back(name);
      return *this;
    }
    const size_t scales = axis < 0 ? 1 : dims[axis];
    const int64_t zero_point = type == kUint8 ? 128 : type == kUint16 && axis >= 0 ? 32768 : 0;
    b_.Reals(name + "_scale", std::vector<double>(scales, type == v1::DATA_TYPE_INT32 ? 0.0002 : 0.01), axis < 0);
    b_.Ints(name + "_zp", type, Sizes(scales, zero_point), axis < 0);
    v1::Node& dequantize =
        b_.Node("DequantizeLinear", name + "_DQ", {name, name + "_scale", name + "_zp"}, {name + "_dq"});
    if (axis >= 0) b_.Int(dequantize, "axis", axis);
    inputs_.push_back(name + "_dq");
    return *this;
  }
  OneNode& Numbers(const std::vector<double>& numbers) {
    const std::string name = absl::StrCat("n", count_++);
    b_.Reals(name, numbers, false);
    inputs_.push_back(name);
    return *this;
  }
  OneNode& Scalar(double number) {
    const std::string name = absl::StrCat("s", count_++);
    b_.Reals(name, {number}, true);
    inputs_.push_back(name);
    return *this;
  }
  OneNode& Omit() {
    inputs_.emplace_back();
    return *this;
  }
  OneNode& Out(const Sizes& dims) { return OutOf(dims, type_); }
  OneNode& OutOf(const Sizes& dims, v1::DataType type) {
    out_ = dims;
    out_type_ = type;
    return *this;
  }
  OneNode& Int(const std::string& name, int64_t value) {
    return With([=](GraphBuilder& b, v1::Node& node) { b.Int(node, name, value); });
  }
  OneNode& Ints(const std::string& name, const Sizes& values) {
    return With([=](GraphBuilder& b, v1::Node& node) {
      v1::Attribute& attribute = *node.add_attributes();
      attribute.set_name(b.Symbol(name));
      for (const int64_t value : values) attribute.mutable_ints()->add_values(value);
    });
  }
  OneNode& Text(const std::string& name, const std::string& value) {
    return With([=](GraphBuilder& b, v1::Node& node) {
      v1::Attribute& attribute = *node.add_attributes();
      attribute.set_name(b.Symbol(name));
      attribute.set_s(value);
    });
  }
  OneNode& Texts(const std::string& name, const std::vector<std::string>& values) {
    return With([=](GraphBuilder& b, v1::Node& node) {
      v1::Attribute& attribute = *node.add_attributes();
      attribute.set_name(b.Symbol(name));
      for (const std::string& value : values) attribute.mutable_strings()->add_values(value);
    });
  }
  using Change = std::function<void(GraphBuilder&, v1::Node&)>;
  OneNode& With(const Change& change) {
    changes_.push_back(change);
    return *this;
  }
  // A second output, and whether the first one goes on into a Relu.
  OneNode& Second() {
    second_ = true;
    return *this;
  }
  OneNode& ThenRelu() {
    relu_ = true;
    return *this;
  }

  OneNode& OutScale(double scale) {
    out_scale_ = scale;
    return *this;
  }

  v1::Graph Graph() {
    std::vector<std::string> outputs = {"y"};
    if (second_) outputs.emplace_back("indices");
    v1::Node& node = b_.Node(op_, "node", inputs_, outputs);
    for (const Change& change : changes_) change(b_, node);
    b_.Shape("y", kReal, out_);
    if (second_) b_.Shape("indices", v1::DATA_TYPE_INT64, out_);
    std::string last = Quantized("y", out_, out_type_, out_scale_);
    if (relu_) {
      b_.Node("Relu", "relu", {last}, {"r"});
      b_.Shape("r", kReal, out_);
      last = "r";
    }
    b_.Output(last);
    if (second_) b_.Output("indices");
    return b_.graph;
  }

 private:
  std::string Quantized(const std::string& name, const Sizes& dims, v1::DataType type, double scale = 0.02) {
    if (type == kReal) return name;
    b_.Pair(name, scale, type == kUint8 ? 128 : type == v1::DATA_TYPE_UINT16 ? 32768 : 0, type);
    b_.Shape(name + "_dq", kReal, dims);
    return name + "_dq";
  }

  GraphBuilder b_;
  std::string op_;
  v1::DataType type_;
  v1::DataType out_type_ = kReal;
  int count_ = 0;
  std::vector<std::string> inputs_;
  Sizes out_;
  double out_scale_ = 0.02;
  std::vector<Change> changes_;
  bool second_ = false;
  bool relu_ = false;
};

enum Fate { kTaken, kLeft, kFails, kUnclear };

class HtpProvider : public ::testing::Test {
 protected:
  HtpProvider() : tables_(db::Database::Open(QUANTGATE_TABLES_FILE).value()), module_(LoadModule(*tables_).value()) {}

  Fate FateOf(OneNode&& node, Toolchain toolchain = Toolchain::kOnnxRuntime, const char* soc = "qnn_htp/SM8650") {
    return FateIn(node.Graph(), toolchain, soc);
  }

  Fate FateIn(const v1::Graph& message, Toolchain toolchain = Toolchain::kOnnxRuntime,
              const char* soc = "qnn_htp/SM8650") {
    const Graph graph = *Graph::Build(message);
    const ResolvedGraph resolved = ResolvedGraph::Resolve(graph);
    Target target = module_->resolve(*ParseTargetName(soc)).value();
    target.toolchain = toolchain;
    FindingSink sink;
    ModuleResult result;
    module_->check(CheckContext(graph, resolved), target, sink, result);
    refused_after_layout_ =
        absl::c_any_of(sink.findings(), [](const FindingDraft& d) { return d.rule->code == std::string("EN208"); });
    in_float_ = absl::c_any_of(sink.findings(), [&graph](const FindingDraft& d) {
      return d.rule->code == std::string("CV205") && graph.node(d.place.node).name() == "node";
    });
    for (size_t i = 0; i < result.ops.size(); ++i) {
      if (graph.node(resolved.ops()[i].node).name() != "node") continue;
      emitted_.clear();
      for (const absl::string_view op : result.ops[i].backend_ops) emitted_.emplace_back(op);
      if (result.ops[i].ends_export) return kFails;
      if (result.ops[i].refused) return kLeft;
      return result.ops[i].checked ? kTaken : kUnclear;
    }
    ADD_FAILURE() << "there is no such node";
    return kUnclear;
  }

  std::unique_ptr<db::Database> tables_;
  std::unique_ptr<Module> module_;
  bool refused_after_layout_ = false;
  bool in_float_ = false;  // said of "node", CV205
  std::vector<std::string> emitted_;
};

OneNode Lstm(v1::DataType type) {
  OneNode node("LSTM", type);
  node.In({5, 2, 16}).Constant({1, 32, 16}, type).Constant({1, 32, 8}, type).Out({5, 1, 2, 8}).Int("hidden_size", 8);
  return node;
}

OneNode Unary(const std::string& op, v1::DataType type, const Sizes& dims = {1, 4, 16}) {
  return std::move(OneNode(op, type).In(dims).Out(dims));
}
OneNode Planar(const std::string& op, v1::DataType type, const Sizes& out = {1, 4, 8, 8}) {
  return std::move(OneNode(op, type).In({1, 4, 8, 8}).Out(out));
}

// A slope for each channel is taken where ONNX Runtime lays the tensor out channels last, which it does for a
// convolution, and what stands behind it along.
TEST_F(HtpProvider, LaysASlopeOutWithItsTensor) {
  const auto behind = [](const char* op, bool far) {
    GraphBuilder b;
    const auto quantized = [&b](const std::string& name) {
      b.Shape(name, kReal, {1, 4, 8, 8});
      b.Pair(name, 0.0002, 32768, v1::DATA_TYPE_UINT16);
      b.Shape(name + "_dq", kReal, {1, 4, 8, 8});
      return name + "_dq";
    };
    b.Input("x", kReal, {1, 4, 8, 8});
    std::string last = quantized("x");
    v1::Node& first = b.Node(op, "first", {last}, {"a"});
    if (op == std::string("MaxPool")) {
      v1::Attribute& shape = *first.add_attributes();
      shape.set_name(b.Symbol("kernel_shape"));
      for (int i = 0; i < 2; ++i) shape.mutable_ints()->add_values(1);
    }
    last = quantized("a");
    if (far) {
      b.Node("Relu", "far", {last}, {"f"});
      last = quantized("f");
    }
    b.Weight("slope", v1::DATA_TYPE_UINT16, {4, 1, 1}, 8);
    b.Reals("slope_scale", {0.0001});
    b.Ints("slope_zp", v1::DATA_TYPE_UINT16, {32768});
    b.Node("DequantizeLinear", "slope_DQ", {"slope", "slope_scale", "slope_zp"}, {"slope_dq"});
    b.Node("PRelu", "node", {last, "slope_dq"}, {"y"});
    b.Output(quantized("y"));
    return b.graph;
  };
  EXPECT_EQ(FateIn(behind("MaxPool", false)), kTaken);
  EXPECT_EQ(FateIn(behind("MaxPool", true)), kTaken);
  EXPECT_EQ(FateIn(behind("Relu", false)), kFails);
  // The converter lays everything out channels last.
  EXPECT_EQ(FateIn(behind("Relu", false), Toolchain::kQnnConverter), kTaken);
}

TEST_F(HtpProvider, StoresASignedGammaUnsigned) {
  const auto norm = [](v1::DataType activation, v1::DataType gamma) {
    return std::move(OneNode("InstanceNormalization", activation)
                         .In({1, 4, 8, 8})
                         .Constant({4}, gamma)
                         .Constant({4}, v1::DATA_TYPE_INT32)
                         .Out({1, 4, 8, 8}));
  };
  EXPECT_EQ(FateOf(norm(kUint8, kInt8)), kTaken);
  EXPECT_EQ(FateOf(norm(v1::DATA_TYPE_UINT16, kInt8)), kTaken);
  EXPECT_EQ(FateOf(norm(kInt8, kInt8)), kFails);
  EXPECT_EQ(FateOf(norm(kUint8, kInt8), Toolchain::kQnnConverter), kLeft);
}

TEST_F(HtpProvider, LeavesBatchNormsOfInt8) {
  const auto norm = [](v1::DataType activation) {
    OneNode node("BatchNormalization", activation);
    node.In({1, 4, 8, 8}).Constant({4}, kInt8).Constant({4}, v1::DATA_TYPE_INT32);
    node.Numbers({0, 0, 0, 0}).Numbers({1, 1, 1, 1}).Out({1, 4, 8, 8});
    return node;
  };
  EXPECT_EQ(FateOf(norm(kInt8)), kLeft);
  EXPECT_EQ(FateOf(norm(kUint8)), kTaken);
}

TEST_F(HtpProvider, ComputesInFloatBetweenDequantizeAndQuantize) {
  EXPECT_EQ(FateOf(Unary("Tan", kUint8)), kTaken);
  EXPECT_THAT(emitted_, ElementsAre("Dequantize", "ElementWiseSin", "ElementWiseCos", "ElementWiseDivide", "Quantize"));
  EXPECT_EQ(FateOf(Unary("Tan", kReal)), kTaken);
  EXPECT_THAT(emitted_, ElementsAre("ElementWiseSin", "ElementWiseCos", "ElementWiseDivide"));
  EXPECT_EQ(FateOf(Unary("Tan", kUint8, {1, 2, 2, 2, 2})), kUnclear);  // validated, and not prepared
  EXPECT_EQ(FateOf(Unary("Selu", kInt8)), kTaken);
  EXPECT_EQ(FateOf(Unary("ThresholdedRelu", kUint8)), kTaken);
  EXPECT_EQ(FateOf(Unary("com.microsoft::QuickGelu", kUint8)), kTaken);
  EXPECT_EQ(FateOf(Unary("IsNaN", kUint8)), kTaken);
  EXPECT_EQ(FateOf(Unary("Cosh", kUint8)), kLeft);
  // The converter knows no Tan.
  EXPECT_EQ(FateOf(Unary("Tan", kUint8), Toolchain::kQnnConverter), kLeft);
}

// What the tables have no rows for was asked of six archs, of SoCs with floats and without.
TEST_F(HtpProvider, WhatIsUnlistedIsPreparedWhereThereAreFloats) {
  for (const char* soc : {"qnn_htp/SM8450", "qnn_htp/SM8550", "qnn_htp/SM8750", "qnn_htp/SA8295"}) {
    EXPECT_EQ(FateOf(Unary("IsNaN", kUint8), Toolchain::kOnnxRuntime, soc), kTaken) << soc;
    EXPECT_EQ(FateOf(Lstm(kReal), Toolchain::kOnnxRuntime, soc), kTaken) << soc;
  }
  EXPECT_EQ(FateOf(Unary("IsNaN", kUint8), Toolchain::kOnnxRuntime, "qnn_htp/V85"), kUnclear);
}

TEST_F(HtpProvider, FloatCannotBePreparedOnV68) {
  EXPECT_EQ(FateOf(Unary("Selu", kUint8), Toolchain::kOnnxRuntime, "qnn_htp/SM8350"), kFails);
  EXPECT_EQ(FateOf(Lstm(kUint8), Toolchain::kOnnxRuntime, "qnn_htp/SM8350"), kFails);
  EXPECT_EQ(FateOf(Lstm(kReal), Toolchain::kOnnxRuntime, "qnn_htp/SM6450"), kFails);
  EXPECT_EQ(FateOf(Unary("IsNaN", kUint8), Toolchain::kOnnxRuntime, "qnn_htp/SM8350"), kTaken);
  EXPECT_EQ(FateOf(Unary("IsNaN", kReal), Toolchain::kOnnxRuntime, "qnn_htp/SM6450"), kTaken);
  EXPECT_EQ(FateOf(Unary("Softplus", kUint8), Toolchain::kOnnxRuntime, "qnn_htp/SM8350"), kTaken);
}

TEST_F(HtpProvider, VariadicOperatorsAreChainsOfTwoOrMore) {
  const auto of = [](const std::string& op, int count) {
    OneNode node(op, kUint8);
    for (int i = 0; i < count; ++i) node.In({1, 4, 16});
    return std::move(node.Out({1, 4, 16}));
  };
  for (const char* op : {"Sum", "Mean", "Max", "Min"}) {
    EXPECT_EQ(FateOf(of(op, 1)), kLeft) << op;
    EXPECT_EQ(FateOf(of(op, 2)), kTaken) << op;
    EXPECT_EQ(FateOf(of(op, 3)), kTaken) << op;
  }
  EXPECT_EQ(FateOf(of("Max", 2)), kTaken);
  EXPECT_THAT(emitted_, ElementsAre("ElementWiseMaximum"));
}

TEST_F(HtpProvider, MixedTypesAreComputedInFloat) {
  const auto sum = [](v1::DataType second) {
    return std::move(OneNode("Add", v1::DATA_TYPE_UINT16).In({1, 4, 16}).InOf({16}, second).Out({1, 4, 16}));
  };
  EXPECT_EQ(FateOf(sum(v1::DATA_TYPE_UINT16)), kTaken);
  EXPECT_THAT(emitted_, ElementsAre("ElementWiseAdd"));
  EXPECT_FALSE(in_float_);
  EXPECT_EQ(FateOf(sum(kUint8)), kTaken);
  EXPECT_THAT(emitted_, ElementsAre("Dequantize", "Dequantize", "ElementWiseAdd", "Quantize"));
  EXPECT_TRUE(in_float_);
}

TEST_F(HtpProvider, AResultOfAnotherTypeIsQuantizedApart) {
  const auto relu = [](v1::DataType out) {
    return std::move(OneNode("Relu", kUint8).In({1, 4, 16}).OutOf({1, 4, 16}, out));
  };
  EXPECT_EQ(FateOf(relu(kUint8)), kTaken);
  EXPECT_THAT(emitted_, ElementsAre("Relu"));
  EXPECT_EQ(FateOf(relu(kUint16)), kTaken);
  EXPECT_THAT(emitted_, ElementsAre("Dequantize", "Relu", "Quantize"));
  // What asks after the layout has changed is not refused for what stands beside it.
  const auto pool = [](v1::DataType out) {
    return std::move(OneNode("GlobalAveragePool", kUint8).In({1, 4, 8, 8}).OutOf({1, 4, 1, 1}, out));
  };
  EXPECT_EQ(FateOf(pool(kUint16)), kTaken);
  EXPECT_EQ(FateOf(pool(kUint16), Toolchain::kQnnConverter), kLeft);
}

// The library is asked about an encoding that the provider gives it; the numbers are another matter (FX205).
TEST_F(HtpProvider, ATanhOf16BitsHasAnEncodingOfTheProviders) {
  const auto tanh = [](int64_t zero_point) {
    GraphBuilder b;
    b.Input("x", kReal, {1, 4, 16});
    b.Pair("x", 0.0001, 32768, kUint16);
    b.Shape("x_dq", kReal, {1, 4, 16});
    b.Node("Tanh", "node", {"x_dq"}, {"y"});
    b.Shape("y", kReal, {1, 4, 16});
    b.Pair("y", 0.0001, zero_point, kUint16);
    b.Shape("y_dq", kReal, {1, 4, 16});
    b.Output("y_dq");
    return b.graph;
  };
  EXPECT_EQ(FateIn(tanh(33000)), kTaken);
  EXPECT_EQ(FateIn(tanh(33000), Toolchain::kQnnConverter), kLeft);
  EXPECT_EQ(FateIn(tanh(32768), Toolchain::kQnnConverter), kTaken);
}

TEST_F(HtpProvider, ProductsByTheTypesOfTheirWeightsAndBiases) {
  const auto convolution = [](v1::DataType input, v1::DataType weight, int axis, v1::DataType bias) {
    OneNode node("Conv", input);
    node.In({1, 4, 8, 8}).Constant({8, 4, 3, 3}, weight, axis).Constant({8}, bias);
    return std::move(node.Out({1, 8, 6, 6}));
  };
  EXPECT_EQ(FateOf(convolution(kInt8, kInt8, -1, v1::DATA_TYPE_INT32)), kTaken);
  EXPECT_THAT(emitted_, ElementsAre("Conv2d"));
  EXPECT_FALSE(in_float_);
  EXPECT_EQ(FateOf(convolution(kUint8, kInt8, 0, v1::DATA_TYPE_INT32)), kTaken);
  EXPECT_THAT(emitted_, ElementsAre("Conv2d"));
  EXPECT_FALSE(in_float_);
  // A bias in float is made one of 32 bits.
  EXPECT_EQ(FateOf(convolution(kUint8, kInt8, 0, kReal)), kTaken);
  EXPECT_THAT(emitted_, ElementsAre("Conv2d"));
  EXPECT_FALSE(in_float_);
  EXPECT_EQ(FateOf(convolution(kUint8, kInt8, 0, kReal), Toolchain::kQnnConverter), kLeft);
  // No unit: a bias of other types, and signed activations beside an unsigned weight.
  EXPECT_EQ(FateOf(convolution(kUint8, kInt8, -1, kUint8)), kTaken);
  EXPECT_THAT(emitted_, ElementsAre("Dequantize", "Dequantize", "Dequantize", "Conv2d", "Quantize"));
  EXPECT_TRUE(in_float_);
  EXPECT_EQ(FateOf(convolution(kInt8, kUint8, -1, kReal)), kTaken);
  EXPECT_THAT(emitted_, ElementsAre("Dequantize", "Dequantize", "Conv2d", "Quantize"));
  EXPECT_TRUE(in_float_);
  const auto gemm = [](int axis) {
    return std::move(
        OneNode("Gemm", kUint8).In({2, 16}).Constant({16, 8}, kInt8, axis).Constant({8}, kReal).Out({2, 8}));
  };
  EXPECT_EQ(FateOf(gemm(-1)), kTaken);
  EXPECT_THAT(emitted_, ElementsAre("Dequantize", "Dequantize", "FullyConnected", "Quantize"));
  EXPECT_TRUE(in_float_);
  EXPECT_EQ(FateOf(gemm(1)), kLeft);
  // A Dequantize by itself has one scale, and not of 32 bits.
  EXPECT_EQ(FateOf(convolution(kInt8, kUint8, 0, kReal)), kLeft);
  EXPECT_EQ(FateOf(convolution(kInt8, kUint8, -1, v1::DATA_TYPE_INT32)), kLeft);
  EXPECT_FALSE(refused_after_layout_);
}

// The provider stores the bias of a convolution anew where it has a zero point, which the library refuses.
TEST_F(HtpProvider, ZeroPointsOfBiases) {
  const auto product = [](const std::string& op, int64_t zero_point) {
    const bool matrix = op == "Gemm";
    OneNode node(op, kUint8);
    node.In(matrix ? Sizes{2, 4} : Sizes{1, 4, 6, 6}).Constant(matrix ? Sizes{4, 8} : Sizes{8, 4, 1, 1}, kInt8);
    node.Constant({8}, v1::DATA_TYPE_INT32).Out(matrix ? Sizes{2, 8} : Sizes{1, 8, 6, 6});
    node.With([=](GraphBuilder& b, v1::Node&) { b.Value("c2_zp").mutable_constant()->set_ints(0, zero_point); });
    return node;
  };
  for (const char* op : {"Conv", "Gemm"}) EXPECT_EQ(FateOf(product(op, 0)), kTaken) << op;
  EXPECT_EQ(FateOf(product("Conv", 7)), kTaken);
  EXPECT_EQ(FateOf(product("Gemm", 7)), kLeft);
  EXPECT_EQ(FateOf(product("Conv", 7), Toolchain::kQnnConverter), kLeft);
}

TEST_F(HtpProvider, NormsByTheTypesOfTheirBiases) {
  const auto norm = [](const char* op, v1::DataType type, v1::DataType bias) {
    return std::move(OneNode(op, type).In({1, 4, 8, 8}).Constant({4}, type).Constant({4}, bias).Out({1, 4, 8, 8}));
  };
  EXPECT_EQ(FateOf(norm("InstanceNormalization", kUint8, v1::DATA_TYPE_INT32)), kTaken);
  EXPECT_THAT(emitted_, ElementsAre("InstanceNorm"));
  for (const v1::DataType bias : {kReal, kInt8}) {
    EXPECT_EQ(FateOf(norm("InstanceNormalization", kUint8, bias)), kTaken);
    EXPECT_THAT(emitted_, Contains("InstanceNorm"));
    EXPECT_THAT(emitted_, Contains("Quantize"));
  }
}

// What it looks up in a constant it does not have behind a Dequantize of its own.
TEST_F(HtpProvider, LookedUpOperandsAreNoneThatAreDequantized) {
  const auto clip = [](v1::DataType out, v1::DataType bound) {
    OneNode node("Clip", kUint8);
    if (bound == kReal) {
      node.In({1, 4, 8, 8}).Scalar(-1).Scalar(1);
    } else {
      node.In({1, 4, 8, 8}).Constant({}, bound).Constant({}, bound);
    }
    return std::move(node.OutOf({1, 4, 8, 8}, out));
  };
  EXPECT_EQ(FateOf(clip(kUint16, kUint8)), kLeft);
  EXPECT_EQ(FateOf(clip(kUint16, kReal)), kTaken);
  EXPECT_EQ(FateOf(clip(kUint8, kUint8)), kTaken);
}

TEST_F(HtpProvider, WeightsBesideFloatsAreDequantizedApart) {
  const auto product = [](v1::DataType weight, int axis) {
    return std::move(OneNode("MatMul", kReal).In({1, 4, 8}).Constant({8, 16}, weight, axis).Out({1, 4, 16}));
  };
  EXPECT_EQ(FateOf(product(kInt8, -1)), kTaken);
  EXPECT_THAT(emitted_, ElementsAre("Dequantize", "MatMul"));
  EXPECT_EQ(FateOf(product(kInt8, 1)), kLeft);
}

TEST_F(HtpProvider, UnsignedWeightsOf16BitsAreMadeSigned) {
  const auto convolution = [](int axis) {
    OneNode node("Conv", kUint16);
    return std::move(node.In({1, 4, 8, 8}).Constant({8, 4, 3, 3}, kUint16, axis).Out({1, 8, 6, 6}));
  };
  // Whatever their zero point, which the library asks about otherwise; but of one scale.
  EXPECT_EQ(FateOf(convolution(-1)), kTaken);
  EXPECT_EQ(FateOf(convolution(-1), Toolchain::kQnnConverter), kLeft);
  EXPECT_EQ(FateOf(convolution(0)), kFails);
  EXPECT_TRUE(refused_after_layout_);
  // Along one dimension they stay as they are.
  const auto line = [](int axis) {
    OneNode node("Conv", kUint16);
    return std::move(node.In({1, 4, 8}).Constant({8, 4, 3}, kUint16, axis).Out({1, 8, 6}));
  };
  EXPECT_EQ(FateOf(line(0)), kTaken);
  EXPECT_EQ(FateOf(line(-1)), kFails);
  const auto product = [](int axis) {
    return std::move(OneNode("MatMul", kUint16).In({1, 4, 8}).Constant({8, 16}, kUint16, axis).Out({1, 4, 16}));
  };
  EXPECT_EQ(FateOf(product(-1)), kTaken);
  EXPECT_EQ(FateOf(product(1)), kLeft);
}

TEST_F(HtpProvider, ProductsByAConstantMatrixAreFullyConnected) {
  const auto product = [](v1::DataType type, v1::DataType weight) {
    return std::move(OneNode("MatMul", type).In({1, 4, 8}).Constant({8, 16}, weight).Out({1, 4, 16}));
  };
  EXPECT_EQ(FateOf(product(kUint8, kInt8)), kTaken);
  EXPECT_THAT(emitted_, ElementsAre("FullyConnected", "Reshape"));
  EXPECT_EQ(FateOf(product(kInt16, kInt16)), kLeft);
  // Of two that are computed, unsigned ones of 16 bits alone are narrowed.
  const auto computed = [](v1::DataType type) {
    return std::move(OneNode("MatMul", type).In({1, 4, 8}).In({1, 8, 4}).Out({1, 4, 4}));
  };
  EXPECT_EQ(FateOf(computed(kInt16)), kTaken);
  EXPECT_THAT(emitted_, ElementsAre("MatMul"));
  EXPECT_EQ(FateOf(computed(kUint16)), kTaken);
  EXPECT_THAT(emitted_, ElementsAre("Convert", "MatMul"));
}

TEST_F(HtpProvider, OperatorsOnIntegersByTheirBuilders) {
  const auto product = [](const std::string& op) {
    GraphBuilder b;
    b.Input("x", kUint8, {2, 8});
    b.Weight("w", kUint8, {8, 4}, 32);
    b.Reals("scale", {0.02});
    b.Ints("zp", kUint8, {128});
    b.Node(op, "node", {"x", "scale", "zp", "w", "scale", "zp", "scale", "zp"}, {"y"});
    b.Shape("y", kUint8, {2, 4});
    b.Output("y");
    return b.graph;
  };
  EXPECT_EQ(FateIn(product("QLinearMatMul")), kTaken);
  EXPECT_EQ(FateIn(product("com.microsoft::QLinearAdd")), kLeft);
}

TEST_F(HtpProvider, BlocksThatAreWholeOfThreeDimensions) {
  const auto product = [](const Sizes& x, int64_t block, v1::DataType zero_points) {
    GraphBuilder b;
    const int64_t blocks = (x.back() + block - 1) / block;
    b.Input("x", kReal, x);
    b.Weight("w", kUint8, {16, blocks, block / 2}, 8 * blocks * block);
    b.Weight("s", kReal, {16, blocks}, 64 * blocks);
    b.Weight("z", zero_points, {16, zero_points == kReal ? blocks : (blocks + 1) / 2}, 0);
    v1::Node& node = b.Node("com.microsoft::MatMulNBits", "node", {"x", "w", "s", "z"}, {"y"});
    b.Int(node, "K", x.back());
    b.Int(node, "N", 16);
    b.Int(node, "bits", 4);
    b.Int(node, "block_size", block);
    Sizes y = x;
    y.back() = 16;
    b.Shape("y", kReal, y);
    b.Output("y");
    return b.graph;
  };
  EXPECT_EQ(FateIn(product({1, 4, 64}, 32, kUint8)), kTaken);
  EXPECT_EQ(FateIn(product({1, 4, 48}, 32, kUint8)), kLeft);
  EXPECT_EQ(FateIn(product({1, 4, 16}, 32, kUint8)), kLeft);
  EXPECT_EQ(FateIn(product({4, 64}, 32, kUint8)), kLeft);
  EXPECT_EQ(FateIn(product({1, 2, 4, 64}, 32, kUint8)), kLeft);
  EXPECT_EQ(FateIn(product({1, 4, 64}, 32, kReal)), kLeft);
}

TEST_F(HtpProvider, AnRmsNormWithItsWeightFirstIsNotClear) {
  for (const bool weight_first : {true, false}) {
    GraphBuilder b;
    b.Input("x", kReal, {1, 16, 64});
    b.Input("s", kReal, {1, 16, 1});
    b.Weight("w", kReal, {64}, 256);
    // One like the last node, with nothing in front.
    b.Node("Mul", "plain", {"w", "x"}, {"p"});
    b.Shape("p", kReal, {1, 16, 64});
    b.Node("Reciprocal", "reciprocal", {"s"}, {"r"});
    b.Shape("r", kReal, {1, 16, 1});
    b.Node("Mul", "normalize", {"p", "r"}, {"n"});
    b.Shape("n", kReal, {1, 16, 64});
    b.Node("Mul", "node", weight_first ? std::vector<std::string>{"w", "n"} : std::vector<std::string>{"n", "w"},
           {"y"});
    b.Shape("y", kReal, {1, 16, 64});
    b.Output("y");
    EXPECT_EQ(FateIn(b.graph), weight_first ? kUnclear : kTaken);
  }
}

TEST_F(HtpProvider, RecurrentOperatorsWithoutActivationsOfTheirOwn) {
  const std::vector<std::string> lower = {"sigmoid", "tanh", "tanh"};
  const std::vector<std::string> upper = {"Sigmoid", "Tanh", "Tanh"};
  EXPECT_EQ(FateOf(Lstm(kUint8)), kTaken);
  EXPECT_EQ(FateOf(std::move(Lstm(kUint8).Texts("activations", lower))), kTaken);
  EXPECT_EQ(FateOf(std::move(Lstm(kUint8).Texts("activations", upper))), kLeft);
  EXPECT_EQ(FateOf(std::move(Lstm(kUint8).Int("layout", 1))), kUnclear);
}

// x * 0.5 * (1 + erf(x / c)) in float; `erf` reads "d" and is read by `sum`. "node" is the Erf.
// `read`: a value that is an output, too; "": none.
v1::Graph WrittenOutGelu(const std::string& scaling, const std::string& sum, bool half_first,
                         const std::string& read = "") {
  GraphBuilder b;
  const Sizes dims = {1, 4, 16};
  b.Input("x", kReal, dims);
  for (const char* name : {"c", "half", "one"}) b.Reals(name, {1.0}, true);
  b.Node(scaling, "scaling", {"x", "c"}, {"d"});
  b.Node("Erf", "node", {"d"}, {"e"});
  b.Node(sum, "sum", {"e", "one"}, {"s"});
  b.Node("Mul", "first", {"x", half_first ? "half" : "s"}, {"m"});
  b.Node("Mul", "last", {"m", half_first ? "s" : "half"}, {"y"});
  for (const char* name : {"d", "e", "s", "m", "y"}) b.Shape(name, kReal, dims);
  b.Output("y");
  if (!read.empty()) b.Output(read);
  return b.graph;
}

TEST_F(HtpProvider, AnErfIsTakenInTheMiddleOfAGelu) {
  for (const bool half_first : {true, false}) {
    EXPECT_EQ(FateIn(WrittenOutGelu("Div", "Add", half_first)), kTaken);
    EXPECT_THAT(emitted_, ElementsAre("Gelu"));
    EXPECT_EQ(FateIn(WrittenOutGelu("Mul", "Add", half_first)), kTaken);
    EXPECT_EQ(FateIn(WrittenOutGelu("Sub", "Add", half_first)), kLeft);
    EXPECT_EQ(FateIn(WrittenOutGelu("Div", "Sub", half_first)), kLeft);
    EXPECT_EQ(FateIn(WrittenOutGelu("Div", "Add", half_first, "s")), kLeft);
    EXPECT_EQ(FateIn(WrittenOutGelu("Div", "Add", half_first, "d")), kUnclear);
    EXPECT_EQ(FateIn(WrittenOutGelu("Div", "Add", half_first, "m")), half_first ? kUnclear : kLeft);
  }
  EXPECT_EQ(FateOf(Unary("Erf", kReal)), kLeft);
  EXPECT_EQ(FateOf(Unary("Erf", kUint8)), kLeft);
}

// Reshape, Transpose "node" and Reshape. `type`: of the pairs around each; `behind`: scale of the last pair; `read`: a
// result on the way that the caller reads, too.
v1::Graph WindowOf(const Sizes& sizes, const Sizes& perm, v1::DataType type, double behind = 0.02,
                   const std::string& read = "") {
  GraphBuilder b;
  const auto pair = [&](const std::string& name, const Sizes& dims, double scale) {
    b.Shape(name, kReal, dims);
    if (type == kReal) return name;
    b.Pair(name, scale, type == kUint8 ? 128 : 0, type);
    b.Shape(name + "_dq", kReal, dims);
    return name + "_dq";
  };
  int64_t count = 1;
  for (const int64_t size : sizes) count *= size;
  Sizes moved;
  for (const int64_t axis : perm) moved.push_back(sizes[axis]);
  b.Input("x", kReal, {count});
  b.Ints("six", v1::DATA_TYPE_INT64, sizes);
  b.Ints("one", v1::DATA_TYPE_INT64, {count});
  b.Node("Reshape", "first", {pair("x", {count}, 0.02), "six"}, {"r"});
  v1::Node& transpose = b.Node("Transpose", "node", {pair("r", sizes, 0.02)}, {"t"});
  v1::Attribute& attribute = *transpose.add_attributes();
  attribute.set_name(b.Symbol("perm"));
  for (const int64_t axis : perm) attribute.mutable_ints()->add_values(axis);
  b.Node("Reshape", "last", {pair("t", moved, behind), "one"}, {"y"});
  b.Output(pair("y", {count}, behind));
  if (!read.empty()) b.Output(read);
  return b.graph;
}

TEST_F(HtpProvider, WindowsOfSixDimensionsLoseOneThatStaysWhereItIs) {
  const Sizes sizes = {1, 4, 2, 4, 2, 16};
  const Sizes perm = {0, 1, 3, 2, 4, 5};
  EXPECT_EQ(FateIn(WindowOf(sizes, perm, kReal)), kTaken);
  EXPECT_EQ(FateIn(WindowOf(sizes, perm, kUint8)), kTaken);
  EXPECT_EQ(FateIn(WindowOf(sizes, {1, 0, 3, 2, 4, 5}, kUint8)), kLeft);
  EXPECT_EQ(FateIn(WindowOf({2, 4, 2, 4, 2, 16}, perm, kReal)), kLeft);
  EXPECT_EQ(FateIn(WindowOf({1, 2, 4, 2, 4, 2, 16}, {0, 1, 2, 4, 3, 5, 6}, kReal)), kLeft);
  // Not refused, and nothing could be prepared that was asked.
  EXPECT_EQ(FateIn(WindowOf(sizes, perm, kUint8, 0.03)), kUnclear);
  EXPECT_EQ(FateIn(WindowOf(sizes, perm, kInt16)), kUnclear);
}

TEST_F(HtpProvider, WindowsEndWhereOthersReadThem) {
  EXPECT_EQ(FateIn(WindowOf({1, 4, 2, 4, 2, 16}, {0, 1, 3, 2, 4, 5}, kReal, 0.02, "r")), kLeft);
  EXPECT_EQ(FateIn(WindowOf({1, 4, 2, 4, 2, 16}, {0, 1, 3, 2, 4, 5}, kReal, 0.02, "t")), kLeft);
}

TEST_F(HtpProvider, WhatLeavesIntegersIsApartWhereItsScalesDiffer) {
  const auto squeeze = [](double scale) {
    OneNode node("Flatten", kUint8);
    node.In({2, 4, 8}).Out({2, 32}).OutScale(scale);
    return node;
  };
  EXPECT_EQ(FateOf(squeeze(0.02)), kTaken);
  EXPECT_THAT(emitted_, ElementsAre("Reshape"));
  EXPECT_FALSE(in_float_);
  EXPECT_EQ(FateOf(squeeze(0.03)), kTaken);
  EXPECT_THAT(emitted_, ElementsAre("Dequantize", "Reshape", "Quantize"));
  EXPECT_TRUE(in_float_);
  EXPECT_EQ(FateOf(std::move(OneNode("Relu", kUint8).In({2, 4}).Out({2, 4}).OutScale(0.03))), kTaken);
  EXPECT_THAT(emitted_, ElementsAre("Relu"));
}

TEST_F(HtpProvider, WhatHasNoUnitIsComputedInFloat) {
  EXPECT_EQ(FateOf(std::move(OneNode("Tan", kUint8).In({2, 4}).Out({2, 4}))), kTaken);
  EXPECT_TRUE(in_float_);
  EXPECT_EQ(FateOf(std::move(OneNode("Tan", kReal).Raw({2, 4}, kReal).Out({2, 4}))), kTaken);
  EXPECT_FALSE(in_float_);
}

// It is on the HTP; the node behind is not.
TEST(HtpProviderOutcome, WhatRunsInFloatIsNotWhyAModelRunsInParts) {
  GraphBuilder b;
  b.Input("x", kReal, {2, 4});
  b.Pair("x", 0.02, 128, kUint8);
  b.Shape("x_dq", kReal, {2, 4});
  b.Node("Relu", "relu", {"x_dq"}, {"y"});
  b.Shape("y", kReal, {2, 4});
  b.Pair("y", 0.0001, 0, kUint16);
  b.Shape("y_dq", kReal, {2, 4});
  b.Node("Sinh", "sinh", {"y_dq"}, {"z"});
  b.Shape("z", kReal, {2, 4});
  b.Output("z");
  CheckOptions options;
  options.toolchain = "onnxruntime";
  const v1::Result result = testing::CheckOn(b.graph, "qnn_htp/SM8650", options).results(0);
  EXPECT_THAT(testing::CodesAt(result, "relu"), Contains("CV205"));
  ASSERT_EQ(result.outcome().kind(), v1::Outcome::PARTIAL);
  EXPECT_EQ(result.findings(result.outcome().cause()).location().node(), "sinh");
}

TEST_F(HtpProvider, ATransposeToAnotherEncodingIsConvertedBehind) {
  const auto transpose = [](double scale) {
    OneNode node("Transpose", kUint8);
    node.In({2, 4}).Out({4, 2}).OutScale(scale).Ints("perm", {1, 0});
    return node;
  };
  EXPECT_EQ(FateOf(transpose(0.02)), kTaken);
  EXPECT_THAT(emitted_, ElementsAre("Transpose"));
  EXPECT_EQ(FateOf(transpose(0.03)), kTaken);
  EXPECT_THAT(emitted_, ElementsAre("Transpose", "Convert"));
}

TEST_F(HtpProvider, ASplitIntoOnePartIsAReshape) {
  EXPECT_EQ(FateOf(std::move(OneNode("Split", kUint8).In({2, 4}).Out({2, 4}).Int("num_outputs", 1))), kTaken);
  EXPECT_THAT(emitted_, ElementsAre("Reshape"));
  EXPECT_EQ(FateOf(std::move(OneNode("Split", kUint8).In({2, 4}).Out({2, 4})), Toolchain::kQnnConverter), kLeft);
}

TEST_F(HtpProvider, AnExpandOfInt16IsLeft) {
  const auto expand = [this](v1::DataType type, double scale) {
    GraphBuilder b;
    b.Input("x", kReal, {1, 4});
    b.Ints("shape", v1::DATA_TYPE_INT64, {3, 4});
    b.Pair("x", 0.02, type == kUint16 ? 32768 : 0, type);
    b.Shape("x_dq", kReal, {1, 4});
    b.Node("Expand", "node", {"x_dq", "shape"}, {"y"});
    b.Shape("y", kReal, {3, 4});
    b.Pair("y", scale, type == kUint16 ? 32768 : 0, type);
    b.Shape("y_dq", kReal, {3, 4});
    b.Output("y_dq");
    return FateIn(b.graph);
  };
  EXPECT_EQ(expand(kInt16, 0.02), kLeft);
  EXPECT_EQ(expand(kInt16, 0.03), kTaken);
  EXPECT_EQ(expand(kUint16, 0.02), kTaken);
}

TEST_F(HtpProvider, ACastInFrontOfAQuantizeIsNoPartOfIt) {
  const auto cast = [](v1::DataType from, v1::DataType to) {
    OneNode node("Cast", to);
    node.Raw({4, 8}, from).Out({4, 8}).Int("to", 1);
    return node;
  };
  EXPECT_EQ(FateOf(cast(v1::DATA_TYPE_BOOL, kUint16)), kTaken);
  EXPECT_THAT(emitted_, ElementsAre("Cast", "Quantize"));
  EXPECT_EQ(FateOf(cast(v1::DATA_TYPE_INT32, kInt16)), kTaken);
  EXPECT_EQ(FateOf(cast(kInt8, kUint8)), kLeft);
}

// ONNX Runtime does not compute the Dequantize of a constant.
TEST_F(HtpProvider, ConstantsThatAreReadInFloatAreDequantizedByTheLibrary) {
  const auto add = [](v1::DataType type, int axis) {
    OneNode node("Add", kReal);
    node.In({8, 8}).Constant({8, 8}, type, axis).Out({8, 8});
    return node;
  };
  EXPECT_EQ(FateOf(add(kInt8, -1)), kTaken);
  EXPECT_EQ(FateOf(add(kInt8, 0)), kLeft);
  EXPECT_EQ(FateOf(add(v1::DATA_TYPE_INT32, -1)), kLeft);
}

// ONNX Runtime moves the Quantize to the convolution, past a Reshape, not past a Softmax, and past a Relu or Clip that
// leaves what is stored.
TEST_F(HtpProvider, AQuantizeIsMovedToTheConvolution) {
  const auto convolution = [this](const std::string& behind, int zero_point = 128, bool float_bias = false) {
    GraphBuilder b;
    b.Input("x", kReal, {1, 4, 8, 8});
    b.Pair("x", 0.02, 128, kUint8);
    b.Shape("x_dq", kReal, {1, 4, 8, 8});
    b.Weight("w", kInt8, {8, 4, 1, 1}, 32);
    b.Weight("c", v1::DATA_TYPE_INT32, {8}, 32);
    b.Reals("scale", {0.01}, true);
    b.Reals("product", {0.0002}, true);
    b.Ints("shape", v1::DATA_TYPE_INT64, {8, 64});
    b.Node("DequantizeLinear", "w_DQ", {"w", "scale"}, {"wd"});
    b.Weight("reals", kReal, {8}, 32);
    b.Reals("least", {0.0}, true);
    b.Reals("most", {6.0}, true);
    b.Node("DequantizeLinear", "c_DQ", {"c", "product"}, {"cd"});
    b.Node("Conv", "node", {"x_dq", "wd", float_bias ? "reals" : "cd"}, {"y"});
    b.Shape("y", kReal, {1, 8, 8, 8});
    const bool reshapes = behind == "Reshape";
    std::vector<std::string> inputs = {"y"};
    if (reshapes) inputs.emplace_back("shape");
    if (behind == "Clip") inputs.insert(inputs.end(), {"least", "most"});
    b.Node(behind, "behind", inputs, {"z"});
    b.Shape("z", kReal, reshapes ? Sizes{8, 64} : Sizes{1, 8, 8, 8});
    b.Pair("z", 0.02, zero_point, kUint8);
    b.Shape("z_dq", kReal, reshapes ? Sizes{8, 64} : Sizes{1, 8, 8, 8});
    b.Output("z_dq");
    return FateIn(b.graph);
  };
  EXPECT_EQ(convolution("Reshape"), kTaken);
  EXPECT_EQ(convolution("Identity"), kTaken);
  EXPECT_EQ(convolution("Softmax"), kLeft);
  for (const char* limit : {"Relu", "Clip"}) {
    EXPECT_EQ(convolution(limit, 0), kTaken) << limit;
    EXPECT_EQ(convolution(limit, 128), kLeft) << limit;
    EXPECT_EQ(convolution(limit, 0, /*float_bias=*/true), kTaken) << limit;
    EXPECT_EQ(convolution(limit, 128, /*float_bias=*/true), kLeft) << limit;
  }
}

// The optimizer turns the constant: a product that is quantized takes it, and one in float has its Dequantize left.
TEST_F(HtpProvider, ATransposeOfAConstantIsTurnedWithIt) {
  const auto product = [this](bool quantized, int axis) {
    GraphBuilder b;
    b.Input("x", kReal, {2, 8});
    b.Pair("x", 0.02, 128, kUint8);
    b.Shape("x_dq", kReal, {2, 8});
    b.Weight("w", kInt8, {4, 8}, 32);
    b.Reals("scales", std::vector<double>(axis < 0 ? 1 : 4, 0.01), axis < 0);
    v1::Node& dequantize = b.Node("DequantizeLinear", "w_DQ", {"w", "scales"}, {"wd"});
    if (axis >= 0) b.Int(dequantize, "axis", axis);
    b.Shape("wd", kReal, {4, 8});
    b.Node("Transpose", "turned", {"wd"}, {"t"});
    b.Shape("t", kReal, {8, 4});
    b.Node("MatMul", "node", {quantized ? "x_dq" : "x", "t"}, {"y"});
    b.Shape("y", kReal, {2, 4});
    if (quantized) {
      b.Pair("y", 0.02, 128, kUint8);
      b.Shape("y_dq", kReal, {2, 4});
    }
    b.Output(quantized ? "y_dq" : "y");
    return FateIn(b.graph);
  };
  EXPECT_EQ(product(true, 0), kTaken);
  EXPECT_EQ(product(true, -1), kTaken);
  EXPECT_EQ(product(false, 0), kLeft);
  EXPECT_EQ(product(false, -1), kTaken);
}

TEST_F(HtpProvider, OperatorsThatNoFormOfIsTaken) {
  EXPECT_EQ(FateOf(Unary("Erf", kUint8)), kLeft);
  EXPECT_EQ(FateOf(Unary("Erf", kReal)), kLeft);
  EXPECT_EQ(FateOf(Unary("Gelu", kUint8)), kTaken);
  EXPECT_EQ(FateOf(Unary("Mish", kReal)), kUnclear);
}

TEST_F(HtpProvider, GemmTakesABiasOfOneElementForEachOutput) {
  const auto gemm = [](const Sizes& bias, v1::DataType type = v1::DATA_TYPE_INT32) {
    return std::move(OneNode("Gemm", kUint8).In({2, 16}).Constant({16, 8}, kInt8).Constant(bias, type).Out({2, 8}));
  };
  EXPECT_EQ(FateOf(gemm({8})), kTaken);
  EXPECT_EQ(FateOf(gemm({1, 8})), kTaken);
  for (const Sizes& bias : {Sizes{1}, Sizes{2, 1}, Sizes{2, 8}, Sizes{}}) EXPECT_EQ(FateOf(gemm(bias)), kLeft);
  EXPECT_EQ(FateOf(gemm({8}), Toolchain::kQnnConverter), kTaken);
  OneNode transposed("Gemm", kUint8);
  transposed.In({16, 2}).Constant({16, 8}, kInt8).Out({2, 8}).Int("transA", 1);
  EXPECT_EQ(FateOf(std::move(transposed)), kTaken);
  EXPECT_THAT(emitted_, ElementsAre("Transpose", "FullyConnected"));
}

TEST_F(HtpProvider, SlopesAreUnsigned) {
  EXPECT_EQ(FateOf(Unary("LeakyRelu", kUint8)), kTaken);
  EXPECT_EQ(FateOf(Unary("LeakyRelu", kInt8)), kLeft);
  EXPECT_EQ(FateOf(Unary("LeakyRelu", kInt8), Toolchain::kQnnConverter), kTaken);
}

TEST_F(HtpProvider, PoolsWithoutDilationOrASecondOutput) {
  const auto pool = [](const std::string& op) {
    return std::move(Planar(op, kUint8, {1, 4, 4, 4}).Ints("kernel_shape", {2, 2}).Ints("strides", {2, 2}));
  };
  EXPECT_EQ(FateOf(pool("MaxPool")), kTaken);
  EXPECT_EQ(FateOf(std::move(pool("MaxPool").Second())), kLeft);
  EXPECT_EQ(FateOf(std::move(pool("MaxPool").Ints("dilations", {2, 2}))), kLeft);
  EXPECT_EQ(FateOf(std::move(pool("AveragePool").Ints("dilations", {2, 2}))), kLeft);
  EXPECT_EQ(FateOf(std::move(pool("AveragePool").Ints("dilations", {1, 1}))), kTaken);
  EXPECT_EQ(FateOf(pool("LpPool")), kTaken);
  EXPECT_EQ(FateOf(std::move(pool("LpPool").Int("p", 3))), kLeft);
  EXPECT_EQ(FateOf(std::move(pool("LpPool").Int("ceil_mode", 1))), kLeft);
  const auto cube = [](const std::string& op) {
    return std::move(OneNode(op, kUint8).In({1, 4, 6, 6, 6}).Out({1, 4, 1, 1, 1}));
  };
  EXPECT_EQ(FateOf(cube("GlobalMaxPool")), kLeft);
  EXPECT_EQ(FateOf(cube("GlobalAveragePool")), kTaken);
}

TEST_F(HtpProvider, OutputPaddingBesideANarrowKernelIsNotClear) {
  const auto convolution = [](int64_t kernel, int64_t out) {
    OneNode node("ConvTranspose", kReal);
    node.In({1, 4, 8, 8}).Constant({4, 8, kernel, kernel}, kReal).Out({1, 8, out, out});
    return std::move(node.Ints("strides", {2, 2}).Ints("output_padding", {1, 1}));
  };
  EXPECT_EQ(FateOf(convolution(2, 17)), kUnclear);
  EXPECT_EQ(FateOf(convolution(3, 18)), kTaken);
  EXPECT_EQ(FateOf(std::move(convolution(2, 15).Ints("pads", {1, 1, 1, 1}))), kTaken);
  EXPECT_EQ(FateOf(std::move(convolution(3, 20).Ints("dilations", {2, 2}))), kLeft);
}

TEST_F(HtpProvider, ResizeByRankAndMode) {
  const auto resize = [](v1::DataType type, const std::string& transformation, const std::string& nearest) {
    OneNode node = Planar("Resize", type, {1, 4, 16, 16});
    node.Omit().Numbers({1, 1, 2, 2});
    return std::move(node.Text("coordinate_transformation_mode", transformation).Text("nearest_mode", nearest));
  };
  EXPECT_EQ(FateOf(resize(kUint8, "half_pixel", "ceil")), kTaken);
  EXPECT_EQ(FateOf(resize(kUint8, "asymmetric", "floor")), kTaken);
  EXPECT_EQ(FateOf(resize(kUint8, "asymmetric", "ceil")), kLeft);
  EXPECT_EQ(FateOf(resize(kUint8, "half_pixel_symmetric", "floor")), kLeft);
  EXPECT_EQ(FateOf(std::move(resize(kUint8, "half_pixel", "floor").Int("antialias", 1))), kLeft);
  OneNode channels = Planar("Resize", kUint8, {1, 8, 16, 16});
  EXPECT_EQ(FateOf(std::move(channels.Omit().Numbers({1, 2, 2, 2}))), kLeft);
  const auto cubic = [](double scale) {
    OneNode node = Planar("Resize", kUint8, {1, 4, 12, 12});
    return std::move(node.Omit().Numbers({1, 1, scale, scale}).Text("mode", "cubic"));
  };
  EXPECT_EQ(FateOf(cubic(1.5)), kTaken);
  EXPECT_EQ(FateOf(cubic(1.6)), kLeft);  // 12 of 8 is not 1.6
}

TEST_F(HtpProvider, EquationsThatAreProducts) {
  const auto einsum = [](const std::string& equation, const Sizes& first, const Sizes& second, const Sizes& out) {
    return std::move(OneNode("Einsum", kUint8).In(first).In(second).Out(out).Text("equation", equation));
  };
  EXPECT_EQ(FateOf(einsum("bij, bjk -> bik", {2, 3, 4}, {2, 4, 5}, {2, 3, 5})), kTaken);
  EXPECT_EQ(FateOf(einsum("id,jd->ij", {3, 4}, {5, 4}, {3, 5})), kTaken);
  EXPECT_EQ(FateOf(einsum("ij,ij->ij", {3, 4}, {3, 4}, {3, 4})), kLeft);
  EXPECT_EQ(FateOf(einsum("ij,jk", {3, 4}, {4, 5}, {3, 5})), kLeft);
  EXPECT_EQ(FateOf(einsum("bhwc,hkc->bhwk", {1, 3, 4, 5}, {3, 6, 5}, {1, 3, 4, 6})), kUnclear);
  EXPECT_EQ(FateOf(einsum("", {3, 4}, {4, 5}, {3, 5})), kLeft);
  EXPECT_EQ(FateOf(einsum(std::string(5000, 'a') + "," + std::string(5000, 'b') + "->c", {3}, {4}, {3})), kLeft);
}

TEST_F(HtpProvider, WhatIsRefusedAfterTheLayoutHasChangedEndsTheSession) {
  EXPECT_EQ(FateOf(std::move(Planar("LRN", kInt8).Int("size", 3))), kFails);
  EXPECT_TRUE(refused_after_layout_);
  EXPECT_EQ(FateOf(std::move(Planar("LRN", kUint8).Int("size", 3))), kTaken);
  EXPECT_EQ(FateOf(std::move(Planar("LRN", kInt8).Int("size", 3)), Toolchain::kQnnConverter), kLeft);
  EXPECT_FALSE(refused_after_layout_);
  EXPECT_EQ(FateOf(Unary("Neg", kInt8)), kLeft);  // has no layout
  // Not of a rank that is laid out, or with a size that is not known.
  EXPECT_EQ(FateOf(std::move(OneNode("LRN", kInt8).In({1, 4, 2, 2, 2}).Out({1, 4, 2, 2, 2}).Int("size", 3))), kLeft);
  EXPECT_EQ(FateOf(std::move(OneNode("LRN", kInt8).In({1, 4, -1, 8}).Out({1, 4, -1, 8}).Int("size", 3))), kLeft);
}

TEST_F(HtpProvider, AGroupNormEndsTheSessionUnlessNothingReadsIt) {
  const auto norm = [](v1::DataType type) {
    return std::move(Planar("GroupNormalization", type).Constant({4}, kReal).Constant({4}, kReal).Int("num_groups", 2));
  };
  EXPECT_EQ(FateOf(norm(kReal)), kTaken);
  EXPECT_EQ(FateOf(std::move(norm(kReal).ThenRelu())), kFails);
  EXPECT_EQ(FateOf(norm(kUint8)), kFails);
  EXPECT_TRUE(refused_after_layout_);
}

TEST_F(HtpProvider, ABiasBesideA4BitWeightOfOneScaleEndsTheSession) {
  const auto convolution = [](v1::DataType weight, bool bias, v1::DataType bias_type = v1::DATA_TYPE_INT32) {
    OneNode node("Conv", kUint8);
    node.In({1, 4, 8, 8}).Constant({8, 4, 3, 3}, weight);
    if (bias) node.Constant({8}, bias_type);
    return std::move(node.Out({1, 8, 6, 6}));
  };
  EXPECT_EQ(FateOf(convolution(v1::DATA_TYPE_INT4, true)), kFails);
  EXPECT_EQ(FateOf(convolution(v1::DATA_TYPE_INT4, true, kReal)), kFails);
  EXPECT_EQ(FateOf(convolution(kInt8, true, kReal)), kTaken);
  EXPECT_EQ(FateOf(convolution(v1::DATA_TYPE_INT4, false)), kTaken);
  EXPECT_EQ(FateOf(convolution(kInt8, true)), kTaken);
}

// The optimizer quantizes it; without optimizations it ends the session.
TEST_F(HtpProvider, AFloatBiasAlongOneDimensionIsTaken) {
  const auto convolution = [](const char* op, v1::DataType weight, v1::DataType bias) {
    OneNode node(op, kUint8);
    node.In({1, 8, 16}).Constant({8, 8, 3}, weight).Constant({8}, bias);
    return std::move(node.Out({1, 8, std::string(op) == "Conv" ? 14 : 18}));
  };
  for (const char* op : {"Conv", "ConvTranspose"}) {
    EXPECT_EQ(FateOf(convolution(op, kInt8, kReal)), kTaken);
    EXPECT_EQ(FateOf(convolution(op, kInt8, v1::DATA_TYPE_INT32)), kTaken);
    EXPECT_EQ(FateOf(convolution(op, v1::DATA_TYPE_INT4, kReal)), kTaken);
    EXPECT_EQ(FateOf(convolution(op, v1::DATA_TYPE_INT4, v1::DATA_TYPE_INT32)), kTaken);
  }
}

}  // namespace
}  // namespace quantgate::qnn_htp
