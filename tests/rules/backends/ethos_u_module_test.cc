// Ethos-U as Vela compiles for it, by the shipped tables: each rule with a model that fires it and its neighbor that
// does not. What Vela itself says of such models: tests/data/ethos_u, tests/runtimes/ethos_u.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <ostream>
#include <string>
#include <utility>
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
constexpr v1::DataType kBool = v1::DATA_TYPE_BOOL;
constexpr v1::DataType kInt4 = v1::DATA_TYPE_INT4;
constexpr v1::DataType kInt8 = v1::DATA_TYPE_INT8;
constexpr v1::DataType kUint8 = v1::DATA_TYPE_UINT8;
constexpr v1::DataType kInt16 = v1::DATA_TYPE_INT16;
constexpr v1::DataType kInt32 = v1::DATA_TYPE_INT32;
constexpr v1::DataType kInt64 = v1::DATA_TYPE_INT64;

constexpr char k55[] = "ethos_u/ethos-u55-128";
constexpr char k65[] = "ethos_u/ethos-u65-256";
constexpr char k85[] = "ethos_u/ethos-u85-512";

using Shape = std::vector<int64_t>;

struct Data {
  v1::DataType type = kInt8;
  Shape dims = {1, 8, 8, 4};
  double scale = 0.1;  // 0: not quantized
  bool constant = false;
  double zero_point = 0;
};

void Quantize(GraphBuilder& b, const std::string& name, double scale, double zero_point) {
  v1::Spec& spec = *b.graph.add_specs();
  spec.set_kind(v1::Spec::PLAIN);
  spec.set_dtype(b.Value(name).dtype());
  spec.set_is_dynamic(false);
  spec.set_qscheme(v1::Spec::PER_TENSOR_AFFINE);
  spec.mutable_qparams()->add_scales(scale);
  spec.mutable_qparams()->add_zero_points(zero_point);
  b.Value(name).set_spec(b.graph.specs_size());
}

// One operator, in LiteRT's terms.
class Model {
 public:
  explicit Model(std::string op) : op_(std::move(op)) {
    b_.graph.set_origin(v1::Graph::TFLITE);
    b_.graph.set_stage(v1::STAGE_CONVERTED);
    b_.graph.set_format_version(3);
  }

  Model In(const Data& data) {
    const std::string name = "in" + std::to_string(inputs_.size());
    if (data.constant) {
      int64_t count = 1;
      for (int64_t size : data.dims) count *= size;
      b_.Weight(name, data.type, data.dims, data.type == kInt4 ? (count + 1) / 2 : count * ByteWidth(data.type));
    } else {
      b_.Input(name, data.type, data.dims);
    }
    if (data.scale != 0) Quantize(b_, name, data.scale, data.zero_point);
    inputs_.push_back(name);
    return *this;
  }
  Model Absent() {
    inputs_.emplace_back();
    return *this;
  }
  Model Ints(const std::vector<int64_t>& numbers, const Shape& dims = {}, v1::DataType type = kInt32) {
    const std::string name = "in" + std::to_string(inputs_.size());
    b_.Ints(name, type, numbers, false)
        .set_stored_bytes(static_cast<int64_t>(numbers.size()) * (type == kInt64 ? 8 : 4));
    if (!dims.empty()) b_.Shape(name, type, dims);
    inputs_.push_back(name);
    return *this;
  }
  Model Out(const Data& data) {
    const std::string name = "out" + std::to_string(outputs_.size());
    b_.Shape(name, data.type, data.dims);
    if (data.scale != 0) Quantize(b_, name, data.scale, data.zero_point);
    b_.Output(name);
    outputs_.push_back(name);
    return *this;
  }
  Model With(const std::string& option, int64_t number) {
    ints_.emplace_back(option, number);
    return *this;
  }
  Model With(const std::string& option, const std::string& word) {
    words_.emplace_back(option, word);
    return *this;
  }
  Model Type(const std::string& option, v1::DataType type) {
    types_.emplace_back(option, type);
    return *this;
  }
  Model Beta(double beta) {
    beta_ = beta;
    return *this;
  }
  // The size along the axis may change.
  Model Resizable(const std::string& value, int axis) {
    for (int i = 0; i < b_.Value(value).dims_size(); ++i)
      b_.Value(value).add_dim_symbols(i == axis ? b_.Symbol("n") : 0);
    return *this;
  }

