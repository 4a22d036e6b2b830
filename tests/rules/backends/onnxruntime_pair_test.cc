// What ONNX Runtime's optimizer puts behind a dequantized tensor that is moved. Each case was asked of sessions of
// 1.31.1: those with a code do not load.
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tests/rules/graph_builder.h"
#include "tests/rules/real_tables.h"

namespace quantgate {
namespace {

using testing::Ask;
using testing::GraphBuilder;

constexpr v1::DataType kInt8 = v1::DATA_TYPE_INT8;
constexpr v1::DataType kUint8 = v1::DATA_TYPE_UINT8;
constexpr v1::DataType kFloat = v1::DATA_TYPE_FLOAT32;
constexpr v1::DataType kInt64 = v1::DATA_TYPE_INT64;

// A node that reads one tensor, and what else it needs. "Q" is a QuantizeLinear and a DequantizeLinear.
struct Step {
  const char* op;
  const char* input;
  const char* output;
};

struct PairCase {
  const char* name;
  std::vector<Step> steps;  // behind d, which is dequantized
  std::vector<const char*> outputs;
  std::vector<std::string> findings;  // codes with the node's output
  v1::DataType type = kInt8;
  int opset = 21;
};
void PrintTo(const PairCase& c, std::ostream* out) { *out << c.name; }

void AddStep(const Step& step, v1::DataType type, GraphBuilder& b) {
  const std::string op = step.op;
  const std::vector<std::string> outputs = {step.output};
  if (op == "Q") {
    b.Node("QuantizeLinear", absl::StrCat("q_", step.output), {step.input, "s", "z"}, {absl::StrCat("q", step.output)});
    b.Value(absl::StrCat("q", step.output)).set_dtype(type);
    b.Node("DequantizeLinear", step.output, {absl::StrCat("q", step.output), "s", "z"}, outputs);
  } else if (op == "Slice") {
    b.Node(op, step.output, {step.input, "first", "behind"}, outputs);
  } else if (op == "Whole") {
    b.Node("Slice", step.output, {step.input, "first", "last"}, outputs);
  } else if (op == "Plus0" || op == "Plus1") {
    b.Node("Add", step.output, {step.input, op == "Plus0" ? "zero" : "s"}, outputs);
  } else if (op == "Cast") {
    constexpr int kOnnxFloat = 1;
    b.Int(b.Node("Cast", step.output, {step.input}, outputs), "to", kOnnxFloat);
  } else if (op == "Reshape") {
    b.Node(op, step.output, {step.input, "flat"}, outputs);
  } else if (op == "Unsqueeze" || op == "Squeeze") {
    b.Node(op, step.output, {step.input, "first"}, outputs);
  } else {
    v1::Node& node = b.Node(op == "Back" ? "Transpose" : op, step.output, {step.input}, outputs);
    v1::Attribute attribute;
    if (op == "Transpose" || op == "Back") attribute.set_name(b.Symbol("perm"));
    if (op == "MaxPool") attribute.set_name(b.Symbol("kernel_shape"));
    const std::vector<int> numbers = op == "Back"        ? std::vector<int>{0, 3, 1, 2}
                                     : op == "Transpose" ? std::vector<int>{0, 2, 3, 1}
                                                         : std::vector<int>{2, 2};
    for (int number : numbers) attribute.mutable_ints()->add_values(number);
    if (attribute.name() != 0) *node.add_attributes() = attribute;
  }
  b.Value(step.output).set_dtype(op == "Shape" ? kInt64 : kFloat);
}

// x -> QuantizeLinear -> DequantizeLinear -> d -> the steps.
GraphBuilder Model(const PairCase& c) {
  GraphBuilder b;
  b.graph.mutable_opset_imports(0)->set_version(c.opset);
  b.Input("x", kFloat, {1, 4, 6, 6});
  b.Reals("s", {0.05});
  b.Ints("z", c.type, {0});
  b.Ints("first", kInt64, {0}, /*scalar=*/false);
  b.Ints("behind", kInt64, {1}, /*scalar=*/false);
  b.Ints("flat", kInt64, {-1}, /*scalar=*/false);
  b.Ints("last", kInt64, {INT64_MAX}, /*scalar=*/false);
  b.Reals("zero", {0});
  b.Node("QuantizeLinear", "q", {"x", "s", "z"}, {"q"});
  b.Value("q").set_dtype(c.type);
  b.Node("DequantizeLinear", "d", {"q", "s", "z"}, {"d"});
  b.Shape("d", kFloat, {1, 4, 6, 6});
  for (const Step& step : c.steps) AddStep(step, c.type, b);
  for (const char* output : c.outputs) b.Output(output);
  return b;
}

std::vector<std::string> Errors(const v1::Graph& graph) {
  const absl::StatusOr<v1::Result> result = Ask(graph, "onnxruntime/cpu");
  EXPECT_TRUE(result.ok()) << result.status();
  std::vector<std::string> errors;
  if (!result.ok()) return errors;
  for (const v1::Finding& finding : result->findings()) {
    if (finding.severity() == v1::Finding::ERROR) {
      errors.push_back(absl::StrCat(finding.code(), " ", finding.location().node()));
    }
  }
  EXPECT_EQ(result->outcome().kind() == v1::Outcome::FAILS, !errors.empty());
  return errors;
}

class OrtPairTest : public ::testing::TestWithParam<PairCase> {};

TEST_P(OrtPairTest, IsRefused) {
  EXPECT_EQ(absl::StrJoin(Errors(Model(GetParam()).graph), ", "), absl::StrJoin(GetParam().findings, ", "));
}

std::vector<PairCase> Cases() {
  return {
      {"Transpose", {{"Transpose", "d", "t"}, {"Sin", "t", "y"}}, {"y"}, {"DT506 t"}},
      {"MaxPool", {{"MaxPool", "d", "t"}, {"Sin", "t", "y"}}, {"y"}, {"DT506 t"}},
      {"Slice", {{"Slice", "d", "t"}, {"Sin", "t", "y"}}, {"y"}, {"DT506 t"}},
      {"Reshape", {{"Reshape", "d", "t"}, {"Sin", "t", "y"}}, {"y"}, {"DT506 t"}},
      {"Squeeze", {{"Squeeze", "d", "t"}, {"Sin", "t", "y"}}, {"y"}, {"DT506 t"}},
      {"Unsqueeze", {{"Unsqueeze", "d", "t"}, {"Sin", "t", "y"}}, {"y"}, {"DT506 t"}},
      {"Flatten", {{"Flatten", "d", "t"}, {"Sin", "t", "y"}}, {"y"}, {}},
      {"ForTheCaller", {{"Transpose", "d", "t"}}, {"t"}, {"DT506 t"}},
      {"OlderOpset", {{"Transpose", "d", "t"}, {"Sin", "t", "y"}}, {"y"}, {}, kInt8, 20},
      {"NewerOpset", {{"Transpose", "d", "t"}, {"Sin", "t", "y"}}, {"y"}, {"DT506 t"}, kInt8, 24},
      {"Unsigned", {{"Transpose", "d", "t"}, {"Sin", "t", "y"}}, {"y"}, {}, kUint8},
      {"TwoReaders", {{"Transpose", "d", "t"}, {"Sin", "t", "y"}, {"Cos", "t", "u"}}, {"y", "u"}, {}},
      {"AReaderAndTheCaller", {{"Transpose", "d", "t"}, {"Sin", "t", "y"}}, {"y", "t"}, {}},
      {"QuantizedBehind", {{"Transpose", "d", "t"}, {"Q", "t", "y"}}, {"y"}, {}},
      {"AlsoQuantizedBehind", {{"Transpose", "d", "t"}, {"Q", "t", "y"}, {"Sin", "t", "u"}}, {"y", "u"}, {}},
      {"QuantizedBehindTwo", {{"Slice", "d", "t"}, {"Transpose", "t", "u"}, {"Q", "u", "y"}}, {"y"}, {}},
      {"QuantizedTwiceBehindTwo",
       {{"Slice", "d", "t"}, {"Transpose", "t", "u"}, {"Q", "u", "y"}, {"Q", "u", "v"}, {"Cos", "v", "w"}},
       {"y", "w"},
       {"DT506 t"}},
      {"MovedOn", {{"Slice", "d", "t"}, {"Transpose", "t", "u"}, {"Sin", "u", "y"}}, {"y"}, {"DT506 t", "DT506 u"}},
      {"MovedOnFromTwoReaders",
       {{"Slice", "d", "t"}, {"Transpose", "t", "u"}, {"Sin", "u", "y"}, {"Cos", "t", "v"}},
       {"y", "v"},
       {"DT506 u"}},
      {"MovedOnFromQuantized",
       {{"Slice", "d", "t"}, {"Q", "t", "v"}, {"Transpose", "t", "u"}, {"Sin", "u", "y"}},
       {"y", "v"},
       {}},
      {"SlicedTwice", {{"Slice", "d", "t"}, {"Slice", "t", "u"}, {"Sin", "u", "y"}}, {"y"}, {"DT506 t", "DT506 u"}},
      {"WholeSlice", {{"Whole", "d", "t"}, {"Sin", "t", "y"}}, {"y"}, {}},
      {"BehindACastToItsType", {{"Cast", "d", "r"}, {"Transpose", "r", "t"}, {"Sin", "t", "y"}}, {"y"}, {"DT506 t"}},
      {"InFrontOfNothingAdded", {{"Transpose", "d", "t"}, {"Plus0", "t", "r"}, {"Q", "r", "y"}}, {"y"}, {}},
      {"InFrontOfSomethingAdded", {{"Transpose", "d", "t"}, {"Plus1", "t", "r"}, {"Q", "r", "y"}}, {"y"}, {"DT506 t"}},
      {"ComputedInBetween", {{"Relu", "d", "r"}, {"Transpose", "r", "t"}, {"Sin", "t", "y"}}, {"y"}, {}},
      {"BehindIdentity", {{"Identity", "d", "r"}, {"Transpose", "r", "t"}, {"Sin", "t", "y"}}, {"y"}, {"DT506 t"}},
      {"BehindDropout", {{"Transpose", "d", "t"}, {"Dropout", "t", "r"}, {"Q", "r", "y"}}, {"y"}, {}},
      {"ReshapedAgain",
       {{"Reshape", "d", "t"}, {"Reshape", "t", "u"}, {"Sin", "u", "y"}, {"Cos", "u", "v"}},
       {"y", "v"},
       {}},
      {"ReshapedAgainAndAgain",
       {{"Reshape", "d", "t"}, {"Unsqueeze", "t", "u"}, {"Squeeze", "u", "v"}, {"Sin", "v", "y"}},
       {"y"},
       {"DT506 v"}},
      {"ReshapedAgainByAnotherName",
       {{"Reshape", "d", "t"}, {"Identity", "t", "i"}, {"Reshape", "i", "u"}, {"Sin", "u", "y"}},
       {"y"},
       {"DT506 u"}},
      {"ReshapedTwiceAndByAnotherName",
       {{"Reshape", "d", "t"}, {"Reshape", "t", "u"}, {"Identity", "u", "i"}, {"Reshape", "i", "v"}, {"Sin", "v", "y"}},
       {"y"},
       {"DT506 v"}},
      {"ReshapedAgainAndMovedByOtherNames",
       {{"Reshape", "d", "t"},
        {"Identity", "t", "i"},
        {"Identity", "i", "j"},
        {"Reshape", "j", "u"},
        {"Slice", "u", "v"},
        {"Sin", "v", "y"}},
       {"y"},
       {"DT506 u", "DT506 v"}},
      {"ReshapedAfterAnotherMovement",
       {{"Unsqueeze", "d", "t"}, {"Reshape", "t", "u"}, {"Sin", "u", "y"}, {"Cos", "u", "v"}},
       {"y", "v"},
       {"DT506 t"}},
      {"ReshapedAgainBesideAReader",
       {{"Reshape", "d", "t"}, {"Reshape", "t", "u"}, {"Sin", "u", "y"}, {"Cos", "t", "v"}},
       {"y", "v"},
       {"DT506 u"}},
      {"MovedTwiceAlike",
       {{"Reshape", "d", "t"}, {"Slice", "t", "u"}, {"Slice", "t", "v"}, {"Sin", "u", "y"}, {"Cos", "v", "w"}},
       {"y", "w"},
       {"DT506 t"}},
      {"MovedTwiceAlikeBesideAReader",
       {{"Reshape", "d", "t"},
        {"Slice", "t", "u"},
        {"Slice", "t", "v"},
        {"Sin", "u", "y"},
        {"Cos", "v", "w"},
        {"Exp", "t", "e"}},
       {"y", "w", "e"},
       {}},
      {"MovedTwiceUnlike",
       {{"Reshape", "d", "t"}, {"Slice", "t", "u"}, {"Unsqueeze", "t", "v"}, {"Sin", "u", "y"}, {"Cos", "v", "w"}},
       {"y", "w"},
       {"DT506 u", "DT506 v"}},
      {"MovedTwiceAlikeByOneDequantizer",
       {{"Slice", "d", "u"}, {"Slice", "d", "v"}, {"Sin", "u", "y"}, {"Cos", "v", "w"}},
       {"y", "w"},
       {"DT506 u", "DT506 v"}},
      {"ForItsShape", {{"Transpose", "d", "t"}, {"Shape", "t", "y"}}, {"y"}, {}},
      {"AlsoForItsShape", {{"Transpose", "d", "t"}, {"Sin", "t", "y"}, {"Shape", "t", "u"}}, {"y", "u"}, {"DT506 t"}},
  };
}

INSTANTIATE_TEST_SUITE_P(, OrtPairTest, ::testing::ValuesIn(Cases()),
                         [](const auto& param_info) { return param_info.param.name; });

// The optimizer moves a Transpose through what is around it to another one: whether the pair stays is not known.
TEST(OrtPair, IsPerhapsGoneWithATranspose) {
  const auto verdict = [](std::vector<Step> steps) {
    const absl::StatusOr<v1::Result> result = Ask(Model({"", std::move(steps), {"y"}, {}}).graph, "onnxruntime/cpu");
    EXPECT_TRUE(result.ok());
    int not_checked = 0;
    for (const v1::NotChecked& entry : result->not_checked()) not_checked += entry.rule() == "DT506";
    EXPECT_EQ(result->verdict() == v1::Result::UNKNOWN, not_checked > 0);
    return result->verdict();
  };
  EXPECT_EQ(verdict({{"Transpose", "d", "t"}, {"Sin", "t", "u"}, {"Back", "u", "y"}}), v1::Result::UNKNOWN);
  EXPECT_EQ(verdict({{"Transpose", "d", "t"}, {"Q", "t", "u"}, {"Back", "u", "y"}}), v1::Result::UNKNOWN);
  EXPECT_EQ(verdict({{"Transpose", "d", "t"}, {"Back", "t", "u"}, {"Sin", "u", "y"}}), v1::Result::UNKNOWN);
  EXPECT_EQ(verdict({{"Transpose", "d", "t"}, {"Q", "t", "u"}, {"Slice", "t", "v"}, {"Sin", "v", "y"}}),
            v1::Result::UNKNOWN);
  EXPECT_EQ(
      verdict({{"Transpose", "d", "t"}, {"Q", "t", "u"}, {"Slice", "t", "v"}, {"Slice", "v", "w"}, {"Sin", "w", "y"}}),
      v1::Result::UNKNOWN);
  EXPECT_EQ(verdict({{"Identity", "d", "i"}, {"Transpose", "i", "t"}, {"Sin", "i", "u"}, {"Sin", "t", "y"}}),
            v1::Result::UNKNOWN);
  EXPECT_EQ(verdict({{"Identity", "d", "i"}, {"Transpose", "i", "t"}, {"Sin", "t", "y"}}), v1::Result::REJECTED);
  EXPECT_EQ(verdict({{"Transpose", "d", "t"}, {"Sin", "t", "y"}}), v1::Result::REJECTED);
  EXPECT_EQ(verdict({{"Transpose", "d", "t"}, {"Q", "t", "y"}}), v1::Result::ACCEPTED);
}

const std::vector<Step>& Moved() {
  static const auto* steps = new std::vector<Step>{{"Transpose", "d", "t"}, {"Sin", "t", "y"}};
  return *steps;
}

TEST(OrtPair, IsOfOneConstantNumber) {
  const PairCase moved = {"", Moved(), {"y"}, {}};
  EXPECT_EQ(Errors(Model(moved).graph).size(), 1u);

  GraphBuilder run_time = Model(moved);
  run_time.Value("s").clear_constant();
  run_time.graph.add_inputs(run_time.Id("s"));
  EXPECT_EQ(Errors(run_time.graph).size(), 0u);

  GraphBuilder no_point = Model(moved);
  for (v1::Node& node : *no_point.graph.mutable_nodes()) {
    if (node.name() == "d") node.mutable_inputs()->RemoveLast();
  }
  EXPECT_EQ(Errors(no_point.graph).size(), 0u);

  GraphBuilder contrib = Model(moved);
  for (const char* node : {"q", "d"}) {
    contrib.Find(node).set_op(contrib.Symbol(
        absl::StrCat("com.microsoft::", node == std::string("q") ? "QuantizeLinear" : "DequantizeLinear")));
  }
  EXPECT_EQ(Errors(contrib.graph).size(), 0u);
}

// Integers of the type, dequantized, moved, and read by a Sin.
GraphBuilder MovedIntegers(v1::DataType type, int opset, bool has_point, const std::string& op = "Reshape",
                           const std::string& domain = "") {
  GraphBuilder b = Model({"", {{op.c_str(), "d", "t"}, {"Sin", "t", "y"}}, {"y"}, {}, type, opset});
  b.graph.mutable_nodes()->DeleteSubrange(0, 1);
  b.graph.clear_inputs();
  b.Input("q", type, {1, 4, 6, 6});
  v1::Node& dequantize = b.Find("d");
  dequantize.set_op(b.Symbol(absl::StrCat(domain, "DequantizeLinear")));
  if (!has_point) dequantize.mutable_inputs()->RemoveLast();
  return b;
}

// d -> MatMul -> Add, or what is in its place; of these sizes.
GraphBuilder BiasedProduct(const std::vector<int64_t>& sizes, v1::DataType type, int opset,
                           const std::vector<int64_t>& bias = {5}, const std::string& last = "Add") {
  GraphBuilder b = Model({"", {}, {}, {}, type, opset});
  for (const char* value : {"x", "d"}) b.Shape(value, kFloat, sizes);
  b.Weight("w", kFloat, {4, 5}, 80);
  b.Weight("b", kFloat, bias, 4 * bias.back());
  b.Node("MatMul", "m", {"d", "w"}, {"m"});
  b.Node(last, "a", {"m", "b"}, {"a"});
  b.Output("a");
  return b;
}

// The optimizer makes a Gemm of them, with a Reshape in front.
TEST(OrtPair, IsInFrontOfAProductWithABias) {
  const auto errors = [](const GraphBuilder& b) { return absl::StrJoin(Errors(b.graph), ", "); };
  EXPECT_EQ(errors(BiasedProduct({1, 6, 4}, kInt8, 21)), "DT506 m");
  EXPECT_EQ(errors(BiasedProduct({2, 3, 6, 4}, kInt8, 23)), "DT506 m");
  EXPECT_EQ(errors(BiasedProduct({1, 6, 4}, kInt8, 20)), "");
  EXPECT_EQ(errors(BiasedProduct({1, 6, 4}, kUint8, 21)), "");
  EXPECT_EQ(errors(BiasedProduct({6, 4}, kInt8, 21)), "");
  EXPECT_EQ(errors(BiasedProduct({-1, 6, 4}, kInt8, 21)), "");
  EXPECT_EQ(errors(BiasedProduct({1, 6, 4}, kInt8, 21, {1, 5})), "");
  EXPECT_EQ(errors(BiasedProduct({1, 6, 4}, kInt8, 21, {1})), "");
  EXPECT_EQ(errors(BiasedProduct({1, 6, 4}, kInt8, 21, {5}, "Mul")), "");

  GraphBuilder read_twice = BiasedProduct({1, 6, 4}, kInt8, 21);
  read_twice.Node("Sin", "s", {"m"}, {"sin"});
  read_twice.Output("sin");
  EXPECT_EQ(errors(read_twice), "");
  GraphBuilder shared = BiasedProduct({1, 6, 4}, kInt8, 21);
  shared.Node("Sin", "s", {"d"}, {"sin"});
  shared.Output("sin");
  EXPECT_EQ(errors(shared), "DT506 m");
}

// What is behind a pair is fused as what is behind a DequantizeLinear of the model.
TEST(OrtPair, IsFusedWithWhatReadsIt) {
  const auto in_float = [](std::vector<Step> steps, v1::DataType type, int opset) {
    GraphBuilder b = Model({"", std::move(steps), {}, {}, type, opset});
    b.Node("Add", "a", {"t", "t2"}, {"a"});
    b.Value("a").set_dtype(kFloat);
    AddStep({"Q", "a", "y"}, type, b);
    b.Output("y");
    const absl::StatusOr<v1::Result> result = Ask(b.graph, "onnxruntime/cpu");
    EXPECT_TRUE(result.ok());
    int count = 0;
    for (const v1::Finding& finding : result->findings()) {
      count += finding.code() == "CV205" && finding.location().node() == "a";
    }
    return count;
  };
  const std::vector<Step> pooled = {{"MaxPool", "d", "t"}, {"MaxPool", "d", "t2"}};
  EXPECT_EQ(in_float(pooled, kUint8, 21), 0);
  EXPECT_EQ(in_float(pooled, kInt8, 20), 0);
  const std::vector<Step> computed = {{"MaxPool", "d", "t"}, {"Sin", "d", "t2"}};
  EXPECT_EQ(in_float(computed, kUint8, 21), 1);
}

// A QuantizeLinear makes no int32.
TEST(OrtPair, IsOfNoInt32) {
  constexpr v1::DataType kInt32 = v1::DATA_TYPE_INT32;
  for (const int opset : {17, 21}) {
    for (const char* op : {"Reshape", "Slice", "Transpose", "MaxPool"}) {
      EXPECT_EQ(absl::StrJoin(Errors(MovedIntegers(kInt32, opset, true, op).graph), ", "), "DT507 t") << op;
    }
    EXPECT_EQ(Errors(MovedIntegers(kInt32, opset, true, "Flatten").graph).size(), 0u);
  }
  EXPECT_EQ(absl::StrJoin(Errors(MovedIntegers(kInt32, 21, false).graph), ", "), "DT507 t");

  GraphBuilder read_twice = MovedIntegers(kInt32, 17, true);
  read_twice.Node("Cos", "c", {"t"}, {"c"});
  read_twice.Output("c");
  EXPECT_EQ(absl::StrJoin(Errors(read_twice.graph), ", "), "DT507 t");

  GraphBuilder quantized = MovedIntegers(kInt32, 17, true);
  quantized.Ints("z8", kUint8, {128});
  quantized.Node("QuantizeLinear", "p", {"t", "s", "z8"}, {"p"});
  quantized.Value("p").set_dtype(kUint8);
  quantized.Output("p");
  EXPECT_EQ(Errors(quantized.graph).size(), 0u);
}

// Of constants it is there only where a Transpose finds no better place.
TEST(OrtPair, IsPerhapsOfConstantInt32) {
  const auto not_checked = [](const std::string& op, v1::DataType type) {
    GraphBuilder b = Model({"", {{op.c_str(), "d", "t"}, {"Sin", "t", "y"}}, {"y"}, {}, type, 17});
    b.graph.mutable_nodes()->DeleteSubrange(0, 1);
    b.graph.clear_inputs();
    b.Weight("q", type, {1, 4, 6, 6}, type == v1::DATA_TYPE_INT32 ? 576 : 144);
    const absl::StatusOr<v1::Result> result = Ask(b.graph, "onnxruntime/cpu");
    EXPECT_TRUE(result.ok());
    int count = 0;
    for (const v1::NotChecked& entry : result->not_checked()) count += entry.rule() == "DT507";
    return count;
  };
  EXPECT_EQ(not_checked("Transpose", v1::DATA_TYPE_INT32), 1);
  EXPECT_EQ(not_checked("Reshape", v1::DATA_TYPE_INT32), 0);
  EXPECT_EQ(not_checked("Transpose", kInt8), 0);
}

std::vector<std::string> WrongNumbers(const v1::Graph& graph) {
  const absl::StatusOr<v1::Result> result = Ask(graph, "onnxruntime/cpu");
  EXPECT_TRUE(result.ok()) << result.status();
  std::vector<std::string> found;
  for (const v1::Finding& finding : result->findings()) {
    if (finding.effect() == v1::Finding::WRONG_NUMBERS)
      found.push_back(finding.code() + " " + finding.location().node());
  }
  EXPECT_EQ(result->outcome().kind(), v1::Outcome::FULL);
  return found;
}

// Without a zero point, and with no type stated, what the optimizer puts in is of uint8.
TEST(OrtPair, IsOfUint8WithoutAZeroPoint) {
  constexpr v1::DataType kInt32 = v1::DATA_TYPE_INT32, kInt16 = v1::DATA_TYPE_INT16;
  const auto found = [](const GraphBuilder& b) { return absl::StrJoin(WrongNumbers(b.graph), ", "); };
  for (const char* op : {"Reshape", "Slice", "Transpose", "MaxPool"}) {
    EXPECT_EQ(found(MovedIntegers(kInt8, 17, false, op)), "NR504 t") << op;
    EXPECT_EQ(found(MovedIntegers(kInt32, 17, false, op)), "NR504 t") << op;
  }
  EXPECT_EQ(found(MovedIntegers(kInt8, 17, false, "Flatten")), "");
  EXPECT_EQ(found(MovedIntegers(kInt8, 17, true)), "");
  EXPECT_EQ(found(MovedIntegers(kInt8, 21, false)), "");
  EXPECT_EQ(found(MovedIntegers(kUint8, 17, false)), "");
  EXPECT_EQ(found(MovedIntegers(kInt16, 21, false)), "");
  // The type of others than ONNX's own is never stated.
  EXPECT_EQ(found(MovedIntegers(kInt8, 21, false, "Reshape", "com.microsoft::")), "NR504 t");
  EXPECT_EQ(found(MovedIntegers(kInt16, 21, false, "Reshape", "com.microsoft::")), "NR504 t");
  EXPECT_EQ(found(MovedIntegers(kInt16, 21, true, "Reshape", "com.microsoft::")), "");
}

// What is never negative fits.
TEST(OrtPair, IsOfUint8BehindARelu) {
  const auto found = [](const char* op) {
    GraphBuilder b = Model({"", {{"Reshape", "d", "t"}, {"Sin", "t", "y"}}, {"y"}, {}, kInt8, 17});
    b.Node(op, "r", {"x"}, {"r"});
    b.Value("r").set_dtype(kFloat);
    for (int i = b.graph.nodes_size() - 1; i > 0; --i) b.graph.mutable_nodes()->SwapElements(i, i - 1);
    b.Find("q").set_inputs(0, b.Id("r"));
    b.Find("d").mutable_inputs()->RemoveLast();
    return absl::StrJoin(WrongNumbers(b.graph), ", ");
  };
  EXPECT_EQ(found("Neg"), "NR504 t");
  EXPECT_EQ(found("Relu"), "");
}

// What is dequantized from constants is a constant itself by then.
TEST(OrtPair, IsOfWhatIsNotConstant) {
  GraphBuilder b = Model({"", Moved(), {"y"}, {}});
  b.graph.mutable_nodes()->DeleteSubrange(0, 1);
  b.graph.clear_inputs();
  b.Weight("q", kInt8, {1, 4, 6, 6}, 144);
  EXPECT_EQ(Errors(b.graph).size(), 0u);
}

TEST(OrtPair, StatesTheTypeOfItsZeroPoint) {
  constexpr int kOnnxInt8 = 3;
  const auto errors = [](std::vector<Step> steps, std::vector<const char*> outputs) {
    GraphBuilder b = Model({"", std::move(steps), std::move(outputs), {}});
    b.Int(b.Find("q"), "output_dtype", kOnnxInt8);
    return absl::StrJoin(Errors(b.graph), ", ");
  };
  EXPECT_EQ(errors({{"Sin", "d", "y"}}, {"y"}), "DT506 q");
  // It has two DequantizeLinear nodes then, and stays int8.
  EXPECT_EQ(errors({{"Sin", "d", "y"}, {"Cos", "d", "u"}}, {"y", "u"}), "");
}

TEST(OrtPair, IsInFrontOfNoBody) {
  const auto model = [](const char* read, v1::DataType type, int opset) {
    GraphBuilder b =
        Model({"", {{"Transpose", "d", "t"}, {"Q", "t", "y"}, {"Slice", "d", "v"}}, {"y"}, {}, type, opset});
    GraphBuilder body;
    v1::Value& outer = body.Value("outer");
    outer.set_dtype(kFloat);
    outer.set_captured(b.Id(read));
    body.Node("Sin", "inner", {"outer"}, {"within"});
    body.Value("within").set_dtype(kFloat);
    body.Output("within");
    b.Branch("if", "c", body.graph, "chosen");
    b.Value("chosen").set_dtype(kFloat);
    b.Output("chosen");
    return b;
  };
  const auto errors = [&model](const char* read, v1::DataType type, int opset) {
    return absl::StrJoin(Errors(model(read, type, opset).graph), ", ");
  };
  for (const v1::DataType type : {kInt8, kUint8}) {
    for (const int opset : {20, 21}) EXPECT_EQ(errors("v", type, opset), "GS509 v");
    EXPECT_EQ(errors("x", type, 20), "");
    // A QuantizeLinear reads it as well.
    EXPECT_EQ(errors("t", type, 20), "");
  }
  // The branch may be left out.
  GraphBuilder known = model("v", kUint8, 20);
  known.Ints("c", v1::DATA_TYPE_BOOL, {1});
  known.graph.mutable_inputs()->RemoveLast();
  EXPECT_EQ(Errors(known.graph).size(), 0u);
  const absl::StatusOr<v1::Result> result = Ask(known.graph, "onnxruntime/cpu");
  int not_checked = 0;
  for (const v1::NotChecked& entry : result->not_checked()) not_checked += entry.rule() == "GS509";
  EXPECT_EQ(not_checked, 1);
}

// The optimizer looks for the zero points of a body in the body alone.
TEST(OrtPair, IsOfAZeroPointOfItsOwnGraph) {
  const auto errors = [](bool is_own) {
    GraphBuilder b = Model({"", {{"Sin", "d", "y"}}, {"y"}, {}});
    GraphBuilder body;
    body.Shape("outer", kFloat, {1, 4, 6, 6}).set_captured(b.Id("x"));
    body.Reals("s", {0.05});
    body.Ints("z", kInt8, {0});
    if (!is_own) body.Value("z").set_captured(b.Id("z"));
    body.Node("QuantizeLinear", "iq", {"outer", "s", "z"}, {"iq"});
    body.Value("iq").set_dtype(kInt8);
    body.Node("DequantizeLinear", "id", {"iq", "s", "z"}, {"id"});
    body.Shape("id", kFloat, {1, 4, 6, 6});
    AddStep({"Transpose", "id", "it"}, kInt8, body);
    AddStep({"Sin", "it", "within"}, kInt8, body);
    body.Output("within");
    b.Branch("if", "c", body.graph, "chosen");
    b.Value("chosen").set_dtype(kFloat);
    b.Output("chosen");
    return absl::StrJoin(Errors(b.graph), ", ");
  };
  EXPECT_EQ(errors(/*is_own=*/true), "DT506 it");
  EXPECT_EQ(errors(/*is_own=*/false), "");
}

// The pairs come from behind, however long the way to the QuantizeLinear is.
TEST(OrtPair, IsOfTheQuantizerFarBehind) {
  constexpr int kLength = 20'000;
  std::vector<std::string> names = {"d"};
  for (int i = 0; i < kLength; ++i) names.push_back(absl::StrCat("t", i));
  std::vector<Step> steps;
  for (int i = 0; i < kLength; ++i) steps.push_back({"Slice", names[i].c_str(), names[i + 1].c_str()});
  steps.push_back({"Q", names.back().c_str(), "y"});
  EXPECT_EQ(Errors(Model({"", steps, {"y"}, {}}).graph).size(), 0u);
}

}  // namespace
}  // namespace quantgate
