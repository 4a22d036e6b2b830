// The cost of a check grows with the graph and no faster: counted in allocations.
#include <google/protobuf/arena.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "db/database.h"
#include "rules/check.h"
#include "tests/rules/count_allocations.h"
#include "tests/rules/graph_builder.h"

namespace quantgate {
namespace {

// A chain of additions that share the parameters of their first input, annotated and otherwise sound.
v1::Graph Chain(int nodes) {
  testing::GraphBuilder b(v1::Graph::PT2E, v1::STAGE_ANNOTATED);
  b.Input("x", v1::DATA_TYPE_FLOAT32, {1, 8, 4, 4});
  v1::Spec& plain = *b.graph.add_specs();
  plain.set_kind(v1::Spec::PLAIN);
  plain.set_dtype(v1::DATA_TYPE_UINT8);
  plain.set_quant_min(0);
  plain.set_quant_max(255);
  plain.set_qscheme(v1::Spec::PER_TENSOR_AFFINE);
  std::string before = "x";
  for (int i = 0; i < nodes; ++i) {
    const std::string name = absl::StrCat("a", i);
    v1::Node& node = b.Node("aten.add.Tensor", name, {before, "x"}, {name});
    b.Shape(name, v1::DATA_TYPE_FLOAT32, {1, 8, 4, 4});
    v1::Spec& shared = *b.graph.add_specs();
    shared.set_kind(v1::Spec::SHARED);
    shared.mutable_shared_with()->set_value(b.Id(before));
    shared.mutable_shared_with()->set_consumer(b.graph.nodes_size());
    node.add_input_specs(1);
    node.add_input_specs(i == 0 ? 1 : b.graph.specs_size());
    b.Value(name).set_spec(b.graph.specs_size());
    before = name;
  }
  b.Output(before);
  return b.graph;
}

int64_t AllocationsOfCheck(int nodes, ModuleRegistry& modules) {
  const v1::Graph graph = Chain(nodes);
  CheckOptions options;
  options.targets = {"qnn_htp/SM8650"};
  google::protobuf::Arena arena;
  auto* report = google::protobuf::Arena::CreateMessage<v1::Report>(&arena);
  const int64_t before = allocations;
  EXPECT_TRUE(Check(graph, options, modules, *report).ok());
  const int64_t made = allocations - before;
  EXPECT_EQ(report->results(0).findings_size(), 0) << report->results(0).findings(0).message();
  EXPECT_EQ(report->results(0).outcome().nodes_size(), nodes);
  return made;
}

TEST(Cost, ANodeLikeOthersIsNotAllocatedFor) {
  if (!kCountsAllocations) GTEST_SKIP() << "operator new is ThreadSanitizer's own";
  const auto database = db::Database::Open(QUANTGATE_TABLES_FILE).value();
  ModuleRegistry modules(*database);
  RegisterBuiltinModules(modules);
  AllocationsOfCheck(10, modules);  // loads the module
  const int64_t thousand = AllocationsOfCheck(1'000, modules);
  const int64_t ten_thousand = AllocationsOfCheck(10'000, modules);
  // Vectors that double, blocks of the arena, a long text here and there; not one allocation for each of 9,000 nodes.
  EXPECT_LT(ten_thousand - thousand, 1'000);
}

}  // namespace
}  // namespace quantgate