  v1::Graph Graph() const {
    GraphBuilder b = b_;
    v1::Node& node = b.Node(op_, "op", inputs_, outputs_);
    for (const auto& [name, number] : ints_) b.Int(node, name, number);
    for (const auto& [name, word] : words_) {
      v1::Attribute& attribute = *node.add_attributes();
      attribute.set_name(b.Symbol(name));
      attribute.set_s(word);
    }
    for (const auto& [name, type] : types_) {
      v1::Attribute& attribute = *node.add_attributes();
      attribute.set_name(b.Symbol(name));
      attribute.set_dtype(type);
    }
    if (op_ == "SOFTMAX") {
      v1::Attribute& attribute = *node.add_attributes();
      attribute.set_name(b.Symbol("beta"));
      attribute.set_f(beta_);
    }
    return b.graph;
  }

 private:
  static int64_t ByteWidth(v1::DataType type) {
    return type == kInt64 ? 8 : type == kInt32 ? 4 : type == kInt16 ? 2 : 1;
  }

  std::string op_;
  GraphBuilder b_;
  std::vector<std::string> inputs_, outputs_;
  std::vector<std::pair<std::string, int64_t>> ints_;
  std::vector<std::pair<std::string, std::string>> words_;
  std::vector<std::pair<std::string, v1::DataType>> types_;
  double beta_ = 1;
};

Model Unary(const std::string& op, const Data& in = {}, const Data& out = {}) { return Model(op).In(in).Out(out); }
Model Binary(const std::string& op, const Data& a = {}, const Data& b = {}, const Data& out = {}) {
  return Model(op).In(a).In(b).Out(out);
}

// Filters of 3 x 3.
Model Conv(int64_t stride, const std::string& padding, Shape out, v1::DataType weights = kInt8, int64_t dilation = 1) {
  return Model("CONV_2D")
      .In({})
      .In({weights, {4, 3, 3, 4}, 0.01, true})
      .In({kInt32, {4}, 0.001, true})
      .Out({kInt8, std::move(out)})
      .With("stride_w", stride)
      .With("stride_h", stride)
      .With("dilation_w_factor", dilation)
      .With("dilation_h_factor", dilation)
      .With("padding", padding);
}

Model Biased(const Data& bias) {
  return Model("CONV_2D")
      .In({})
      .In({kInt8, {4, 1, 1, 4}, 0.01, true})
      .In(bias)
      .Out({})
      .With("stride_w", 1)
      .With("stride_h", 1)
      .With("padding", "VALID");
}

Model AveragePool(int64_t kernel, const std::string& padding, Shape out) {
  return Model("AVERAGE_POOL_2D")
      .In({kInt8, {1, 16, 16, 4}})
      .Out({kInt8, std::move(out)})
      .With("filter_width", kernel)
      .With("filter_height", kernel)
      .With("stride_w", 1)
      .With("stride_h", 1)
      .With("padding", padding);
}

Model Resize(const std::string& op, Shape out, Shape in = {1, 8, 8, 4}) {
  const int64_t height = out[1], width = out[2];
  return Model(op).In({kInt8, std::move(in)}).Ints({height, width}).Out({kInt8, std::move(out)});
}

Model Mean(Shape in, const std::vector<int64_t>& axes, Shape out, v1::DataType type = kInt8) {
  return Model("MEAN").In({type, std::move(in)}).Ints(axes).Out({type, std::move(out)}).With("keep_dims", 1);
}

Model Transpose(v1::DataType type, Shape in, const std::vector<int64_t>& order) {
  Shape out;
  for (int64_t axis : order) out.push_back(in[axis]);
  return Model("TRANSPOSE").In({type, std::move(in)}).Ints(order).Out({type, std::move(out)});
}

Model Strided(const std::vector<int64_t>& steps, Shape out) {
  return Model("STRIDED_SLICE").In({}).Ints({0, 0, 0, 0}).Ints({1, 8, 8, 4}).Ints(steps).Out({kInt8, std::move(out)});
}

Model Softmax(Shape dims, double beta = 1) {
  return Unary("SOFTMAX", {kInt8, dims}, {kInt8, dims, 1.0 / 256, false, -128}).Beta(beta);
}

Model ArgMax(Shape in, Shape out, int64_t axis = 3) {
  Model model = Model("ARG_MAX").In({kInt8, std::move(in)}).Ints({axis}).Out({kInt32, std::move(out), 0});
  return model.Type("output_type", kInt32);
}

