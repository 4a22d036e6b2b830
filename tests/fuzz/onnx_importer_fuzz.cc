// Any bytes: an ONNX graph, a graph file, or an error with a code. Never a crash, and what comes out can be sent.
#include <cstdint>
#include <cstdlib>

#include "client/error.h"
#include "client/graph_file.h"
#include "client/onnx/onnx_importer.h"
#include "client/sniff.h"

namespace {

void Check(bool condition) {
  if (!condition) std::abort();
}

void CheckResult(const absl::StatusOr<quantgate::v1::Graph>& graph) {
  if (!graph.ok()) {
    const std::string code = quantgate::ErrorCode(graph.status());
    Check(code == "FI001" || code == "FI002" || code == "FI003");
    return;
  }
  quantgate::v1::Graph again;
  Check(again.ParseFromString(graph->SerializeAsString()));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view bytes(reinterpret_cast<const char*>(data), size);
  const quantgate::ImportOptions options{.max_nodes = 10'000, .pack_from = 2};
  const quantgate::FileFormat format = quantgate::SniffFormat(bytes).format;
  // ONNX is tried whatever the bytes look like.
  CheckResult(quantgate::ImportOnnx(bytes, "", options));
  if (format != quantgate::FileFormat::kOnnx && format != quantgate::FileFormat::kOther) {
    CheckResult(quantgate::ParseGraph(bytes, format, options));
  }
  return 0;
}
