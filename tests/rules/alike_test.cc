// What Graph tells once for the many values, nodes and specs that are the same, and names without comparing them.
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "absl/strings/str_cat.h"
#include "rules/graph/graph.h"
#include "rules/graph/names.h"
#include "rules/graph/sharing.h"
#include "tests/rules/graph_builder.h"

namespace quantgate {
namespace {

using testing::GraphBuilder;

TEST(Alike, ValuesByTypeAndShape) {
  GraphBuilder b;
  b.Shape("a", v1::DATA_TYPE_FLOAT32, {1, 2});
  b.Shape("same", v1::DATA_TYPE_FLOAT32, {1, 2});
  b.Shape("type", v1::DATA_TYPE_INT8, {1, 2});
  b.Shape("size", v1::DATA_TYPE_FLOAT32, {1, 3});
  b.Shape("rank", v1::DATA_TYPE_FLOAT32, {1});
  b.Shape("scalar", v1::DATA_TYPE_FLOAT32, {});
  b.Value("unknown").set_dtype(v1::DATA_TYPE_FLOAT32);
  const Graph graph = *Graph::Build(b.graph);
  EXPECT_EQ(graph.value_like(1), 0);
  for (int value : {0, 2, 3, 4, 5, 6}) EXPECT_EQ(graph.value_like(value), value) << graph.value(value).name();
}

TEST(Alike, NodesByOperatorAndAttributes) {
  GraphBuilder b;
  const auto attribute = [&](const std::string& node) -> v1::Attribute& {
    v1::Attribute& added = *b.Node("Conv", node, {"x"}, {node + "_y"}).add_attributes();
    added.set_name(b.Symbol("pads"));
    return added;
  };
  attribute("a").mutable_ints()->add_values(1);
  attribute("same").mutable_ints()->add_values(1);
  attribute("other number").mutable_ints()->add_values(2);
  attribute("other form").set_i(1);
  attribute("negative zero").set_f(-0.0);
  attribute("zero").set_f(0.0);
  attribute("text").set_s("1");
  attribute("other text").set_s("2");
  attribute("tensor").set_tensor(1);
  attribute("same tensor").set_tensor(1);
  b.Node("Conv", "none", {"x"}, {"none_y"});
  b.Node("Relu", "other operator", {"x"}, {"relu_y"});
  attribute("later").mutable_ints()->add_values(1);
  v1::Attribute& parameter = attribute("parameter type");
  parameter.mutable_ints()->add_values(1);
  parameter.set_param_type(v1::DATA_TYPE_INT8);
  const Graph graph = *Graph::Build(b.graph);
  for (int node = 0; node < graph.num_nodes(); ++node) {
    const bool same = graph.node_name(node) == "same" || graph.node_name(node) == "later";
    EXPECT_EQ(graph.node_like(node), same ? 0 : node) << graph.node_name(node);
  }
}

TEST(Alike, SpecsButForReferencesAndNumbers) {
  GraphBuilder b(v1::Graph::PT2E, v1::STAGE_ANNOTATED);
  b.Value("x");
  const auto spec = [&]() -> v1::Spec& {
    v1::Spec& added = *b.graph.add_specs();
    added.set_kind(v1::Spec::DERIVED);
    added.set_dtype(v1::DATA_TYPE_INT8);
    return added;
  };
  spec();
  spec().add_derived_from()->set_value(1);  // like the first
  spec().set_axis(0);                       // stated is not the same as left out
  spec().set_is_dynamic(false);
  spec().set_quant_min(0);
  spec().set_kind(v1::Spec::PLAIN);
  spec().mutable_qparams()->add_scales(1);
  spec().mutable_qparams()->add_scales(1);
  spec().add_block_size(1);
  const Graph graph = *Graph::Build(b.graph);
  EXPECT_EQ(graph.spec_like(1), 0);
  for (int id : {0, 2, 3, 4, 5, 6, 7, 8}) EXPECT_EQ(graph.spec_like(id), id);
  ASSERT_EQ(graph.references(1).size(), 1);
  EXPECT_EQ(graph.references(1)[0], (SpecPlace{0, -1}));
}

TEST(Names, DistinctUntilOneIsRepeated) {
  NameCheck names(0);
  EXPECT_TRUE(names.Distinct());
  for (int i = 0; i < 20'000; ++i) names.Add(absl::StrCat("tensor_", i));
  names.Add("");
  names.Add("");
  EXPECT_TRUE(names.Distinct());
  names.Add("tensor_777");
  EXPECT_FALSE(names.Distinct());
}

// A small graph with specs that refer to anything.
v1::Graph RandomAnnotations(int seed) {
  std::mt19937 random(seed);
  const auto below = [&](int n) { return static_cast<int>(random() % n); };
  GraphBuilder b(v1::Graph::PT2E, v1::STAGE_ANNOTATED);
  const int nodes = 3 + below(5);
  b.Value("x");
  for (int i = 0; i < nodes; ++i) b.Node("aten.cat.default", absl::StrCat("n", i), {}, {absl::StrCat("v", i)});
  v1::Graph& graph = b.graph;
  for (int i = 0; i < 4; ++i) {
    v1::Spec& spec = *graph.add_specs();
    spec.set_kind(i < 2 ? v1::Spec::PLAIN : below(3) == 0 ? v1::Spec::DERIVED : v1::Spec::SHARED);
    if (spec.kind() != v1::Spec::SHARED) spec.set_dtype(i == 0 ? v1::DATA_TYPE_INT8 : v1::DATA_TYPE_UINT8);
    v1::EdgeRef& reference = spec.kind() == v1::Spec::DERIVED ? *spec.add_derived_from() : *spec.mutable_shared_with();
    reference.set_value(1 + below(graph.values_size()));
    reference.set_consumer(below(nodes + 1));
  }
  for (int i = 0; i < nodes; ++i) {
    v1::Node& node = *graph.mutable_nodes(i);
    const int inputs = 1 + below(3);
    for (int k = 0; k < inputs; ++k) {
      node.add_inputs(1 + below(i + 1));
      node.add_input_specs(below(4) == 0 ? 1 + below(4) : below(3) == 0 ? 0 : 1);
      node.add_input_args(0);
    }
    if (below(2) == 0) graph.mutable_values(i + 1)->set_spec(below(4) == 0 ? 1 + below(4) : 1);
  }
  return graph;
}

TEST(Sharing, WhatIsSurelyWithoutErrorsHasNone) {
  int sure = 0;
  int faulty = 0;
  for (int seed = 0; seed < 20'000; ++seed) {
    const v1::Graph message = RandomAnnotations(seed);
    const absl::StatusOr<Graph> graph = Graph::Build(message);
    ASSERT_TRUE(graph.ok()) << graph.status();
    const bool errors = !AllSharingErrors(ComputeSharingGroups(*graph)).empty();
    const bool no_errors = SurelyNoSharingErrors(*graph);
    EXPECT_FALSE(errors && no_errors) << "seed " << seed << "\n" << message.DebugString();
    sure += no_errors;
    faulty += errors;
  }
  EXPECT_GT(sure, 2'000);
  EXPECT_GT(faulty, 2'000);
}

}  // namespace
}  // namespace quantgate