Model TransposeConv(int64_t stride, Shape out) {
  return Model("TRANSPOSE_CONV")
      .Ints({out[0], out[1], out[2], out[3]})
      .In({kInt8, {4, 3, 3, 4}, 0.01, true})
      .In({})
      .Out({kInt8, std::move(out)})
      .With("stride_w", stride)
      .With("stride_h", stride)
      .With("padding", "SAME");
}

constexpr v1::Outcome::Kind kFull = v1::Outcome::FULL;
constexpr v1::Outcome::Kind kPartial = v1::Outcome::PARTIAL;
constexpr v1::Outcome::Kind kFails = v1::Outcome::FAILS;

struct Case {
  const char* name;
  Model model;
  const char* target;
  v1::Outcome::Kind outcome;
  const char* code = "";  // that is among the findings; "": there are none
};

void PrintTo(const Case& c, std::ostream* os) { *os << c.name; }

std::vector<Case> Cases() {
  const Data wide = {kInt32, {1, 8, 8, 4}}, words = {kInt16, {1, 8, 8, 4}}, real = {kFloat, {1, 8, 8, 4}, 0};
  return {
      // Types, as the tables have them.
      {"Abs", Unary("ABS"), k55, kFull},
      {"AbsOf32Bits", Unary("ABS", wide, wide), k55, kPartial, "DT101"},
      {"AbsOf32BitsOn65", Unary("ABS", wide, wide), k65, kPartial, "DT101"},
      {"AbsOf32BitsOn85", Unary("ABS", wide, wide), k85, kFull},
      {"Float", Unary("ABS", real, real), k85, kPartial, "DT101"},
      {"WithoutScales", Unary("ABS", {kInt8, {1, 8, 8, 4}, 0}, {kInt8, {1, 8, 8, 4}, 0}), k55, kPartial},
      {"Unknown", Unary("CEIL"), k55, kPartial, "CV101"},
      {"OnlyOn85", Binary("DIV"), k55, kPartial, "CV101"},
      {"On85", Binary("DIV"), k85, kFull},
      {"PlacedAndNotCompiled", Unary("LOGISTIC", wide, wide), k85, kFails, "DT104"},
      {"TooLargeAScale", Unary("ABS", {kInt8, {1, 8, 8, 4}, 5e9}, {}), k55, kPartial},
      {"OtherParametersOfMaximum", Binary("MAXIMUM", {}, {kInt8, {1, 8, 8, 4}, 0.2}), k55, kPartial, "SH102"},
      {"OtherParametersOfConcatenation",
       Binary("CONCATENATION", {}, {kInt8, {1, 8, 8, 4}, 0.2}, {kInt8, {1, 8, 8, 8}}).With("axis", 3), k55, kFull},
      {"OtherParametersOnTheCpu", Unary("SPACE_TO_DEPTH", {}, {kInt8, {1, 4, 4, 16}, 0.2}).With("block_size", 2), k55,
       kPartial, "SH007"},
      {"OutputOfTheCpu", Unary("LOG_SOFTMAX", {}, {kInt8, {1, 8, 8, 4}, 0.2}), k55, kPartial, "FX007"},
      {"ComputedOrder", Model("TRANSPOSE").In({}).In({kInt32, {4}, 0}).Out({}), k55, kPartial},
      // Convolutions.
      {"Strides", Conv(3, "SAME", {1, 3, 3, 4}), k55, kFull},
      {"LongStrides", Conv(4, "SAME", {1, 2, 2, 4}), k55, kFull},  // nothing is padded: 4 + 3 of 8
      {"LongPaddedStrides", Conv(7, "SAME", {1, 2, 2, 4}), k55, kPartial, "CV701"},
      {"LongStridesOfAnyBatch", Conv(5, "SAME", {1, 2, 2, 4}).Resizable("out0", 0), k55, kFull},
      {"DilatedStridesOfOneStep", Conv(4, "VALID", {1, 1, 1, 4}, kInt8, 2), k55, kFull},  // of one step
      {"LongStridesInGroups",
       Model("CONV_2D")
           .In({})
           .In({kInt8, {4, 1, 1, 2}, 0.01, true})
           .In({kInt32, {4}, 0.001, true})
           .Out({kInt8, {1, 2, 2, 4}})
           .With("stride_w", 4)
           .With("stride_h", 4)
           .With("padding", "VALID"),
       k55, kFails, "EN701"},
      {"WeightsOf16Bits", Conv(1, "SAME", {1, 8, 8, 4}, kInt16), k55, kPartial, "DT101"},
      {"WeightsOf4Bits", Conv(1, "SAME", {1, 8, 8, 4}, kInt4), k55, kFails},
      {"Bias", Biased({kInt32, {4}, 0.001, true}), k55, kFull},
      {"BiasAcross", Biased({kInt32, {4, 1}, 0.001, true}), k55, kPartial, "CV701"},
      {"WideBias", Biased({kInt64, {4}, 0.001, true}), k85, kFails, "EN701"},
      {"Groups",
       Model("CONV_2D").In({}).In({kInt8, {4, 1, 1, 3}, 0.01, true}).Out({}).With("stride_w", 1).With("stride_h", 1),
       k55, kFails, "EN701"},
      {"TransposeConv", TransposeConv(2, {1, 16, 16, 4}), k55, kFull},
      {"TransposeConvBy3", TransposeConv(3, {1, 24, 24, 4}), k55, kPartial, "CV701"},
      {"TransposeConvBy3On85", TransposeConv(3, {1, 24, 24, 4}), k85, kFull},
      {"TransposeConvShape", TransposeConv(2, {1, 15, 15, 4}), k85, kPartial, "CV701"},
      // Pools.
      {"Pool", AveragePool(8, "SAME", {1, 16, 16, 4}), k85, kFull},
      {"PaddedPool", AveragePool(9, "SAME", {1, 16, 16, 4}), k85, kPartial, "CV701"},
      {"WholePool", AveragePool(9, "VALID", {1, 8, 8, 4}), k85, kFull},
      // Sizes and factors.
      {"Resize", Resize("RESIZE_BILINEAR", {1, 16, 16, 4}), k55, kFull},
      {"ResizeBy3", Resize("RESIZE_BILINEAR", {1, 24, 24, 4}), k55, kPartial, "CV701"},
      {"ResizeBy3On85", Resize("RESIZE_BILINEAR", {1, 24, 24, 4}), k85, kPartial, "CV701"},
      {"NearestBy3On85", Resize("RESIZE_NEAREST_NEIGHBOR", {1, 24, 24, 4}), k85, kFull},
      {"HalfPixels", Resize("RESIZE_BILINEAR", {1, 32, 32, 4}).With("half_pixel_centers", 1), k55, kPartial, "CV701"},
      {"HalfPixelsOn85", Resize("RESIZE_BILINEAR", {1, 32, 32, 4}).With("half_pixel_centers", 1), k85, kFull},
      {"TwoFactors", Resize("RESIZE_NEAREST_NEIGHBOR", {1, 16, 32, 4}), k55, kPartial, "CV701"},
      {"ResizedBatch", Resize("RESIZE_BILINEAR", {2, 16, 16, 4}, {2, 8, 8, 4}), k55, kFails, "EN701"},
      {"ResizedBatchOn85", Resize("RESIZE_BILINEAR", {2, 16, 16, 4}, {2, 8, 8, 4}), k85, kFull},
      {"Mean", Mean({1, 8, 8, 4}, {1, 2}, {1, 1, 1, 4}), k55, kFull},
      {"MeanOfChannels", Mean({1, 8, 8, 4}, {3}, {1, 8, 8, 1}), k55, kPartial, "CV701"},
      {"MeanOfABatch", Mean({2, 8, 8, 4}, {1, 2}, {2, 1, 1, 4}), k55, kPartial, "CV701"},
      {"LongMean", Mean({1, 4097, 1, 4}, {1}, {1, 1, 1, 4}), k55, kPartial, "CV701"},
      {"MeanOfMany", Mean({1, 300, 300, 4}, {1, 2}, {1, 1, 1, 4}, kInt16), k55, kPartial, "CV701"},
      {"Softmax", Softmax({1, 256, 256, 2}), k55, kFull},
      {"LargeSoftmax", Softmax({1, 256, 257, 2}), k55, kPartial, "CV701"},
      {"NegativeBeta", Softmax({1, 8, 8, 4}, -1), k55, kFails, "EN701"},
      {"ArgMax", ArgMax({1, 8, 8, 127}, {1, 8, 8}), k55, kFull},
      {"DeepArgMax", ArgMax({1, 8, 8, 128}, {1, 8, 8}), k55, kPartial, "CV701"},
      {"DeepArgMaxOn85", ArgMax({1, 8, 8, 128}, {1, 8, 8}), k85, kFull},
      {"ArgMaxOfABatch", ArgMax({2, 8, 8, 16}, {2, 8, 8}), k55, kFails, "EN701"},
      {"Product", Binary("BATCH_MATMUL", {kInt8, {1, 4, 8}}, {kInt8, {1, 8, 4}}, {kInt8, {1, 4, 4}}), k55, kFull},
      {"LongProduct", Binary("BATCH_MATMUL", {kInt8, {1, 1, 65537}}, {kInt8, {1, 65537, 1}}, {kInt8, {1, 1, 1}}), k55,
       kPartial, "CV701"},
      {"ProductOf16Bits", Binary("BATCH_MATMUL", {kInt16, {1, 4, 8}}, {kInt16, {1, 8, 4}}, {kInt16, {1, 4, 4}}), k55,
       kPartial, "DT101"},
      {"Transpose", Transpose(kInt8, {1, 8, 8, 4}, {0, 3, 1, 2}), k55, kFull},
      {"WideTranspose", Transpose(kInt32, {1, 8, 8, 4}, {0, 2, 1, 3}), k55, kFull},
      {"WideTransposeOfChannels", Transpose(kInt32, {1, 8, 8, 4}, {0, 3, 1, 2}), k55, kPartial, "CV701"},
      {"WideTransposeOn85", Transpose(kInt32, {1, 8, 8, 4}, {0, 3, 1, 2}), k85, kFull},
      {"LargeTranspose", Transpose(kInt8, {2, 300, 300, 4}, {3, 0, 1, 2}), k55, kPartial, "CV701"},
      {"Slice", Strided({1, 2, 2, 1}, {1, 4, 4, 4}), k55, kFull},
      {"SliceOfChannels", Strided({1, 1, 1, 2}, {1, 8, 8, 2}), k55, kPartial, "CV701"},
      {"Gather", Model("GATHER").In({}).Ints({0}).Out({}).With("axis", 0), k85, kFull},
      {"GatherOfRows", Model("GATHER").In({}).Ints({0, 1}).Out({kInt8, {1, 2, 8, 4}}).With("axis", 1), k85, kPartial,
       "CV701"},
      {"Scatter", Model("SCATTER_ND").Ints({0, 2}, {2, 1}).In({kInt8, {2, 4}}).Ints({4, 4}).Out({kInt8, {4, 4}}), k85,
       kFull},
      {"ScatterTwice", Model("SCATTER_ND").Ints({2, 2}, {2, 1}).In({kInt8, {2, 4}}).Ints({4, 4}).Out({kInt8, {4, 4}}),
       k85, kPartial, "CV701"},
      {"Reverse", Model("REVERSE_V2").In({}).Ints({1}).Out({}), k55, kPartial, "CV701"},
      {"ReverseOn85", Model("REVERSE_V2").In({}).Ints({1}).Out({}), k85, kFull},
      {"AnyBatch", Unary("ABS").Resizable("in0", 0), k55, kFull},
      {"AnyHeight", Unary("ABS").Resizable("in0", 1), k55, kPartial, "CV701"},
      {"Scalar", Unary("ABS", {kInt8, {}}, {kInt8, {}}), k55, kPartial, "CV701"},
      {"WideActivation", Binary("ADD", wide, wide, wide).With("fused_activation_function", "RELU"), k55, kPartial,
       "CV701"},
      {"WideActivationOn85", Binary("ADD", wide, wide, wide).With("fused_activation_function", "RELU"), k85, kFails,
       "EN701"},
      // What stops Vela.
      {"Sum", Binary("ADD"), k55, kFull},
      {"SumToUnsigned", Binary("ADD", {}, {}, {kUint8, {1, 8, 8, 4}}), k55, kFails, "EN701"},
      {"SumOfTwoTypes", Binary("ADD", {}, words), k55, kFails, "EN701"},
      {"SumOfShapes", Binary("ADD", {}, {}, {kInt8, {1, 8, 8, 8}}), k55, kFails, "EN701"},
      {"SignBit", Binary("ADD").With("fused_activation_function", "SIGN_BIT"), k55, kFails, "EN701"},
      {"HardSwishOf16Bits", Unary("HARD_SWISH", words, words), k55, kFails, "EN701"},
      {"ReshapeToAnotherScale", Model("RESHAPE").In({}).Ints({1, 256}).Out({kInt8, {1, 256}, 0.2}), k55, kFails,
       "EN701"},
      {"Reshape", Model("RESHAPE").In({}).Ints({1, 256}).Out({kInt8, {1, 256}}), k55, kFull},
      {"MixedPool", Unary("MAX_POOL_2D", {}, words), k55, kFails, "EN701"},
      {"BooleanOutput", Binary("EQUAL", {}, {}, {kBool, {1, 8, 8, 4}, 0}), k55, kFails, "EN701"},
      {"BooleanOutputOn85", Binary("EQUAL", {}, {}, {kBool, {1, 8, 8, 4}, 0}), k85, kFull},
      {"PackedConstant", Binary("POW", {}, {kInt4, {1, 8, 8, 4}, 0.1, true}), k55, kFails, "EN701"},
      {"Pads", Model("PAD").In({}).Ints({0, 0, 1, 1, 0, 0, 0, 0}, {4, 2}).Out({kInt8, {1, 10, 8, 4}}), k55, kFull},
      {"PadsOf64Bits", Model("PAD").In({}).Ints({0, 0, 1, 1, 0, 0, 0, 0}, {4, 2}, kInt64).Out({kInt8, {1, 10, 8, 4}}),
       k55, kFails},
      {"ComputedTimes", Model("TILE").In({}).In({kInt32, {4}, 0}).Out({}), k85, kFails, "EN701"},
  };
}

