// Any bytes: an encodings file that joins a model and that the rules can judge, or an error with a code. Never a crash,
// and what comes out can be sent.
#include <cstdint>
#include <cstdlib>

#include "client/encodings/join.h"
#include "client/encodings/read.h"
#include "client/error.h"
#include "rules/check.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/graph/resolve.h"
#include "tests/rules/graph_builder.h"

namespace {

void Check(bool condition) {
  if (!condition) std::abort();
}

void CheckGraph(const quantgate::v1::Graph& message) {
  quantgate::v1::Graph again;
  Check(again.ParseFromString(message.SerializeAsString()));
  // What a file can get wrong is for the rules: every id holds.
  const absl::StatusOr<quantgate::Graph> graph = quantgate::Graph::Build(message);
  Check(graph.ok());
  const quantgate::ResolvedGraph resolved = quantgate::ResolvedGraph::Resolve(*graph);
  const quantgate::CheckContext context(*graph, resolved, &message);
  quantgate::FindingSink sink;
  for (const quantgate::Rule& rule : quantgate::SoundnessRules()) rule.check(context, sink);
}

// Weights of the shapes that encodings are laid on, under names that the corpus has.
quantgate::v1::Graph Model() {
  quantgate::testing::GraphBuilder b(quantgate::v1::Graph::ONNX, quantgate::v1::STAGE_ANNOTATED);
  const auto real = quantgate::v1::DATA_TYPE_FLOAT32;
  b.Input("x", real, {1, 2, 8, 8});
  b.Weight("w", real, {4, 2, 3, 3}, 288);
  b.Weight("b", real, {4}, 16);
  b.Weight("m", real, {8, 2}, 64);
  b.Node("Conv", "conv", {"x", "w", "b"}, {"y"});
  b.Node("Relu", "relu", {"y"}, {"z"});
  b.Node("MatMul", "matmul", {"z", "m"}, {"u"});
  b.Output("u");
  return b.graph;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view bytes(reinterpret_cast<const char*>(data), size);
  const absl::StatusOr<quantgate::encodings::ReadFile> file = quantgate::encodings::Read(bytes);
  if (!file.ok()) {
    const std::string code = quantgate::ErrorCode(file.status());
    Check(code == "FI001" || code == "FI002");
    return 0;
  }
  CheckGraph(quantgate::encodings::Alone(*file));
  quantgate::v1::Graph graph = Model();
  quantgate::encodings::Join(*file, &graph);
  CheckGraph(graph);
  return 0;
}
