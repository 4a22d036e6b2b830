// Any bytes as an ONNX graph, and as the graph file that they look like.
#include <cstdint>

#include "client/graph_file.h"
#include "client/onnx/onnx_importer.h"
#include "client/sniff.h"
#include "tests/fuzz/imported.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view bytes(reinterpret_cast<const char*>(data), size);
  const quantgate::ImportOptions options{.max_nodes = 10'000, .pack_from = 2};
  const quantgate::FileFormat format = quantgate::SniffFormat(bytes).format;
  // ONNX is tried whatever the bytes look like.
  quantgate::fuzz::CheckImported(quantgate::ImportOnnx(bytes, "", options));
  if (format != quantgate::FileFormat::kOnnx && format != quantgate::FileFormat::kOther) {
    // What a graph file says is its writer's: ids may not hold.
    const absl::StatusOr<quantgate::v1::Graph> graph = quantgate::ParseGraph(bytes, format, options);
    graph.ok() ? quantgate::fuzz::CheckSendable(*graph) : quantgate::fuzz::CheckError(graph.status());
  }
  return 0;
}
