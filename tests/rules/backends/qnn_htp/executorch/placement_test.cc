// What the library validates operator by operator and cannot prepare together, as ExecuTorch 1.5.1 was seen to end over
// it: floats in the vector memory of V68 (DT212), and what a depthwise convolution with a multiplier leaves (EN237).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/rules/annotated_builder.h"
#include "tests/rules/annotated_check.h"

namespace quantgate {
namespace {

using ::quantgate::testing::AnnotatedBuilder;
using ::quantgate::testing::CodesAt;
using ::quantgate::testing::ResultOf;
using ::testing::Contains;
using ::testing::Not;

constexpr v1::DataType kF32 = v1::DATA_TYPE_FLOAT32;
constexpr char kV68[] = "qnn_htp/SM8350@2.49";
constexpr char kV69[] = "qnn_htp/SM8450@2.49";
constexpr char kV68WithKernelsOfV69[] = "qnn_htp/SA8295@2.49";
constexpr char kV75[] = "qnn_htp/SM8650@2.49";

// x, through operators of one input each, in a row: "sub", "relu" and so on, named as they are.
AnnotatedBuilder Row(const std::vector<std::string>& ops, v1::DataType type = kF32) {
  AnnotatedBuilder b;
  b.Input("x", type, {4, 8});
  std::string last = "x";
  for (const std::string& op : ops) {
    const bool binary = op == "sub" || op == "mul" || op == "add" || op == "div";
    const bool mean = op == "mean";
    v1::Node& node = b.Node(absl::StrCat("aten.", op,
                                         binary ? ".Scalar"
                                         : mean ? ".dim"
                                                : ".default"),
                            op, {last}, {op});
    if (binary) b.Int(node, "other", 2);
    if (mean) {
      b.IntsAttribute(node, "dim", {1});
      b.Int(node, "keepdim", 1);
    }
    const bool narrow = mean || last == "mean";
    b.Shape(op, type, {4, narrow ? 1 : 8});
    last = op;
  }
  b.Output(last);
  return b;
}

v1::Outcome::Kind OutcomeOf(const AnnotatedBuilder& b, const std::string& target,
                            const std::string& toolchain = "executorch") {
  return ResultOf(b, target, toolchain).outcome().kind();
}

TEST(FloatPlacement, WhatIsLeftInTheVectorMemoryIsNotReadInMain) {
  const v1::Result result = ResultOf(Row({"sub", "mul"}), kV68);
  EXPECT_EQ(result.outcome().kind(), v1::Outcome::FAILS);
  EXPECT_THAT(CodesAt(result, "mul"), Contains("DT212"));
  for (const char* first : {"sub", "div", "exp", "sqrt"}) {
    for (const char* second : {"mul", "floor", "sign"}) {
      EXPECT_EQ(OutcomeOf(Row({first, second}), kV68), v1::Outcome::FAILS) << first << " " << second;
    }
    for (const char* second : {"add", "relu", "abs"}) {
      EXPECT_EQ(OutcomeOf(Row({first, second}), kV68), v1::Outcome::FULL) << first << " " << second;
    }
  }
  for (const char* first : {"add", "mul", "relu", "neg"}) {
    EXPECT_EQ(OutcomeOf(Row({first, "floor"}), kV68), v1::Outcome::FULL) << first;
  }
}

TEST(FloatPlacement, WhatIsInBetweenKeepsItOrBringsItOver) {
  EXPECT_EQ(OutcomeOf(Row({"sub", "relu", "abs", "mul"}), kV68), v1::Outcome::FAILS);
  EXPECT_EQ(OutcomeOf(Row({"sub", "detach", "mul"}), kV68), v1::Outcome::FAILS);
  EXPECT_EQ(OutcomeOf(Row({"sub", "mean", "mul"}), kV68), v1::Outcome::FULL);
}

TEST(FloatPlacement, HoldsForItsKernelsAlone) {
  for (const char* target : {kV69, kV75, kV68WithKernelsOfV69}) {
    EXPECT_EQ(OutcomeOf(Row({"sub", "mul"}), target), v1::Outcome::FULL) << target;
  }
  EXPECT_THAT(CodesAt(ResultOf(Row({"sub", "mul"}), kV68, "qnn-converter"), "mul"), Contains("DT212"));
  EXPECT_THAT(CodesAt(ResultOf(Row({"sub", "mul"}, v1::DATA_TYPE_FLOAT16), kV68), "mul"), Not(Contains("DT212")));
}

// What a node on the CPU reads as well goes through main memory: its two readers are in two delegates.
TEST(FloatPlacement, GoesFromOneDelegateToAnother) {
  for (const bool is_cut : {true, false}) {
    AnnotatedBuilder b = Row({"sub"});
    b.Node(is_cut ? "aten.erf.default" : "aten.relu.default", "middle", {"sub"}, {"middle"});
    b.Shape("middle", kF32, {4, 8});
    b.Node("aten.mul.Tensor", "mul", {"sub", "middle"}, {"mul"});
    b.Shape("mul", kF32, {4, 8});
    b.Output("mul");
    EXPECT_EQ(OutcomeOf(b, kV68), is_cut ? v1::Outcome::PARTIAL : v1::Outcome::FAILS);
  }
}

// The floats of an integer quotient are its own.
TEST(FloatPlacement, QuotientsOfIntegers) {
  const auto divided = [](v1::DataType type) {
    AnnotatedBuilder b;
    b.Input("x", type, {4, 8});
    b.Input("y", type, {4, 8});
    b.Node("aten.floor_divide.default", "node", {"x", "y"}, {"node"});
    b.Shape("node", type, {4, 8});
    b.Output("node");
    return b;
  };
  EXPECT_EQ(OutcomeOf(divided(v1::DATA_TYPE_INT32), kV68), v1::Outcome::FAILS);
  EXPECT_EQ(OutcomeOf(divided(v1::DATA_TYPE_INT64), kV68), v1::Outcome::FULL);
  EXPECT_EQ(OutcomeOf(divided(v1::DATA_TYPE_INT32), kV75), v1::Outcome::FULL);
}

// A convolution of 4 channels to `out`, and what is behind it.
class Convolved : public AnnotatedBuilder {
 public:
  explicit Convolved(int64_t out, int64_t groups = 4, v1::DataType act = v1::DATA_TYPE_UINT8,
                     v1::DataType filter = v1::DATA_TYPE_INT8)
      : act_(Act(act)), filter_(Filter(filter)) {
    Input("x", kF32, {1, 4, 8, 8});
    Convolve("conv", "x", {out, 4 / groups, 3, 3}, groups, {1, out, 6, 6});
  }
  Convolved& Convolve(const std::string& name, const std::string& input, const std::vector<int64_t>& filter,
                      int64_t groups, const std::vector<int64_t>& shape) {
    Weight(name + "_w", kF32, filter, -1);
    v1::Node& node = Op("aten.conv2d.default", name, {input, name + "_w"}, {act_, filter_}, act_, shape);
    Int(node, "groups", groups);
    return *this;
  }
  Convolved& Then(const std::string& op, const std::string& name, const std::vector<std::string>& inputs,
                  const std::vector<int64_t>& shape) {
    Op(op, name, inputs, std::vector<int>(inputs.size(), act_), act_, shape);
    return *this;
  }
  // The last one alone is what the model returns.
  Convolved& Return(const std::string& name) {
    graph.clear_outputs();
    Output(name);
    return *this;
  }

