// What is computed before the backend sees the graph.
#include "rules/backends/folding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "tests/rules/annotated_builder.h"
#include "tests/rules/graph_builder.h"

namespace quantgate {
namespace {

using ::quantgate::testing::AnnotatedBuilder;
using ::quantgate::testing::GraphBuilder;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(FoldedValues, ShapeArithmeticNeverReachesTheBackend) {
  GraphBuilder b;
  b.Input("x", v1::DATA_TYPE_FLOAT32, {2, 8});
  b.Input("dynamic", v1::DATA_TYPE_FLOAT32, {-1, 8});
  b.Ints("zero", v1::DATA_TYPE_INT64, {0});
  b.Node("Shape", "shape", {"x"}, {"s"});
  b.Node("Gather", "pick", {"s", "zero"}, {"d"});
  b.Node("Shape", "unknown", {"dynamic"}, {"u"});
  b.Node("Relu", "relu", {"x"}, {"y"});
  b.Output("y");
  const Graph graph = *Graph::Build(b.graph);
  const std::vector<bool> folded = FoldedValues(graph);
  EXPECT_TRUE(IsFolded(graph, folded, 0));
  EXPECT_TRUE(IsFolded(graph, folded, 1));
  EXPECT_FALSE(IsFolded(graph, folded, 2));
  EXPECT_FALSE(IsFolded(graph, folded, 3));
}

// ONNX Runtime computes what is computed from constants, but for their Dequantize nodes.
TEST(FoldedValues, DequantizedConstantsMayBeKept) {
  GraphBuilder b;
  b.Input("x", v1::DATA_TYPE_FLOAT32, {4});
  b.Weight("w", v1::DATA_TYPE_INT8, {4}, 4);
  b.Weight("f", v1::DATA_TYPE_FLOAT32, {4}, 16);
  b.Reals("scale", {0.1}, true);
  b.Node("DequantizeLinear", "dq", {"w", "scale"}, {"d"});
  b.Node("Neg", "behind", {"d"}, {"n"});
  b.Node("Neg", "plain", {"f"}, {"p"});
  b.Node("Sum", "sum", {"x", "n", "p"}, {"y"});
  b.Output("y");
  const Graph graph = *Graph::Build(b.graph);
  const std::vector<bool> all = FoldedValues(graph);
  const std::vector<bool> kept = FoldedValues(graph, Generators::kFolded, Dequantizers::kKept);
  EXPECT_TRUE(IsFolded(graph, all, 0));
  EXPECT_TRUE(IsFolded(graph, all, 1));
  EXPECT_FALSE(IsFolded(graph, kept, 0));
  EXPECT_FALSE(IsFolded(graph, kept, 1));
  EXPECT_TRUE(IsFolded(graph, kept, 2));
}

// The weight of a linear is computed from constants, as weight normalization does it:
// v -> aten.neg.default -> n -> norm(n, g) -> w.
struct NormalizedWeight {
  AnnotatedBuilder b;
  int weight = b.Filter();

  explicit NormalizedWeight(v1::Stage stage = v1::STAGE_ANNOTATED,
                            const std::string& norm = "aten._weight_norm.default")
      : b(stage) {
    b.Input("x", v1::DATA_TYPE_FLOAT32, {2, 8});
    b.Weight("v", v1::DATA_TYPE_FLOAT32, {4, 8}, 128);
    b.Weight("g", v1::DATA_TYPE_FLOAT32, {4, 1}, 16);
    b.Node("aten.neg.default", "neg", {"v"}, {"n"});
    b.Shape("n", v1::DATA_TYPE_FLOAT32, {4, 8});
    b.Node(norm, "norm", {"n", "g"}, {"w"});
    b.Shape("w", v1::DATA_TYPE_FLOAT32, {4, 8});
    const int act = b.Act();
    b.Op("aten.linear.default", "linear", {"x", "w"}, {act, weight}, act, {2, 4});
  }

