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

// Several operators of int8, in LiteRT's terms. Outputs are made in the order in which they are named.
class Network {
 public:
  Network() : b_(v1::Graph::TFLITE) {
    b_.graph.set_stage(v1::STAGE_CONVERTED);
    b_.graph.set_format_version(3);
  }

  void Input(const std::string& name, const Shape& dims, v1::DataType type = kInt8) {
    b_.Input(name, type, dims);
    Quantize(b_, name, 0.1, 0);
  }
  void Op(const std::string& op, const std::vector<std::string>& inputs, const std::string& output, const Shape& dims) {
    Add(op, inputs, output, {kInt8, dims});
  }
  v1::Node& Add(const std::string& op, const std::vector<std::string>& inputs, const std::string& output,
                const Data& data) {
    b_.Shape(output, data.type, data.dims);
    Quantize(b_, output, data.scale, data.zero_point);
    return b_.Node(op, output + "_op", inputs, {output});
  }
  std::string Ints(const std::vector<int64_t>& numbers, const Shape& dims = {}) {
    const std::string name = "ints" + std::to_string(b_.graph.values_size());
    b_.Ints(name, kInt32, numbers, false).set_stored_bytes(static_cast<int64_t>(numbers.size()) * 4);
    if (!dims.empty()) b_.Shape(name, kInt32, dims);
    return name;
  }
  std::string Bytes(v1::DataType type, const std::vector<int64_t>& numbers, double scale) {
    const std::string name = "bytes" + std::to_string(b_.graph.values_size());
    b_.Ints(name, type, numbers, false).set_stored_bytes(static_cast<int64_t>(numbers.size()));
    Quantize(b_, name, scale, 0);
    return name;
  }
  // CONV_2D without padding, from 4 channels to 4.
  v1::Node& Convolve(const std::string& input, const std::string& output, const Shape& dims, int64_t size,
                     int64_t stride, const std::string& activation = "NONE", const std::string& padding = "VALID") {
    const std::string weights = output + "_w", bias = output + "_b";
    b_.Weight(weights, kInt8, {4, size, size, 4}, 16 * size * size);
    Quantize(b_, weights, 0.01, 0);
    b_.Weight(bias, kInt32, {4}, 16);
    Quantize(b_, bias, 0.001, 0);
    v1::Node& node = Add("CONV_2D", {input, weights, bias}, output, {kInt8, dims});
    b_.Int(node, "stride_w", stride);
    b_.Int(node, "stride_h", stride);
    Word(node, "padding", padding);
    Word(node, "fused_activation_function", activation);
    return node;
  }
  void Pad(const std::string& input, const std::string& output, const Shape& dims,
           const std::vector<int64_t>& amounts) {
    Op("PAD", {input, Ints(amounts, {static_cast<int64_t>(amounts.size()) / 2, 2})}, output, dims);
  }
  void Output(const std::string& name) { b_.Output(name); }
  void Int(v1::Node& node, const std::string& option, int64_t number) { b_.Int(node, option, number); }

  v1::Result Result(const char* target) const { return Ask(b_.graph, target).value(); }
  v1::Outcome::Kind Outcome(const char* target) const { return Result(target).outcome().kind(); }
  // Tensors of findings EN702.
  std::vector<std::string> Lost(const char* target = k55) const {
    std::vector<std::string> lost;
    const v1::Result result = Result(target);
    for (const v1::Finding& finding : result.findings()) {
      if (finding.code() == "EN702") lost.push_back(finding.location().value());
    }
    return lost;
  }

 private:
  void Word(v1::Node& node, const std::string& option, const std::string& word) {
    v1::Attribute& attribute = *node.add_attributes();
    attribute.set_name(b_.Symbol(option));
    attribute.set_s(word);
  }

  GraphBuilder b_;
};

