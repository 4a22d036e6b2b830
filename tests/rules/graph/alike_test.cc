// What Graph tells once for the many values, nodes and specs that are the same, and names without comparing them.
#include "rules/graph/alike.h"

#include <gtest/gtest.h>

#include <functional>
#include <iterator>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "rules/graph/first_like.h"
#include "rules/graph/graph.h"
#include "rules/graph/names.h"
#include "rules/graph/resolve.h"
#include "rules/graph/sharing/sharing.h"
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
  // Exactly, whatever is guessed or hashed.
  for (int value : {2, 3, 4, 5, 6}) EXPECT_FALSE(ValueKinds{&b.graph}.Same(0, value)) << graph.value(value).name();
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
    EXPECT_EQ(NodeKinds{&b.graph}.Same(0, node), same || node == 0) << graph.node_name(node);
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
  spec().set_quant_max(0);
  spec().set_qscheme(v1::Spec::PER_TENSOR_AFFINE);
  spec().set_dtype(v1::DATA_TYPE_UINT8);
  // Stated as well, and otherwise.
  spec().set_axis(1);
  spec().set_is_dynamic(true);
  spec().set_quant_min(1);
  spec().add_block_size(2);
  spec().set_quant_max(1);
  const Graph graph = *Graph::Build(b.graph);
  EXPECT_EQ(graph.spec_like(1), 0);
  for (int id : {0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}) EXPECT_EQ(graph.spec_like(id), id);
  for (int id : {2, 3, 4, 5, 6, 7, 8, 9, 10, 11}) EXPECT_FALSE((SpecKinds{&b.graph}.Same(0, id))) << id;
  const std::pair<int, int> stated[] = {{2, 12}, {3, 13}, {4, 14}, {8, 15}, {9, 16}};
  for (auto [one, other] : stated) EXPECT_FALSE((SpecKinds{&b.graph}.Same(one, other))) << one;
  ASSERT_EQ(graph.references(1).size(), 1);
  EXPECT_EQ(graph.references(1)[0], (SpecPlace{0, -1}));
}

// Numbers whose guesses and hashes are all the same.
struct Indistinct {
  std::vector<int> numbers;
  uint64_t Guess(int32_t) const { return 0; }
  size_t Hash(int32_t) const { return 0; }
  bool Same(int32_t a, int32_t b) const { return numbers[a] == numbers[b]; }
};

TEST(FirstLike, ComparesWhateverWasGuessed) {
  FirstLike<Indistinct> first(Indistinct{{7, 8, 7, 9, 8, 8, 7, 10}});
  std::vector<int32_t> found;
  for (int32_t i = 0; i < 8; ++i) found.push_back(first(i));
  EXPECT_EQ(found, (std::vector<int32_t>{0, 1, 0, 3, 1, 1, 0, 7}));
}

// An addition of two tensors in a model of its own kind but for what `change` does.
std::vector<int32_t> KindsOfAdditions(const std::function<void(GraphBuilder&)>& change) {
  GraphBuilder b(v1::Graph::PT2E, v1::STAGE_ANNOTATED);
  for (const char* name : {"x", "y", "x2", "y2"}) b.Input(name, v1::DATA_TYPE_FLOAT32, {1, 8});
  for (int id = 1; id <= 4; ++id) {
    v1::Spec& spec = *b.graph.add_specs();
    spec.set_kind(v1::Spec::PLAIN);
    spec.set_dtype(id == 3 ? v1::DATA_TYPE_INT8 : v1::DATA_TYPE_UINT8);
    if (id == 4) spec.set_quant_max(127);
  }
  for (const char* suffix : {"", "2"}) {
    const std::string name = absl::StrCat("sum", suffix);
    v1::Node& node = b.Node("aten.add.Tensor", name, {absl::StrCat("x", suffix), absl::StrCat("y", suffix)}, {name});
    node.add_input_specs(1);
    node.add_input_specs(2);
    b.Shape(name, v1::DATA_TYPE_FLOAT32, {1, 8});
    b.Value(name).set_spec(1);
  }
  change(b);
  const Graph graph = *Graph::Build(b.graph);
  const ResolvedGraph resolved = ResolvedGraph::Resolve(graph);
  return {resolved.unlike_ops().begin(), resolved.unlike_ops().end()};
}