class EthosU : public ::testing::TestWithParam<Case> {};

TEST_P(EthosU, SaysWhatVelaDoes) {
  const Case& c = GetParam();
  const absl::StatusOr<v1::Result> result = Ask(c.model.Graph(), c.target);
  ASSERT_TRUE(result.ok()) << result.status();
  std::vector<std::string> codes;
  for (const v1::Finding& finding : result->findings()) {
    if (finding.severity() != v1::Finding::INFO) codes.push_back(finding.code());
  }
  EXPECT_EQ(result->outcome().kind(), c.outcome) << result->ShortDebugString();
  if (*c.code != '\0') {
    EXPECT_THAT(codes, ::testing::Contains(c.code)) << result->ShortDebugString();
  } else if (c.outcome == kFull) {
    EXPECT_THAT(codes, ::testing::IsEmpty()) << result->ShortDebugString();
  }
}

INSTANTIATE_TEST_SUITE_P(Table, EthosU, ::testing::ValuesIn(Cases()),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(EthosUModule, LeavesOtherOriginsUnjudged) {
  const GraphBuilder onnx = testing::SoundConv();
  const absl::StatusOr<v1::Result> result = Ask(onnx.graph, k55);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->verdict(), v1::Result::UNKNOWN);
}

TEST(EthosUModule, NamesItsTargets) {
  EXPECT_EQ(Ask(Unary("ABS").Graph(), k85)->target(), "ethos_u/ethos-u85-512@5.2.0");
  EXPECT_EQ(Ask(Unary("ABS").Graph(), "ethos_u/ethos-u56").status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(Ask(Unary("ABS").Graph(), "ethos_u").status().code(), absl::StatusCode::kInvalidArgument);
}

// What no file has and a request may: it is judged somehow, and nothing is read that is not there.
TEST(EthosUModule, TakesAnythingForAModel) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  for (const char* target : {k55, k85}) {
    for (int64_t size : {int64_t{0}, int64_t{-1}, int64_t{1} << 31, int64_t{1} << 32, kMost}) {
      const Shape shape = {size, size, 2, 3, 4};
      EXPECT_TRUE(Ask(Transpose(kInt8, shape, {4, 0, 1, 2, 3}).Graph(), target).ok());
      EXPECT_TRUE(Ask(Mean({1, size, size, size}, {kMost, -kMost, 1}, {}).Graph(), target).ok());
      EXPECT_TRUE(Ask(Conv(size, "SAME", {size, 8, 8, 4}, kInt8, size).Graph(), target).ok());
      EXPECT_TRUE(Ask(TransposeConv(size, {size, size, size, size}).Graph(), target).ok());
      EXPECT_TRUE(Ask(AveragePool(size, "SAME", {1, size, 16, 4}).Graph(), target).ok());
      EXPECT_TRUE(Ask(Strided({size, size, size, size}, {}).Graph(), target).ok());
      EXPECT_TRUE(Ask(Resize("RESIZE_BILINEAR", {size, size, size, size}, shape).Graph(), target).ok());
      EXPECT_TRUE(
          Ask(Model("SPLIT").Ints({size}).In({kInt8, shape}).Out({}).With("num_splits", size).Graph(), target).ok());
      EXPECT_TRUE(
          Ask(Model("PAD").In({}).Ints({size, size, kMost, kMost, 0, 0, 0, 0}, {4, 2}).Out({}).Graph(), target).ok());
      EXPECT_TRUE(Ask(Model("GATHER").In({kInt8, shape}).Ints({size}).Out({}).With("axis", size).Graph(), target).ok());
    }
    for (const char* op : {"ADD", "BATCH_MATMUL", "CONCATENATION", "CONV_2D", "FULLY_CONNECTED", "PAD", "SCATTER_ND",
                           "SPLIT_V", "TRANSPOSE", "TRANSPOSE_CONV", "UNIDIRECTIONAL_SEQUENCE_LSTM"}) {
      EXPECT_TRUE(Ask(Model(op).Out({}).Graph(), target).ok());
      EXPECT_TRUE(Ask(Model(op).In({kInt8, {}}).Graph(), target).ok());
      EXPECT_TRUE(
          Ask(Model(op).Out({kInt8, {1, 2, 2, 4}}).With("stride_w", 4).With("padding", 1).Graph(), target).ok());
      EXPECT_TRUE(Ask(Model(op).In({kInt8, {1, -1, 4}}).In({kInt8, {}}).In({}).Out({kInt8, {}}).Graph(), target).ok());
    }
    // Fewer zero points than channels.
    v1::Graph graph = Model("FULLY_CONNECTED")
                          .In({kInt8, {1, 65536}})
                          .In({kInt8, {4, 65536}, 0.01, true})
                          .Out({kInt8, {1, 4}})
                          .Graph();
    graph.mutable_specs(1)->mutable_qparams()->add_zero_points(1);
    std::string& bytes = *graph.mutable_values(1)->mutable_constant()->mutable_data();
    bytes.assign(4 * 65536, '\x7f');
    EXPECT_TRUE(Ask(graph, target).ok());
  }
}