// Converters of before write dilation so.
Network Dilated(const std::string& activation = "NONE") {
  Network made;
  made.Input("x", {1, 8, 8, 4});
  made.Op("SPACE_TO_BATCH_ND", {"x", made.Ints({2, 2}), made.Ints({0, 0, 0, 0}, {2, 2})}, "split", {4, 4, 4, 4});
  made.Convolve("split", "convolved", {4, 4, 4, 4}, 1, 1, activation);
  made.Op("BATCH_TO_SPACE_ND", {"convolved", made.Ints({2, 2}), made.Ints({0, 0, 0, 0}, {2, 2})}, "y", {1, 8, 8, 4});
  made.Output("y");
  return made;
}

// A fallback only where something else stands or reads between the three: an activation is an operator of its own, what
// no output depends on is dropped before.
TEST(EthosUModule, MergesDilationAroundAConvolution) {
  EXPECT_EQ(Dilated().Outcome(k55), kFull);
  EXPECT_EQ(Dilated("RELU").Outcome(k55), kPartial);
  for (const char* between : {"split", "convolved"}) {
    Network read = Dilated();
    read.Op("ABS", {between}, "z", {4, 4, 4, 4});
    EXPECT_EQ(read.Outcome(k55), kFull) << between;
    read.Output("z");
    EXPECT_EQ(read.Outcome(k55), kPartial) << between;
    EXPECT_THAT(read.Lost(), ::testing::IsEmpty());
  }
}

// A PAD of zeros that a convolution reads becomes its padding, which long strides cannot have.
TEST(EthosUModule, StopsAtPaddingInFrontOfLongStrides) {
  struct Amounts {
    int64_t batch, before, after;
  };
  const auto outcome = [](int64_t size, const Amounts& amounts) {
    Network made;
    made.Input("x", {1, size, size, 4});
    const int64_t padded = size + amounts.before + amounts.after, left = (padded - 3) / 4 + 1;
    made.Pad("x", "padded", {1 + amounts.batch, padded, padded, 4},
             {0, amounts.batch, amounts.before, amounts.after, amounts.before, amounts.after, 0, 0});
    made.Convolve("padded", "y", {1 + amounts.batch, left, left, 4}, 3, 4);
    made.Output("y");
    return made.Outcome(k55);
  };
  EXPECT_EQ(outcome(9, {0, 0, 2}), kFails);
  EXPECT_EQ(outcome(9, {0, 2, 0}), kFails);
  EXPECT_EQ(outcome(9, {0, 0, 3}), kFails);  // of which the last is not reached
  EXPECT_EQ(outcome(9, {0, 3, 3}), kFull);   // more than the filter covers
  EXPECT_EQ(outcome(11, {0, 0, 1}), kFull);  // no window reaches it
  EXPECT_EQ(outcome(9, {1, 0, 2}), kFull);
}

// It is copied where something else that Vela comes to before reads it, which goes from the last output on.
TEST(EthosUModule, CopiesPaddingThatOthersReadBefore) {
  const auto outcome = [](const std::string& op, const std::vector<std::string>& outputs) {
    Network made;
    made.Input("x", {1, 9, 9, 4});
    made.Pad("x", "padded", {1, 11, 11, 4}, {0, 0, 1, 1, 1, 1, 0, 0});
    made.Convolve("padded", "y", {1, 3, 3, 4}, 3, 4);
    if (op == "CONV_2D") {
      made.Convolve("padded", "z", {1, 9, 9, 4}, 3, 1);
    } else {
      made.Op(op, {"padded"}, "z", {1, 11, 11, 4});
    }
    for (const std::string& output : outputs) made.Output(output);
    return made.Outcome(k55);
  };
  EXPECT_EQ(outcome("ABS", {"y", "z"}), kFull);
  EXPECT_EQ(outcome("ABS", {"z", "y"}), kFails);
  EXPECT_EQ(outcome("ABS", {"y", "padded"}), kFull);
  EXPECT_EQ(outcome("ABS", {"padded", "y"}), kFails);
  EXPECT_EQ(outcome("CONV_2D", {"y", "z"}), kFails);  // takes it as well
}

