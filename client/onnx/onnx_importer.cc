#include "client/onnx/onnx_importer.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "client/error.h"
#include "client/onnx/complete_types.h"
#include "client/onnx/functions.h"
#include "client/onnx/graph_importer.h"
#include "client/onnx/tensor_reader.h"
#include "client/tensor/external_data.h"
#include "client/text.h"
#include "client/wire_check.h"
#include "google/protobuf/arena.h"
#include "onnx/onnx.pb.h"

namespace quantgate {
namespace {

void SetModelFacts(const onnx::ModelProto& model, v1::Graph* graph) {
  graph->set_origin(v1::Graph::ONNX);
  graph->set_producer(ToUtf8(model.producer_name()));
  if (!model.producer_version().empty()) {
    graph->set_producer(ToUtf8(absl::StrCat(model.producer_name(), " ", model.producer_version())));
  }
  graph->set_format_version(model.ir_version());
  for (const onnx::OperatorSetIdProto& source : model.opset_import()) {
    v1::OpsetImport& opset = *graph->add_opset_imports();
    opset.set_domain(source.domain() == "ai.onnx" ? "" : ToUtf8(source.domain()));
    opset.set_version(source.version());
  }
}

// Functions that call functions grow exponentially: what they become stays in proportion to the file. In real models a
// node takes dozens of bytes, and a body is called hundreds of times at most.
FunctionLimits LimitsOfCalls(int64_t bytes, const ImportOptions& options) {
  FunctionLimits limits;
  limits.max_nodes = std::min(options.max_nodes, bytes + 50'000);
  limits.max_bytes = 4 * bytes + (int64_t{256} << 20);
  return limits;
}

// `parsed` is called when the bytes are needed no more.
absl::StatusOr<v1::Graph> ReadModel(absl::string_view bytes, absl::FunctionRef<void()> parsed,
                                    const std::string& folder, const ImportOptions& options) {
  const WireLimits limits{.max_memory = ParseMemoryLimit(bytes.size()),
                          .counted = onnx::NodeProto::descriptor(),
                          .max_counted = options.max_nodes};
  absl::Status status = CheckWire(bytes, *onnx::ModelProto::descriptor(), limits);
  if (!status.ok()) return status;

  google::protobuf::Arena arena;
  auto* model = google::protobuf::Arena::CreateMessage<onnx::ModelProto>(&arena);
  if (!model->ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return CodedError(absl::StatusCode::kInvalidArgument, "FI001", "protobuf cannot parse it");
  }
  if (!model->has_graph()) return CodedError(absl::StatusCode::kInvalidArgument, "FI001", "has no graph");
  const FunctionLimits calls = LimitsOfCalls(static_cast<int64_t>(bytes.size()), options);
  parsed();
  status = InlineFunctions(calls, model);
  if (!status.ok()) return status;

  v1::Graph graph;
  SetModelFacts(*model, &graph);
  ExternalData external(folder, options.max_external_bytes, options.max_scanned_bytes);
  TensorReader tensors(&external, options.max_weight_bytes, options.pack_from);
  ModelContext context{.options = options, .tensors = tensors, .arena = arena};
  status = GraphImporter(&context, nullptr, &graph).Import(*model->mutable_graph());
  if (!status.ok()) return status;
  graph.set_stage(context.quantized ? v1::STAGE_CONVERTED : v1::STAGE_ANNOTATED);
  return graph;
}

// What the file left open is told from the graph alone: by then the model's own message is gone.
absl::StatusOr<v1::Graph> Completed(absl::StatusOr<v1::Graph> graph) {
  if (graph.ok()) CompleteTypes(&*graph);
  return graph;
}

}  // namespace

absl::StatusOr<v1::Graph> ImportOnnx(absl::string_view bytes, const std::string& folder, const ImportOptions& options) {
  return Completed(ReadModel(
      bytes, [] {}, folder, options));
}

absl::StatusOr<v1::Graph> ImportOnnx(std::string&& bytes, const std::string& folder, const ImportOptions& options) {
  // An assignment of an empty string would keep the memory.
  return Completed(ReadModel(
      bytes, [&bytes] { std::string().swap(bytes); }, folder, options));
}

}  // namespace quantgate