// Converters of before write dilation so; a fallback only where somebody else reads between the three.
TEST(EthosUModule, MergesDilationAroundAConvolution) {
  GraphBuilder b(v1::Graph::TFLITE);
  b.graph.set_format_version(3);
  const auto tensor = [&](const std::string& name, const Shape& dims) {
    b.Shape(name, kInt8, dims);
    Quantize(b, name, 0.1, 0);
  };
  b.Input("x", kInt8, {1, 8, 8, 4});
  Quantize(b, "x", 0.1, 0);
  for (const char* name : {"block", "block2"}) b.Ints(name, kInt32, {2, 2}).set_stored_bytes(8);
  for (const char* name : {"pads", "crops"}) {
    b.Ints(name, kInt32, {0, 0, 0, 0}).set_stored_bytes(16);
    b.Shape(name, kInt32, {2, 2});
  }
  tensor("split", {4, 4, 4, 4});
  tensor("convolved", {4, 4, 4, 4});
  tensor("y", {1, 8, 8, 4});
  b.Weight("w", kInt8, {4, 1, 1, 4}, 16);
  Quantize(b, "w", 0.01, 0);
  b.Weight("b", kInt32, {4}, 16);
  Quantize(b, "b", 0.001, 0);
  b.Node("SPACE_TO_BATCH_ND", "split", {"x", "block", "pads"}, {"split"});
  v1::Node& convolution = b.Node("CONV_2D", "convolution", {"split", "w", "b"}, {"convolved"});
  b.Int(convolution, "stride_w", 1);
  b.Int(convolution, "stride_h", 1);
  b.Node("BATCH_TO_SPACE_ND", "join", {"convolved", "block2", "crops"}, {"y"});
  b.Output("y");
  EXPECT_EQ(Ask(b.graph, k55)->outcome().kind(), kFull);
  b.Node("ABS", "abs", {"convolved"}, {"z"});
  tensor("z", {4, 4, 4, 4});
  b.Output("z");
  EXPECT_EQ(Ask(b.graph, k55)->outcome().kind(), kPartial);
}