// One dimension is computed in two.
TEST(EthosUModule, TakesPaddingOverAReshape) {
  const auto network = [](const std::string& between) {
    Network made;
    made.Input("x", {9, 9, 4});
    made.Pad("x", "padded", {11, 11, 4}, {1, 1, 1, 1, 0, 0});
    made.Op("EXPAND_DIMS", {"padded", made.Ints({0})}, "expanded", {1, 11, 11, 4});
    if (!between.empty()) {
      made.Op("ABS", {between}, "z", between == "padded" ? Shape{11, 11, 4} : Shape{1, 11, 11, 4});
      made.Output("z");
    }
    made.Convolve("expanded", "y", {1, 3, 3, 4}, 3, 4);
    made.Output("y");
    return made;
  };
  EXPECT_EQ(network("").Outcome(k55), kFails);
  EXPECT_EQ(network("expanded").Outcome(k55), kFails);
  EXPECT_EQ(network("padded").Outcome(k55), kFull);
  EXPECT_EQ(network("").Outcome(k85), kFull);
}

// Where several operators become one, nothing writes what was between them.
TEST(EthosUModule, LosesOutputs) {
  using ::testing::ElementsAre;
  using ::testing::IsEmpty;
  for (const char* between : {"split", "convolved"}) {
    Network dilated = Dilated();
    dilated.Output(between);
    EXPECT_THAT(dilated.Lost(), ElementsAre(between));
    EXPECT_EQ(dilated.Outcome(k55), kFull);
  }
  EXPECT_THAT(Dilated().Lost(), IsEmpty());

  const auto transposed = [](const std::vector<int64_t>& first, const std::vector<int64_t>& second) {
    Network made;
    made.Input("x", {8, 8, 8});
    made.Op("TRANSPOSE", {"x", made.Ints(first)}, "between", {8, 8, 8});
    made.Op("TRANSPOSE", {"between", made.Ints(second)}, "y", {8, 8, 8});
    made.Output("y");
    made.Output("between");
    return made;
  };
  EXPECT_THAT(transposed({0, 2, 1}, {2, 1, 0}).Lost(), ElementsAre("between"));
  EXPECT_THAT(transposed({0, -1, -2}, {2, 1, 0}).Lost(), ElementsAre("between"));
  EXPECT_THAT(transposed({0, 1, 2}, {2, 1, 0}).Lost(), IsEmpty());
  EXPECT_THAT(transposed({0, 2, 1}, {0, 1, 2}).Lost(), IsEmpty());
  Network of_one;  // axes of size 1 may stand anywhere
  of_one.Input("x", {1, 8, 8});
  of_one.Op("TRANSPOSE", {"x", of_one.Ints({1, 0, 2})}, "between", {8, 1, 8});
  of_one.Op("TRANSPOSE", {"between", of_one.Ints({2, 1, 0})}, "y", {8, 1, 8});
  of_one.Output("y");
  of_one.Output("between");
  EXPECT_THAT(of_one.Lost(), IsEmpty());
  Network on_cpu;
  on_cpu.Input("x", {8, 8, 8}, kInt64);
  on_cpu.Add("TRANSPOSE", {"x", on_cpu.Ints({0, 2, 1})}, "between", {kInt64, {8, 8, 8}});
  on_cpu.Add("TRANSPOSE", {"between", on_cpu.Ints({2, 1, 0})}, "y", {kInt64, {8, 8, 8}});
  for (const char* output : {"y", "between"}) on_cpu.Output(output);
  EXPECT_THAT(on_cpu.Lost(), IsEmpty());
  Network read_before;
  read_before.Input("x", {8, 8, 8});
  read_before.Op("TRANSPOSE", {"x", read_before.Ints({0, 2, 1})}, "between", {8, 8, 8});
  read_before.Op("ABS", {"between"}, "z", {8, 8, 8});
  read_before.Op("TRANSPOSE", {"between", read_before.Ints({2, 1, 0})}, "y", {8, 8, 8});
  for (const char* output : {"y", "between", "z"}) read_before.Output(output);
  EXPECT_THAT(read_before.Lost(), IsEmpty());
  Network read = transposed({0, 2, 1}, {2, 1, 0});
  read.Op("ABS", {"between"}, "z", {8, 8, 8});
  read.Output("z");
  EXPECT_THAT(read.Lost(), IsEmpty());

  const auto reshaped = [](const Shape& dims, const std::vector<int64_t>& order) {
    Network made;
    made.Input("x", {4, 4, 4});
    made.Op("RESHAPE", {"x", made.Ints(dims)}, "between", dims);
    made.Op("TRANSPOSE", {"between", made.Ints(order)}, "y", {1, dims[1], dims[3], dims[2]});
    made.Output("y");
    made.Output("between");
    return made.Lost();
  };
  EXPECT_THAT(reshaped({1, 4, 4, 4}, {0, 1, 3, 2}), ElementsAre("between"));
  EXPECT_THAT(reshaped({1, 2, 8, 4}, {0, 1, 3, 2}), IsEmpty());
}