  // Names of the nodes that are computed.
  std::vector<std::string> Folded() const {
    const Graph graph = *Graph::Build(b.graph);
    const std::vector<bool> folded = FoldedValues(graph);
    std::vector<std::string> names;
    for (int32_t node = 0; node < graph.num_nodes(); ++node) {
      if (IsFolded(graph, folded, node)) names.emplace_back(graph.node_name(node));
    }
    return names;
  }
};

TEST(FoldedValues, WhatLeadsFromConstantsToAnAnnotationIsComputedByConvert) {
  EXPECT_THAT(NormalizedWeight().Folded(), ElementsAre("neg", "norm"));
  EXPECT_THAT(NormalizedWeight(v1::STAGE_CALIBRATED).Folded(), ElementsAre("neg", "norm"));
  EXPECT_THAT(NormalizedWeight(v1::STAGE_ANNOTATED, "aten.mul.Tensor").Folded(), ElementsAre("neg", "norm"));
  NormalizedWeight at_its_output;
  at_its_output.b.Value("w").set_spec(at_its_output.weight);
  at_its_output.b.Find("linear").set_input_specs(1, 0);
  EXPECT_THAT(at_its_output.Folded(), ElementsAre("neg", "norm"));
}

// Afterwards the annotations tell what was meant; what is left in the graph was not computed.
TEST(FoldedValues, OfAConvertedGraphNothingMoreIsComputed) {
  EXPECT_THAT(NormalizedWeight(v1::STAGE_CONVERTED).Folded(), IsEmpty());
}

TEST(FoldedValues, ConvertComputesOnlyWhatAlwaysGivesTheSame) {
  for (const char* norm : {"aten.normal.Tensor_Tensor", "mine.norm.default", "aten.resize_.default"}) {
    EXPECT_THAT(NormalizedWeight(v1::STAGE_ANNOTATED, norm).Folded(), IsEmpty()) << norm;
  }
}

TEST(FoldedValues, ConvertComputesOnlyWhatIsQuantizedEverywhere) {
  NormalizedWeight float_weight;
  float_weight.b.Find("linear").set_input_specs(1, 0);
  EXPECT_THAT(float_weight.Folded(), IsEmpty());

  NormalizedWeight half;
  half.b.At(half.weight).set_dtype(v1::DATA_TYPE_FLOAT16);
  EXPECT_THAT(half.Folded(), IsEmpty());

  NormalizedWeight none;
  none.b.Find("linear").set_input_specs(1, none.b.None());
  EXPECT_THAT(none.Folded(), IsEmpty());

  NormalizedWeight read_as_float;
  read_as_float.b.Op("aten.relu.default", "relu", {"w"}, {0}, 0, {4, 8});
  EXPECT_THAT(read_as_float.Folded(), IsEmpty());

  NormalizedWeight an_output;
  an_output.b.Output("w");
  EXPECT_THAT(an_output.Folded(), IsEmpty());

  // "neg" is read by another node as well: it stays, and what is computed from it does not.
  NormalizedWeight read_between;
  read_between.b.Op("aten.relu.default", "relu", {"n"}, {0}, 0, {4, 8});
  EXPECT_THAT(read_between.Folded(), ElementsAre("norm"));
}

// As parts of a concatenation are annotated.
TEST(FoldedValues, ConvertComputesWhatASharedSpecQuantizes) {
  constexpr int kLinear = 3;
  NormalizedWeight shared;
  shared.b.Find("linear").set_input_specs(1, shared.b.Shared("x", kLinear));
  EXPECT_THAT(shared.Folded(), ElementsAre("neg", "norm"));

  NormalizedWeight at_its_output;
  at_its_output.b.Value("w").set_spec(at_its_output.b.Shared("x", kLinear));
  at_its_output.b.Find("linear").set_input_specs(1, 0);
  EXPECT_THAT(at_its_output.Folded(), ElementsAre("neg", "norm"));

  NormalizedWeight with_a_float;
  with_a_float.b.Find("linear").set_input_specs(1, with_a_float.b.Shared("x", kLinear));
  with_a_float.b.At(with_a_float.b.Find("linear").input_specs(0)).set_dtype(v1::DATA_TYPE_FLOAT16);
  EXPECT_THAT(with_a_float.Folded(), IsEmpty());

  NormalizedWeight with_nothing;
  with_nothing.b.Find("linear").set_input_specs(1, with_nothing.b.Shared("x"));
  EXPECT_THAT(with_nothing.Folded(), IsEmpty());
}

// torchao leaves what makes a tensor of no other where it is.
TEST(FoldedValues, ConvertComputesNothingThatIsMadeInTheGraph) {
  AnnotatedBuilder b;
  b.Input("x", v1::DATA_TYPE_FLOAT32, {2, 8});
  b.Node("aten.arange.default", "arange", {}, {"a"});
  b.Shape("a", v1::DATA_TYPE_FLOAT32, {8});
  b.Node("aten.cos.default", "cos", {"a"}, {"c"});
  b.Shape("c", v1::DATA_TYPE_FLOAT32, {8});
  const int act = b.Act();
  b.Op("aten.mul.Tensor", "mul", {"x", "c"}, {act, act}, act, {2, 8});
  const Graph graph = *Graph::Build(b.graph);
  const std::vector<bool> folded = FoldedValues(graph, Generators::kKept);
  for (int32_t node = 0; node < graph.num_nodes(); ++node) EXPECT_FALSE(IsFolded(graph, folded, node)) << node;
}

// Behind an observer stands a Dequantize operator, which torchao never computes.
TEST(FoldedValues, AnObserverOnTheWayEndsWhatConvertComputes) {
  NormalizedWeight at_a_value;
  at_a_value.b.Value("n").set_spec(at_a_value.b.Act());
  EXPECT_THAT(at_a_value.Folded(), ElementsAre("neg"));

  NormalizedWeight at_an_edge;
  v1::Node& norm = at_an_edge.b.Find("norm");
  norm.add_input_specs(at_an_edge.b.Act());
  norm.add_input_specs(0);
  EXPECT_THAT(at_an_edge.Folded(), ElementsAre("neg"));

  NormalizedWeight from_the_input;
  from_the_input.b.Find("neg").set_inputs(0, from_the_input.b.Id("x"));
  EXPECT_THAT(from_the_input.Folded(), IsEmpty());
}

}  // namespace
}  // namespace quantgate