// A PAD of zeros that one convolution reads becomes its padding, which long strides cannot have.
TEST(EthosUModule, StopsAtPaddingInFrontOfLongStrides) {
  const auto outcome = [](int32_t batch_padding, int32_t padding) {
    GraphBuilder b(v1::Graph::TFLITE);
    b.graph.set_format_version(3);
    const Shape padded = {1 + batch_padding, 9 + padding, 9 + padding, 4};
    const int64_t size = (padded[1] - 3) / 4 + 1;
    b.Input("x", kInt8, {1, 9, 9, 4});
    b.Shape("padded", kInt8, padded);
    b.Shape("y", kInt8, {padded[0], size, size, 4});
    for (const char* name : {"x", "padded", "y"}) Quantize(b, name, 0.1, 0);
    b.Ints("pads", kInt32, {0, batch_padding, 0, padding, 0, padding, 0, 0}).set_stored_bytes(32);
    b.Shape("pads", kInt32, {4, 2});
    b.Weight("w", kInt8, {4, 3, 3, 4}, 144);
    Quantize(b, "w", 0.01, 0);
    b.Weight("b", kInt32, {4}, 16);
    Quantize(b, "b", 0.001, 0);
    b.Node("PAD", "pad", {"x", "pads"}, {"padded"});
    v1::Node& convolution = b.Node("CONV_2D", "convolution", {"padded", "w", "b"}, {"y"});
    b.Int(convolution, "stride_w", 4);
    b.Int(convolution, "stride_h", 4);
    v1::Attribute& valid = *convolution.add_attributes();
    valid.set_name(b.Symbol("padding"));
    valid.set_s("VALID");
    b.Output("y");
    return Ask(b.graph, k55)->outcome().kind();
  };
  EXPECT_EQ(outcome(0, 2), kFails);
  EXPECT_EQ(outcome(0, 3), kFull);  // more than the filter covers
  EXPECT_EQ(outcome(1, 2), kFull);
}