// The RESHAPE goes behind the second TRANSPOSE, and the two meet.
TEST(EthosUModule, LosesOutputsInFrontOfAReshape) {
  const auto lost = [](const Shape& dims, const std::vector<std::string>& outputs) {
    Network made;
    made.Input("x", {1, 4, 4, 8});
    made.Op("TRANSPOSE", {"x", made.Ints({0, 2, 1, 3})}, "first", {1, 4, 4, 8});
    made.Op("RESHAPE", {"first", made.Ints(dims)}, "reshaped", dims);
    made.Op("TRANSPOSE", {"reshaped", made.Ints({1, 0, 2})}, "y", {dims[1], dims[0], dims[2]});
    made.Output("y");
    for (const std::string& output : outputs) made.Output(output);
    return made.Lost();
  };
  EXPECT_THAT(lost({4, 4, 8}, {"first"}), ::testing::ElementsAre("first"));
  EXPECT_THAT(lost({4, 4, 8}, {"first", "reshaped"}), ::testing::ElementsAre("first", "reshaped"));
  EXPECT_THAT(lost({8, 2, 8}, {"first"}), ::testing::IsEmpty());
}

// A convolution that reads the split tensor as its filter is none of three.
TEST(EthosUModule, KeepsAFilterThatIsSplit) {
  Network made;
  made.Input("x", {1, 8, 8, 4});
  made.Input("filter", {4, 1, 1, 4});
  made.Op("SPACE_TO_BATCH_ND", {"filter", made.Ints({1, 1}), made.Ints({0, 0, 0, 0}, {2, 2})}, "split", {4, 1, 1, 4});
  made.Op("CONV_2D", {"x", "split"}, "convolved", {1, 8, 8, 4});
  made.Op("BATCH_TO_SPACE_ND", {"convolved", made.Ints({1, 1}), made.Ints({0, 0, 0, 0}, {2, 2})}, "y", {1, 8, 8, 4});
  for (const char* output : {"y", "split", "convolved"}) made.Output(output);
  EXPECT_THAT(made.Lost(k85), ::testing::IsEmpty());
}

TEST(EthosUModule, LosesThePaddedOutput) {
  using ::testing::ElementsAre;
  using ::testing::IsEmpty;
  const auto padded = [](int64_t stride, const std::vector<std::string>& outputs) {
    Network made;
    made.Input("x", {1, 9, 9, 4});
    made.Pad("x", "padded", {1, 11, 11, 4}, {0, 0, 1, 1, 1, 1, 0, 0});
    const int64_t left = 8 / stride + 1;
    made.Convolve("padded", "y", {1, left, left, 4}, 3, stride);
    made.Convolve("padded", "z", {1, 9, 9, 4}, 3, 1);
    made.Op("ABS", {"padded"}, "a", {1, 11, 11, 4});
    for (const std::string& output : outputs) made.Output(output);
    return made;
  };
  EXPECT_THAT(padded(1, {"padded", "y"}).Lost(), ElementsAre("padded"));
  EXPECT_THAT(padded(1, {"padded", "y", "z"}).Lost(k85), ElementsAre("padded"));
  EXPECT_THAT(padded(1, {"y", "padded"}).Lost(), IsEmpty());
  EXPECT_THAT(padded(1, {"padded", "y", "a"}).Lost(), IsEmpty());
  EXPECT_THAT(padded(1, {"padded", "a", "y"}).Lost(), IsEmpty());

  // Padding of its own, which it cannot have twice.
  Network own;
  own.Input("x", {1, 9, 9, 4});
  own.Pad("x", "padded", {1, 11, 11, 4}, {0, 0, 1, 1, 1, 1, 0, 0});
  own.Convolve("padded", "y", {1, 11, 11, 4}, 3, 1, "NONE", "SAME");
  own.Output("padded");
  own.Output("y");
  EXPECT_THAT(own.Lost(), IsEmpty());

  Network reshaped;
  reshaped.Input("x", {9, 9, 4});
  reshaped.Pad("x", "padded", {11, 11, 4}, {1, 1, 1, 1, 0, 0});
  reshaped.Op("RESHAPE", {"padded", reshaped.Ints({1, 11, 11, 4})}, "expanded", {1, 11, 11, 4});
  reshaped.Convolve("expanded", "y", {1, 9, 9, 4}, 3, 1);
  reshaped.Output("expanded");
  reshaped.Output("y");
  EXPECT_THAT(reshaped.Lost(), ElementsAre("expanded"));
}

