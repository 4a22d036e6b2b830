// Integers that ExecuTorch 1.5.1 leaves at 64 bits on their way to HTP, as it was seen to do (tests/lowering).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/rules/annotated_builder.h"
#include "tests/rules/annotated_check.h"

namespace quantgate {
namespace {

using ::quantgate::testing::AnnotatedBuilder;
using ::quantgate::testing::GraphBuilder;
using ::quantgate::testing::Refused;
using ::quantgate::testing::ResultOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

using Sizes = std::vector<int64_t>;

constexpr v1::DataType kF32 = v1::DATA_TYPE_FLOAT32;
constexpr v1::DataType kI64 = v1::DATA_TYPE_INT64;
constexpr char kV75[] = "qnn_htp/SM8650@2.49";

// A node that writes integers, an output of the graph.
void Integers(AnnotatedBuilder& b, const std::string& op, const std::string& name,
              const std::vector<std::string>& inputs, const Sizes& shape) {
  b.Node(op, name, inputs, {name});
  b.Shape(name, kI64, shape);
  b.Output(name);
}

// "at": the three largest of eight, or whatever else computes integers.
AnnotatedBuilder Places(const std::string& op) {
  AnnotatedBuilder b;
  b.Input("x", kF32, {2, 8});
  b.Input("truth", v1::DATA_TYPE_BOOL, {2, 3, 4});
  b.Shape("at", kI64, {2, 3});
  if (op == "aten.topk.default" || op == "aten.sort.default") {
    b.Int(b.Node(op, "find", {"x"}, {"find_0", "at"}), "k", 3);
    b.Shape("find_0", kF32, {2, 3});
  } else if (op == "aten.sum.dim_IntList") {
    b.Int(b.Node(op, "find", {"truth"}, {"at"}), "dim", 2);
  } else if (op == "aten.argmax.default") {
    b.Input("y", kF32, {2, 3, 4});
    b.Int(b.Node(op, "find", {"y"}, {"at"}), "dim", 2);
  } else {
    b.graph.add_inputs(b.Id("at"));
  }
  b.Output("at");
  return b;
}

TEST(ExecuTorchIntegers, WhatATopKFindsStaysOf64Bits) {
  const auto refused = [](const char* op) {
    AnnotatedBuilder b = Places(op);
    Integers(b, "aten.view.default", "reader", {"at"}, {2, 3});
    return Refused(ResultOf(b, kV75));
  };
  EXPECT_THAT(refused("aten.topk.default"), ElementsAre("reader"));
  EXPECT_THAT(refused("aten.sort.default"), ElementsAre("reader"));
  EXPECT_THAT(refused("aten.sum.dim_IntList"), ElementsAre("find", "reader"));
  // Cast behind the node, or where it enters.
  EXPECT_THAT(refused("aten.argmax.default"), IsEmpty());
  EXPECT_THAT(refused("an input"), IsEmpty());
}

// Stacked reals are kept whole, and what is refused of those ends the export.
TEST(ExecuTorchIntegers, AStackOfThemIsTakenApart) {
  AnnotatedBuilder b = Places("aten.topk.default");
  Integers(b, "aten.stack.default", "stack", {"at", "at"}, {2, 2, 3});
  EXPECT_THAT(Refused(ResultOf(b, kV75)), ElementsAre("stack"));
  EXPECT_EQ(ResultOf(b, kV75).outcome().kind(), v1::Outcome::PARTIAL);
  AnnotatedBuilder reals;
  reals.Input("x", kF32, {2, 3});
  reals.Op("aten.stack.default", "stack", {"x", "x"}, {reals.Act(), 0}, 0, {2, 2, 3});
  EXPECT_EQ(ResultOf(reals, kV75).outcome().kind(), v1::Outcome::FAILS);
}

TEST(ExecuTorchIntegers, IndicesAreConverted) {
  for (const char* op : {"aten.index_select.default", "aten.index.Tensor"}) {
    AnnotatedBuilder b = Places("aten.topk.default");
    b.Input("data", kF32, {8, 4});
    v1::Node& node = b.Node(op, "take", {"data", "at"}, {"take"});
    if (std::string(op) == "aten.index_select.default") {
      node.add_input_args(0);
      node.add_input_args(2);
      b.Int(node, "dim", 0);
    }
    b.Shape("take", kF32, {2, 3, 4});
    b.Output("take");
    EXPECT_THAT(Refused(ResultOf(b, kV75)), IsEmpty()) << op;
  }
  // That of an embedding is not.
  AnnotatedBuilder b = Places("aten.topk.default");
  b.Weight("table", kF32, {8, 4}, 128);
  b.Node("aten.embedding.default", "take", {"table", "at"}, {"take"});
  b.Shape("take", kF32, {2, 3, 4});
  b.Output("take");
  EXPECT_THAT(Refused(ResultOf(b, kV75)), ElementsAre("take"));
}

TEST(ExecuTorchIntegers, AreOf64BitsInWhateverIsComputedFromThem) {
  AnnotatedBuilder b = Places("aten.topk.default");
  Integers(b, "aten.unsqueeze.default", "one", {"at"}, {2, 3, 1});
  b.Int(b.Find("one"), "dim", -1);
  Integers(b, "aten.expand.default", "two", {"one"}, {2, 3, 4});
  b.Input("data", kF32, {2, 8, 4});
  v1::Node& node = b.Node("aten.gather.default", "gather", {"data", "two"}, {"gather"});
  node.add_input_args(0);
  node.add_input_args(2);
  b.Int(node, "dim", 1);
  b.Shape("gather", kF32, {2, 3, 4});
  b.Output("gather");
  // The index of a gather is cast, of either width.
  EXPECT_THAT(Refused(ResultOf(b, kV75)), ElementsAre("one", "two"));
  EXPECT_EQ(ResultOf(b, kV75).outcome().kind(), v1::Outcome::PARTIAL);
}

TEST(ExecuTorchIntegers, ACastMakes32BitsOfThem) {
  const auto cast = [](v1::DataType type) {
    AnnotatedBuilder b = Places("aten.topk.default");
    b.Node("aten.to.dtype", "cast", {"at"}, {"cast"});
    b.Shape("cast", type, {2, 3});
    b.Node("aten.view.default", "view", {"cast"}, {"view"});
    b.Shape("view", type, {2, 3});
    b.Output("view");
    return Refused(ResultOf(b, kV75));
  };
  EXPECT_THAT(cast(kF32), IsEmpty());
  EXPECT_THAT(cast(v1::DATA_TYPE_INT32), IsEmpty());
}

TEST(ExecuTorchIntegers, AreCastTwiceBesideReals) {
  const auto add = [](v1::DataType other, v1::DataType sum) {
    AnnotatedBuilder b = Places("aten.topk.default");
    b.Input("y", other, {2, 3});
    b.Node("aten.add.Tensor", "add", {"at", "y"}, {"add"});
    b.Shape("add", sum, {2, 3});
    b.Output("add");
    return Refused(ResultOf(b, kV75));
  };
  EXPECT_THAT(add(kF32, kF32), IsEmpty());
  EXPECT_THAT(add(kI64, kI64), ElementsAre("add"));
}

TEST(ExecuTorchIntegers, OfAnotherToolchainAreOf32Bits) {
  GraphBuilder b;
  b.Input("x", kF32, {2, 8});
  b.Ints("k", kI64, {3}, false);
  b.Node("TopK", "find", {"x", "k"}, {"values", "at"});
  b.Shape("values", kF32, {2, 3});
  b.Shape("at", kI64, {2, 3});
  b.Node("Neg", "reader", {"at"}, {"y"});
  b.Shape("y", kI64, {2, 3});
  b.Output("values");
  b.Output("y");
  CheckOptions options;
  options.toolchain = "qnn-converter";
  const v1::Result result = testing::CheckOn(b.graph, kV75, options).results(0);
  for (const v1::Finding& finding : result.findings()) EXPECT_THAT(finding.observed(), Not(HasSubstr("INT_64")));
}

// What sorts int64 cannot be cast back where the model returns it; the first of two alike says nothing of the second.
TEST(ExecuTorchIntegers, ReturnedBySeveralResults) {
  const auto outcome = [](v1::DataType type, bool returned, const char* op = "aten.topk.default") {
    AnnotatedBuilder b;
    b.Input("x", type, {2, 8});
    for (const char* name : {"first", "second"}) {
      const std::string values = std::string(name) + "_values", places = std::string(name) + "_places";
      b.Int(b.Node(op, name, {"x"}, {values, places}), "k", 3);
      b.Shape(values, type, {2, 3});
      b.Shape(places, kI64, {2, 3});
    }
    if (returned) b.Output("second_values");
    b.Node("aten.add.Tensor", "add", {"first_values", "second_values"}, {"add"});
    b.Shape("add", type, {2, 3});
    b.Output("add");
    return ResultOf(b, kV75).outcome().kind();
  };
  EXPECT_EQ(outcome(kI64, true), v1::Outcome::FAILS);
  EXPECT_EQ(outcome(kI64, true, "aten.sort.default"), v1::Outcome::FAILS);
  EXPECT_NE(outcome(kI64, false), v1::Outcome::FAILS);
  AnnotatedBuilder twice;
  twice.Input("x", kF32, {2, 8});
  twice.Node("aten.argsort.default", "order", {"x"}, {"order"});
  Integers(twice, "aten.argsort.default", "rank", {"order"}, {2, 8});
  twice.Shape("order", kI64, {2, 8});
  EXPECT_NE(ResultOf(twice, kV75).outcome().kind(), v1::Outcome::FAILS);
  EXPECT_EQ(outcome(v1::DATA_TYPE_INT32, true), v1::Outcome::FULL);
  EXPECT_EQ(outcome(kF32, true), v1::Outcome::FULL);
}

}  // namespace
}  // namespace quantgate