// Flatten, as Keras writes it: the shape is computed, and said by the output already. A slice needs its own.
TEST(EthosUModule, DropsWhatNoOutputDependsOn) {
  const auto outcome = [](const std::string& op) {
    GraphBuilder b(v1::Graph::TFLITE);
    b.graph.set_format_version(3);
    for (const char* name : {"x", "like"}) {
      b.Input(name, kInt8, {2, 128});
      Quantize(b, name, 0.1, 0);
    }
    b.Shape("shape", kInt32, {2});
    v1::Attribute& type = *b.Node("SHAPE", "shape", {"like"}, {"shape"}).add_attributes();
    type.set_name(b.Symbol("out_type"));
    type.set_dtype(kInt32);
    b.Ints("begin", kInt32, {0, 0}).set_stored_bytes(8);
    b.Shape("y", kInt8, {2, 128});
    Quantize(b, "y", 0.1, 0);
    if (op == "SLICE") {
      b.Node(op, "op", {"x", "begin", "shape"}, {"y"});
    } else {
      b.Node(op, "op", {"x", "shape"}, {"y"});
    }
    b.Output("y");
    return Ask(b.graph, k55)->outcome().kind();
  };
  EXPECT_EQ(outcome("RESHAPE"), kFull);
  EXPECT_EQ(outcome("SLICE"), kPartial);
}

// Weights are not looked at twice: their sums, or what the smallest and largest of them allow.
TEST(EthosUModule, JudgesSumsOfWeights) {
  const auto graph = [](double low, double high) {
    v1::Graph made = Model("FULLY_CONNECTED")
                         .In({kInt8, {1, 65536}})
                         .In({kInt8, {2, 65536}, 0.01, true})
                         .Out({kInt8, {1, 2}})
                         .Graph();
    v1::Statistics& statistics = *made.mutable_values(1)->mutable_constant()->mutable_statistics();
    statistics.set_min(low);
    statistics.set_max(high);
    statistics.set_count(2 * 65536);
    return made;
  };
  EXPECT_EQ(Ask(graph(-127, 127), k55)->outcome().kind(), kFull);
  EXPECT_EQ(Ask(graph(-128, -128), k55)->outcome().kind(), kPartial);
  const absl::StatusOr<v1::Result> perhaps = Ask(graph(-128, 127), k55);
  EXPECT_THAT(perhaps->not_checked(), ::testing::Contains(::testing::Property(&v1::NotChecked::rule, "CV701")));
}

}  // namespace
}  // namespace quantgate