// A fill with something else than zero stays a PAD, and so does one in front of what the NPU does not take.
TEST(EthosUModule, KeepsPadding) {
  const auto filled = [](int64_t fill) {
    Network made;
    made.Input("x", {1, 9, 9, 4});
    const std::string amounts = made.Ints({0, 0, 1, 1, 1, 1, 0, 0}, {4, 2});
    made.Op("PADV2", {"x", amounts, made.Bytes(kInt8, {fill}, 0.1)}, "padded", {1, 11, 11, 4});
    made.Convolve("padded", "y", {1, 9, 9, 4}, 3, 1);
    made.Output("padded");
    made.Output("y");
    return made.Lost();
  };
  EXPECT_THAT(filled(0), ::testing::ElementsAre("padded"));
  EXPECT_THAT(filled(1), ::testing::IsEmpty());

  Network left;
  left.Input("x", {1, 9, 9, 4});
  left.Pad("x", "padded", {1, 11, 11, 4}, {0, 0, 1, 1, 1, 1, 0, 0});
  v1::Node& node = left.Convolve("padded", "y", {1, 2, 2, 4}, 3, 4);
  for (const char* option : {"dilation_w_factor", "dilation_h_factor"}) left.Int(node, option, 2);
  left.Output("padded");
  left.Output("y");
  EXPECT_EQ(left.Outcome(k55), kPartial);
  EXPECT_THAT(left.Lost(k55), ::testing::IsEmpty());
  EXPECT_THAT(left.Lost(k85), ::testing::ElementsAre("padded"));
}

// Of bytes without a sign, with slopes up to 1 that are not one, and parameters that are not the input's.
TEST(EthosUModule, StopsAtRescaledSlopes) {
  const auto outcome = [](v1::DataType type, const std::vector<int64_t>& slopes, double scale,
                          v1::DataType of_slopes = v1::DATA_TYPE_UNSPECIFIED) {
    Network made;
    made.Input("x", {1, 8, 8, 4}, type);
    const std::string name = made.Bytes(of_slopes == v1::DATA_TYPE_UNSPECIFIED ? type : of_slopes, slopes, 0.01);
    made.Add("PRELU", {"x", name}, "y", {type, {1, 8, 8, 4}, scale});
    made.Output("y");
    return made.Outcome(k55);
  };
  EXPECT_EQ(outcome(kUint8, {10, 20, 30, 100}, 0.2), kFails);
  EXPECT_EQ(outcome(kUint8, {10, 20, 30, 100}, 0.1), kFull);
  EXPECT_EQ(outcome(kUint8, {10, 20, 30, 101}, 0.2), kFull);
  EXPECT_EQ(outcome(kUint8, {20, 20, 20, 20}, 0.2), kFull);
  EXPECT_EQ(outcome(kInt8, {10, 20, 30, 100}, 0.2), kFull);
  EXPECT_EQ(outcome(kInt8, {10, 20, 30, 100}, 0.1, kUint8), kFails);
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
