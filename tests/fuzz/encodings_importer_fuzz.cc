// Any bytes as an encodings file, alone and joined with a model.
#include <cstdint>

#include "client/encodings/join.h"
#include "client/encodings/read.h"
#include "tests/fuzz/imported.h"
#include "tests/rules/graph_builder.h"

namespace {

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
    quantgate::fuzz::CheckError(file.status());
    return 0;
  }
  quantgate::fuzz::CheckGraph(quantgate::encodings::Alone(*file));
  quantgate::v1::Graph graph = Model();
  quantgate::encodings::Join(*file, &graph);
  quantgate::fuzz::CheckGraph(graph);
  return 0;
}