TEST(Alike, OperatorsByAllThatARuleMayAskOfThem) {
  const std::vector<int32_t> one = {0};
  const std::vector<int32_t> both = {0, 1};
  EXPECT_EQ(KindsOfAdditions([](GraphBuilder&) {}), one);
  EXPECT_EQ(KindsOfAdditions([](GraphBuilder& b) { b.Value("x2").set_name("other name"); }), one);
  EXPECT_EQ(KindsOfAdditions([](GraphBuilder& b) { b.graph.mutable_nodes(1)->set_input_specs(1, 1); }), one);
  const std::function<void(GraphBuilder&)> changes[] = {
      [](GraphBuilder& b) { b.graph.mutable_nodes(1)->set_input_specs(1, 3); },
      [](GraphBuilder& b) { b.graph.mutable_nodes(1)->set_input_specs(1, 4); },
      [](GraphBuilder& b) { b.graph.mutable_nodes(1)->set_input_specs(0, 0); },
      [](GraphBuilder& b) { b.Value("sum2").set_spec(3); },
      [](GraphBuilder& b) { b.Value("sum2").set_spec(0); },
      [](GraphBuilder& b) { b.Value("x2").set_dtype(v1::DATA_TYPE_FLOAT16); },
      [](GraphBuilder& b) { b.Value("y2").set_dims(0, 2); },
      [](GraphBuilder& b) { b.Value("sum2").set_dims(1, 9); },
      [](GraphBuilder& b) { b.Value("y2").mutable_constant(); },
      [](GraphBuilder& b) { b.graph.mutable_inputs()->RemoveLast(); },
      [](GraphBuilder& b) { b.graph.mutable_nodes(1)->set_op(b.Symbol("aten.mul.Tensor")); },
      [](GraphBuilder& b) { b.graph.mutable_nodes(1)->set_inputs(1, 0); },
      [](GraphBuilder& b) {
        v1::Attribute& alpha = *b.graph.mutable_nodes(1)->add_attributes();
        alpha.set_name(b.Symbol("alpha"));
        alpha.set_i(2);
      },
  };
  for (size_t i = 0; i < std::size(changes); ++i) EXPECT_EQ(KindsOfAdditions(changes[i]), both) << "change " << i;
}

TEST(Graph, SaysWhetherAllThatIsReadIsGivenAndWrittenOnce) {
  const auto build = [](const std::function<void(GraphBuilder&)>& change) {
    GraphBuilder b;
    b.Input("x", v1::DATA_TYPE_FLOAT32, {1});
    b.Value("w").mutable_constant();
    b.Node("Add", "a", {"x", "w"}, {"y"});
    b.Node("Relu", "r", {"y"}, {"z"});
    b.Value("nobody reads this");
    change(b);
    const absl::StatusOr<Graph> graph = Graph::Build(b.graph);
    return std::make_pair(graph->all_read_are_given(), graph->all_written_once());
  };
  const auto sound = std::make_pair(true, true);
  EXPECT_EQ(build([](GraphBuilder&) {}), sound);
  EXPECT_EQ(build([](GraphBuilder& b) { b.Node("Relu", "n", {"nobody reads this"}, {"n"}); }),
            std::make_pair(false, true));
  EXPECT_EQ(build([](GraphBuilder& b) { b.Value("w").clear_constant(); }), std::make_pair(false, true));
  for (const char* again : {"x", "w", "y", "z"}) {
    EXPECT_EQ(build([&](GraphBuilder& b) { b.Node("Relu", "n", {"y"}, {again}); }), std::make_pair(true, false))
        << again;
  }
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
