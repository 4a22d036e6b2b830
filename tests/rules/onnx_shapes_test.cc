// Shapes that follow from operators, against what ONNX's own inference and ONNX Runtime made of the same nodes
// (onnx_shapes.py draws them and records the answers).
#include <gmock/gmock.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "client/onnx/onnx_importer.h"
#include "rules/onnx/infer.h"

namespace quantgate {
namespace {

using Json = nlohmann::json;

// Of a dimension that only ONNX knows `known_more` says so.
bool Agree(absl::Span<const int64_t> ours, const std::vector<int64_t>& theirs, bool& known_more) {
  if (ours.size() != theirs.size()) return false;
  for (size_t i = 0; i < ours.size(); ++i) {
    if (ours[i] >= 0 && theirs[i] >= 0 && ours[i] != theirs[i]) return false;
    known_more |= ours[i] < 0 && theirs[i] >= 0;
  }
  return true;
}

// Sizes that flow in: what ONNX knows of such nodes, the rank or a part of the shape, is not looked for.
bool TakesSizesAtRunTime(const v1::Graph& graph) {
  return std::any_of(graph.inputs().begin(), graph.inputs().end(),
                     [&](int32_t input) { return graph.values(input - 1).dtype() == v1::DATA_TYPE_INT64; });
}

void Compare(const v1::Graph& message, const Json& expected) {
  const absl::StatusOr<Graph> graph = Graph::Build(message);
  ASSERT_TRUE(graph.ok()) << graph.status();
  const ResolvedGraph resolved = ResolvedGraph::Resolve(*graph);
  const CheckContext context(*graph, resolved);
  const Inferred inferred = InferShapes(context);
  ASSERT_EQ(inferred.contradictions.empty(), !expected.contains("error"))
      << (inferred.contradictions.empty() ? "" : inferred.contradictions[0].observed);
  if (expected.contains("error")) return;
  for (int i = 0; i < graph->num_outputs(0); ++i) {
    const Json& theirs = expected["shapes"][i];
    if (theirs.is_null()) continue;
    const Shape ours = inferred.shapes[graph->output(0, i)];
    bool known_more = !ours.known;
    EXPECT_TRUE(!ours.known || Agree(ours.dims, theirs, known_more)) << "output " << i << ": " << ShapeText(ours.dims);
    EXPECT_TRUE(!known_more || TakesSizesAtRunTime(message)) << "output " << i << ": " << ShapeText(ours.dims);
  }
}

TEST(OnnxShapes, AreThoseOfOnnx) {
  std::ifstream file(QUANTGATE_TEST_DATA "/../data/onnx_shapes/nodes.jsonl");
  int cases = 0;
  for (std::string line; std::getline(file, line); ++cases) {
    const Json expected = Json::parse(line);
    SCOPED_TRACE(expected.dump());
    std::string model;
    ASSERT_TRUE(absl::Base64Unescape(std::string(expected["model"]), &model));
    const absl::StatusOr<v1::Graph> message = ImportOnnx(model, "");
    ASSERT_TRUE(message.ok()) << message.status();
    Compare(*message, expected);
  }
  EXPECT_GT(cases, 900);
}

}  // namespace
}  // namespace quantgate
