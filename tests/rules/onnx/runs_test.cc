// Which bodies of control flow are run, against what ONNX Runtime ran (runs.py draws the graphs and records it).
#include "rules/onnx/runs.h"

#include <gmock/gmock.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "client/onnx/onnx_importer.h"

namespace quantgate {
namespace {

using Json = nlohmann::json;

struct Count {
  int said = 0;
  int unknown = 0;
};

// The body and those in it: each is run whenever the runtime ran it, whatever the symbolic size is, never where it
// never did, or nothing is said.
void CompareBody(const v1::Graph& message, const std::string& name, const BodyPlace& place, const Json& expected,
                 Count& count);

void CompareBodies(const v1::Graph& message, const CheckContext& context, const Json& expected, Count& count) {
  const Graph& graph = context.graph();
  for (int32_t node = 0; node < graph.num_nodes(); ++node) {
    for (const v1::Attribute& attribute : graph.node(node).attributes()) {
      if (attribute.value_case() != v1::Attribute::kGraph) continue;
      const absl::string_view name = graph.symbol(attribute.name());
      CompareBody(message.subgraphs(attribute.graph() - 1), absl::StrCat(graph.node(node).name(), " ", name),
                  BodyPlace{&context, node, name}, expected, count);
    }
  }
}

void CompareBody(const v1::Graph& message, const std::string& name, const BodyPlace& place, const Json& expected,
                 Count& count) {
  SCOPED_TRACE(name);
  const absl::StatusOr<Graph> graph = Graph::Build(message);
  ASSERT_TRUE(graph.ok()) << graph.status();
  const ResolvedGraph resolved = ResolvedGraph::Resolve(*graph);
  const CheckContext context(*graph, resolved, &place.around->model(), &place);
  const Runs runs = RunsOf(context);
  ASSERT_TRUE(expected["runs"].contains(name));
  ASSERT_EQ(expected["runs"][name].size(), 2);
  for (const Json& run : expected["runs"][name]) {
    // A loop whose length is not known counts as one that is run.
    if (runs == Runs::kPerhaps || (name == "loop body" && !expected["static"])) continue;
    EXPECT_EQ(runs == Runs::kAlways, bool{run});
  }
  if (expected["static"]) ++(runs == Runs::kPerhaps ? count.unknown : count.said);
  CompareBodies(message, context, expected, count);
}

TEST(OnnxRuns, BodiesAreRunThatTheRuntimeRuns) {
  std::ifstream file(QUANTGATE_TEST_DATA "/../data/onnx_shapes/runs.jsonl");
  Count count;
  int cases = 0;
  for (std::string line; std::getline(file, line); ++cases) {
    SCOPED_TRACE(cases);
    const Json expected = Json::parse(line);
    std::string bytes;
    ASSERT_TRUE(absl::Base64Unescape(std::string(expected["model"]), &bytes));
    const absl::StatusOr<v1::Graph> model = ImportOnnx(bytes, "");
    ASSERT_TRUE(model.ok()) << model.status();
    const absl::StatusOr<Graph> graph = Graph::Build(*model);
    ASSERT_TRUE(graph.ok()) << graph.status();
    const ResolvedGraph resolved = ResolvedGraph::Resolve(*graph);
    const CheckContext context(*graph, resolved);
    EXPECT_EQ(RunsOf(context), Runs::kAlways);
    CompareBodies(*model, context, expected, count);
  }
  EXPECT_EQ(cases, 300);
  // What is stated is nearly always enough to say it.
  EXPECT_LT(count.unknown * 10, count.said) << count.unknown << " of " << count.unknown + count.said;
}

}  // namespace
}  // namespace quantgate
