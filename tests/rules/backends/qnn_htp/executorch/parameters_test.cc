// Parameters that are computed when ExecuTorch 1.5.1 lowers their reader to HTP, as it was seen to do (tests/lowering).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "tests/rules/annotated_builder.h"
#include "tests/rules/annotated_check.h"

namespace quantgate {
namespace {

using ::quantgate::testing::AnnotatedBuilder;
using ::quantgate::testing::CodesAt;
using ::quantgate::testing::Refused;
using ::quantgate::testing::ResultOf;
using ::testing::Contains;
using ::testing::IsEmpty;
using ::testing::Not;

using Sizes = std::vector<int64_t>;

constexpr v1::DataType kF32 = v1::DATA_TYPE_FLOAT32;
constexpr char kV75[] = "qnn_htp/SM8650@2.49";

// How a parameter comes about.
enum class From { kConstant, kInput, kProduct, kQuantizedProduct, kDetached, kGenerator, kGeneratorLike };

constexpr From kAll[] = {From::kConstant, From::kInput,     From::kProduct,      From::kQuantizedProduct,
                         From::kDetached, From::kGenerator, From::kGeneratorLike};

std::string Made(AnnotatedBuilder& b, From from, const Sizes& shape) {
  int64_t bytes = sizeof(float);
  for (int64_t size : shape) bytes *= size;
  if (from == From::kInput) {
    b.Input("given", kF32, shape);
    return "given";
  }
  if (from == From::kGenerator) {
    b.IntsAttribute(b.Op("aten.ones.default", "made", {}, {}, 0, shape), "size", shape);
    return "made";
  }
  b.Weight("stored", kF32, shape, bytes);
  switch (from) {
    case From::kProduct:
    case From::kQuantizedProduct: {
      const int spec = from == From::kProduct ? 0 : b.Act();
      b.Op("aten.mul.Tensor", "made", {"stored", "stored"}, {spec, spec}, spec, shape);
      return "made";
    }
    case From::kDetached:
      b.Op("aten.detach.default", "made", {"stored"}, {}, 0, shape);
      return "made";
    case From::kGeneratorLike:
      b.Op("aten.ones_like.default", "made", {"stored"}, {}, 0, shape);
      return "made";
    default:
      return "stored";
  }
}

// Its name. It is no output of the graph.
std::string AddParameter(AnnotatedBuilder& b, From from, const Sizes& shape) {
  const std::string name = Made(b, from, shape);
  b.graph.clear_outputs();
  return name;
}

// An operator that reads a tensor and one parameter, per channel unless it is one of a norm.
struct Reader {
  const char* op;
  Sizes input;
  Sizes parameter;
  Sizes output;
};

v1::Result Lowered(const Reader& reader, From from, bool channels, bool quantized = true,
                   const char* toolchain = "executorch") {
  AnnotatedBuilder b;
  b.Input("x", kF32, reader.input);
  const std::string parameter = AddParameter(b, from, reader.parameter);
  const int act = quantized ? b.Act() : 0;
  const int weight = !quantized ? 0 : channels ? b.Filter() : b.Act();
  v1::Node& node = b.Op(reader.op, "node", {"x", parameter}, {act, weight}, act, reader.output);
  if (absl::StrContains(reader.op, "norm")) {
    b.IntsAttribute(node, "normalized_shape", reader.parameter);
    for (int argument : {0, 2}) node.add_input_args(argument);
  }
  return ResultOf(b, kV75, toolchain);
}

const Reader kConv = {"aten.conv2d.default", {1, 4, 8, 8}, {4, 4, 1, 1}, {1, 4, 8, 8}};
const Reader kLinear = {"aten.linear.default", {2, 8}, {4, 8}, {2, 4}};
const Reader kLayerNorm = {"aten.layer_norm.default", {2, 8}, {8}, {2, 8}};
const Reader kPRelu = {"aten.prelu.default", {1, 4, 8, 8}, {4}, {1, 4, 8, 8}};
const Reader kRmsNorm = {"aten.rms_norm.default", {2, 8}, {8}, {2, 8}};

// What convert has computed when ExecuTorch lowers a quantized parameter.
bool IsKnown(From from) { return from != From::kInput && from != From::kQuantizedProduct && from != From::kGenerator; }

TEST(ExecuTorchParameters, BuildersNeedTheValues) {
  for (const Reader& reader : {kConv, kLayerNorm, kPRelu, kRmsNorm}) {
    for (From from : kAll) {
      const v1::Result result = Lowered(reader, from, false);
      const bool raises = absl::c_linear_search(CodesAt(result, "node"), "EN221");
      EXPECT_EQ(raises, !IsKnown(from)) << reader.op << static_cast<int>(from);
      EXPECT_EQ(absl::c_linear_search(Refused(result), "node"), raises) << reader.op << static_cast<int>(from);
      EXPECT_EQ(result.outcome().kind() == v1::Outcome::FAILS, raises) << reader.op << static_cast<int>(from);
    }
    EXPECT_THAT(CodesAt(Lowered(reader, From::kInput, false, true, "qnn-converter"), "node"), Not(Contains("EN221")));
  }
}

// convert computes nothing for them.
TEST(ExecuTorchParameters, BuildersNeedTheValuesOfFloatsStored) {
  for (const Reader& reader : {kConv, kLayerNorm, kPRelu}) {
    for (From from : kAll) {
      const bool is_stored = from == From::kConstant || from == From::kDetached;
      EXPECT_EQ(absl::c_linear_search(CodesAt(Lowered(reader, from, false, false), "node"), "EN221"), !is_stored)
          << reader.op << static_cast<int>(from);
    }
  }
}

TEST(ExecuTorchParameters, ABiasNeedsItsValuesWhereABuilderLooksThemUp) {
  const auto result = [](const Reader& reader) {
    AnnotatedBuilder b;
    b.Input("x", kF32, reader.input);
    b.Input("bias", kF32, {4});
    b.Weight("weight", kF32, reader.parameter, reader.op == kConv.op ? 64 : 128);
    const int act = b.Act(), weight = b.Spec(v1::Spec::PLAIN, v1::DATA_TYPE_INT8, v1::Spec::PER_TENSOR_SYMMETRIC);
    b.Op(reader.op, "node", {"x", "weight", "bias"}, {act, weight, b.Act(v1::DATA_TYPE_INT32)}, act, reader.output);
    return ResultOf(b, kV75);
  };
  EXPECT_THAT(CodesAt(result(kConv), "node"), Contains("EN221"));
  EXPECT_THAT(CodesAt(result(kLinear), "node"), Not(Contains("EN221")));
}

TEST(ExecuTorchParameters, SeveralScalesOfWhatIsComputedEndAPass) {
  for (const Reader& reader : {kConv, kLinear}) {
    for (From from : kAll) {
      const v1::Result result = Lowered(reader, from, true);
      const bool ends = absl::c_linear_search(CodesAt(result, "node"), "EN232");
      EXPECT_EQ(ends, !IsKnown(from)) << reader.op << static_cast<int>(from);
      if (!ends) continue;
      EXPECT_EQ(result.outcome().kind(), v1::Outcome::FAILS) << reader.op << static_cast<int>(from);
      // Nobody asks.
      EXPECT_THAT(Refused(result), IsEmpty()) << reader.op << static_cast<int>(from);
      EXPECT_THAT(CodesAt(result, "node"), Not(Contains("EN221"))) << reader.op << static_cast<int>(from);
    }
    EXPECT_THAT(CodesAt(Lowered(reader, From::kInput, true, true, "qnn-converter"), "node"), Not(Contains("EN232")));
  }
  const v1::Result one_scale = Lowered(kLinear, From::kInput, false);
  EXPECT_EQ(one_scale.outcome().kind(), v1::Outcome::FULL);
  EXPECT_THAT(CodesAt(one_scale, "node"), Not(Contains("EN232")));
}

// Two operators that are alike in all but what is in front of their parameters: what is said of one is not of the
// other.
TEST(ExecuTorchParameters, AlikeReadersAreLookedAtEach) {
  for (const bool known_first : {true, false}) {
    AnnotatedBuilder b;
    b.Input("x", kF32, {2, 8});
    b.Weight("stored", kF32, {8}, 32);
    b.Op("aten.dropout.default", "known", {"stored"}, {}, 0, {8});
    b.Op("aten.abs.default", "computed", {"stored"}, {}, 0, {8});
    b.graph.clear_outputs();
    const std::vector<std::string> parameters =
        known_first ? std::vector<std::string>{"known", "computed"} : std::vector<std::string>{"computed", "known"};
    std::string input = "x";
    for (const std::string& parameter : parameters) {
      v1::Node& node = b.Op("aten.layer_norm.default", "norm_of_" + parameter, {input, parameter}, {}, 0, {2, 8});
      b.IntsAttribute(node, "normalized_shape", {8});
      for (int argument : {0, 2}) node.add_input_args(argument);
      input = "norm_of_" + parameter;
    }
    const v1::Result result = ResultOf(b, kV75);
    EXPECT_THAT(CodesAt(result, "norm_of_computed"), Contains("EN221")) << known_first;
    EXPECT_THAT(CodesAt(result, "norm_of_known"), Not(Contains("EN221"))) << known_first;
  }
}

TEST(ExecuTorchParameters, SoDoScalesPerBlock) {
  const auto codes = [](bool computed) {
    AnnotatedBuilder b;
    b.Input("x", kF32, {2, 8});
    const std::string weight = AddParameter(b, computed ? From::kQuantizedProduct : From::kProduct, {4, 8});
    const int act = b.Act(), blocks = b.Spec(v1::Spec::PLAIN, v1::DATA_TYPE_INT8, v1::Spec::PER_BLOCK_SYMMETRIC);
    for (int size : {1, 4}) b.At(blocks).add_block_size(size);
    b.Op("aten.linear.default", "node", {"x", weight}, {act, blocks}, act, {2, 4});
    return CodesAt(ResultOf(b, kV75), "node");
  };
  EXPECT_THAT(codes(true), Contains("EN232"));
  EXPECT_THAT(codes(false), Not(Contains("EN232")));
}

// The builder of an embedding converts its table to the encoding of the output.
TEST(ExecuTorchParameters, ATableOfSeveralScalesNeedsTheEncodingOfTheOutput) {
  const auto lowered = [](bool per_channel, bool to_floats, const std::string& toolchain = "executorch") {
    AnnotatedBuilder b;
    b.Input("indices", v1::DATA_TYPE_INT32, {1, 4});
    b.Weight("table", kF32, {16, 8}, 128 * sizeof(float));
    const int table = per_channel ? b.Filter() : b.Act(v1::DATA_TYPE_INT8);
    b.Op("aten.embedding.default", "node", {"table", "indices"}, {table, 0},
         to_floats ? 0 : b.Act(v1::DATA_TYPE_UINT16), {1, 4, 8});
    return ResultOf(b, kV75, toolchain);
  };
  EXPECT_THAT(CodesAt(lowered(true, true), "node"), Contains("EN234"));
  EXPECT_EQ(lowered(true, true).outcome().kind(), v1::Outcome::FAILS);
  EXPECT_THAT(Refused(lowered(true, true)), Contains("node"));
  EXPECT_THAT(CodesAt(lowered(true, false), "node"), Not(Contains("EN234")));
  EXPECT_THAT(CodesAt(lowered(false, true), "node"), Not(Contains("EN234")));
  EXPECT_THAT(CodesAt(lowered(true, true, "qnn-converter"), "node"), Not(Contains("EN234")));

  // Read with an encoding, it has that one.
  AnnotatedBuilder b;
  b.Input("indices", v1::DATA_TYPE_INT32, {1, 4});
  b.Weight("table", kF32, {16, 8}, 128 * sizeof(float));
  const int act = b.Act(v1::DATA_TYPE_UINT16);
  b.Op("aten.embedding.default", "node", {"table", "indices"}, {b.Filter(), 0}, 0, {1, 4, 8});
  b.Op("aten.relu.default", "reader", {"node"}, {act}, act, {1, 4, 8});
  EXPECT_THAT(CodesAt(ResultOf(b, kV75, "executorch"), "node"), Not(Contains("EN234")));
}

// The Quantize where the input enters has no kernel; a convolution's builder looks the values up before.
TEST(ExecuTorchParameters, ABiasOfOneScaleIsNoInputOfTheModel) {
  const auto lowered = [](const std::string& bias, const std::string& toolchain = "executorch") {
    AnnotatedBuilder b;
    b.Input("x", kF32, {2, 8});
    b.Input("input", kF32, {4});
    b.Input("other", kF32, {4});
    b.Weight("weight", kF32, {4, 8}, 32 * sizeof(float));
    b.Weight("constant", kF32, {4}, 4 * sizeof(float));
    const int act = b.Act(), wide = b.Act(v1::DATA_TYPE_INT32);
    b.Op("aten.relu.default", "computed", {"other"}, {act}, act, {4});
    b.Op("aten.linear.default", "node", {"x", "weight", bias}, {act, b.Act(v1::DATA_TYPE_INT8), wide}, act, {2, 4});
    return ResultOf(b, kV75, toolchain);
  };
  EXPECT_THAT(CodesAt(lowered("input"), "node"), Contains("EN235"));
  EXPECT_EQ(lowered("input").outcome().kind(), v1::Outcome::FAILS);
  EXPECT_THAT(Refused(lowered("input")), IsEmpty());
  for (const char* bias : {"computed", "constant"}) {
    EXPECT_THAT(CodesAt(lowered(bias), "node"), Not(Contains("EN235"))) << bias;
    EXPECT_EQ(lowered(bias).outcome().kind(), v1::Outcome::FULL) << bias;
  }
  EXPECT_THAT(CodesAt(lowered("input", "qnn-converter"), "node"), Not(Contains("EN235")));
}

// Relative positions of T5.
TEST(ExecuTorchParameters, ALogarithmOfZeroHasNoScale) {
  struct Made {
    int64_t start = 0;
    std::string observer = "MovingAverageMinMaxObserver";
    bool annotated = true;
    std::string toolchain = "executorch";
  };
  const auto result = [](const Made& made) {
    AnnotatedBuilder b;
    b.Input("x", kF32, {4});
    const int act = b.Act();
    b.At(act).set_observer(b.Symbol(made.observer));
    const int spec = made.annotated ? act : 0;
    v1::Node& counted = b.Op("aten.arange.start_step", "counted", {}, {}, 0, {4});
    for (const auto& [name, number] : {std::pair<std::string, int64_t>{"start", made.start}, {"end", made.start + 4}}) {
      v1::Attribute& attribute = *counted.add_attributes();
      attribute.set_name(b.Symbol(name));
      attribute.set_i(number);
    }
    b.Op("aten.log.default", "log", {"counted"}, {spec}, spec, {4});
    b.Op("aten.neg.default", "behind", {"log"}, {spec}, spec, {4});
    b.Op("aten.add.Tensor", "sum", {"x", "behind"}, {act, spec}, act, {4});
    return ResultOf(b, kV75, made.toolchain);
  };
  const v1::Result found = result({});
  EXPECT_THAT(CodesAt(found, "log"), Contains("NR203"));
  EXPECT_THAT(CodesAt(found, "behind"), Not(Contains("NR203")));
  EXPECT_EQ(found.outcome().kind(), v1::Outcome::FAILS);
  EXPECT_EQ(found.findings(found.outcome().cause()).code(), "NR203");
  // What is like another one may hold other numbers.
  AnnotatedBuilder b;
  const int act = b.Act();
  b.At(act).set_observer(b.Symbol("MinMaxObserver"));
  b.Input("x", kF32, {4});
  for (const auto& [name, first] : {std::pair<std::string, double>{"one", 1}, {"none", 0}}) {
    b.Reals(name, {first, 2, 3, 4});
    b.Op("aten.relu.default", name + "_relu", {"x"}, {act}, act, {4});
    b.Op("aten.log.default", name + "_log", {name}, {act}, act, {4});
    b.Op("aten.add.Tensor", name + "_sum", {name + "_relu", name + "_log"}, {act, act}, act, {4});
  }
  const v1::Result both = ResultOf(b, kV75, "executorch");
  EXPECT_THAT(CodesAt(both, "one_log"), Not(Contains("NR203")));
  EXPECT_THAT(CodesAt(both, "none_log"), Contains("NR203"));
  EXPECT_EQ(both.outcome().kind(), v1::Outcome::FAILS);
  for (const Made& other : {Made{.start = 1}, Made{.observer = "HistogramObserver"}, Made{.annotated = false},
                            Made{.toolchain = "qnn-converter"}}) {
    EXPECT_THAT(CodesAt(result(other), "log"), Not(Contains("NR203"))) << other.start << other.observer;
  }
}

}  // namespace
}  // namespace quantgate