 private:
  int act_, filter_;
};

TEST(DepthwiseMultiplier, IsNotBroughtBack) {
  const v1::Result result = ResultOf(Convolved(8), kV75);
  EXPECT_EQ(result.outcome().kind(), v1::Outcome::FAILS);
  EXPECT_THAT(CodesAt(result, "conv"), Contains("EN237"));
  EXPECT_EQ(OutcomeOf(Convolved(4), kV75), v1::Outcome::FULL);
  EXPECT_EQ(OutcomeOf(Convolved(8, 1), kV75), v1::Outcome::FULL);
  EXPECT_EQ(OutcomeOf(Convolved(8), kV75, "qnn-converter"), v1::Outcome::FULL);
  EXPECT_EQ(OutcomeOf(Convolved(8, 4, v1::DATA_TYPE_UINT16, v1::DATA_TYPE_INT16), "qnn_htp/SM8750@2.49"),
            v1::Outcome::FULL);
}

TEST(DepthwiseMultiplier, ThroughWhatKeepsTheOrder) {
  const auto behind = [](const char* op) {
    return OutcomeOf(Convolved(8).Then(op, "node", {"conv"}, {1, 8, 6, 6}).Return("node"), kV75);
  };
  EXPECT_EQ(behind("aten.relu.default"), v1::Outcome::FAILS);
  EXPECT_EQ(behind("aten.sigmoid.default"), v1::Outcome::FAILS);
  // With another tensor there is a kernel; joined with one there is none.
  Convolved sum(8), joined(8);
  for (Convolved* b : {&sum, &joined}) b->Input("y", kF32, {1, 8, 6, 6});
  EXPECT_EQ(OutcomeOf(sum.Then("aten.add.Tensor", "node", {"conv", "y"}, {1, 8, 6, 6}).Return("node"), kV75),
            v1::Outcome::FULL);
  joined.Then("aten.cat.default", "node", {"conv", "y"}, {1, 16, 6, 6}).Return("node");
  joined.Int(joined.Find("node"), "dim", 1);
  EXPECT_EQ(OutcomeOf(joined, kV75), v1::Outcome::FAILS);
}

TEST(DepthwiseMultiplier, AnotherConvolutionBehindItIsEnough) {
  Convolved b(8);
  b.Convolve("next", "conv", {2, 8, 1, 1}, 1, {1, 2, 6, 6}).Return("next");
  EXPECT_EQ(OutcomeOf(b, kV75), v1::Outcome::FULL);
  Convolved flat(8);
  flat.Then("aten.view.default", "node", {"conv"}, {1, 288}).Return("node");
  EXPECT_EQ(OutcomeOf(flat, kV75), v1::Outcome::FULL);
}

// What the CPU computes reads it channels first.
TEST(DepthwiseMultiplier, OnTheWayToARefusedNode) {
  Convolved b(8);
  b.Then("aten.erf.default", "node", {"conv"}, {1, 8, 6, 6}).Return("node");
  EXPECT_THAT(CodesAt(ResultOf(b, kV75), "conv"), Contains("EN237"));
}

}  // namespace
}  // namespace quantgate
