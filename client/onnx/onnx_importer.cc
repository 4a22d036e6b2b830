#include "client/onnx/onnx_importer.h"

#include <malloc.h>

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/error.h"
#include "client/forgetful_stream.h"
#include "client/onnx/complete_types.h"
#include "client/onnx/functions.h"
#include "client/onnx/graph_importer.h"
#include "client/onnx/tensor_reader.h"
#include "client/tensor/external_data.h"
#include "client/text.h"
#include "client/wire_check.h"
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

// `bytes` are to be a ModelProto whose parsing ends well.
absl::Status CheckBytes(absl::string_view bytes, const ImportOptions& options) {
  const WireLimits limits{.max_memory = ParseMemoryLimit(bytes.size()),
                          .counted = onnx::NodeProto::descriptor(),
                          .max_counted = options.max_nodes};
  return CheckWire(bytes, *onnx::ModelProto::descriptor(), limits);
}

absl::StatusOr<v1::Graph> ReadModel(onnx::ModelProto& model, int64_t bytes, const std::string& folder,
                                    const ImportOptions& options) {
  if (!model.has_graph()) return UnreadableFile("has no graph");
  absl::Status status = InlineFunctions(LimitsOfCalls(bytes, options), &model);
  if (!status.ok()) return status;

  v1::Graph graph;
  SetModelFacts(model, &graph);
  ExternalData external(folder, options.max_external_bytes, options.max_scanned_bytes);
  TensorReader tensors(&external, options.max_weight_bytes, options.pack_from);
  ModelContext context{.options = options, .tensors = tensors, .ir_version = model.ir_version()};
  status = GraphImporter(&context, nullptr, &graph).Import(*model.mutable_graph());
  if (!status.ok()) return status;
  graph.set_stage(context.quantized ? v1::STAGE_CONVERTED : v1::STAGE_ANNOTATED);
  onnx::ModelProto().Swap(&model);  // its functions are let go before the graph grows further
  // What was the message lies between what is the graph; the system gets it back.
  ::malloc_trim(0);
  CompleteTypes(&graph);
  return graph;
}

absl::Status Unparsable() { return UnreadableFile("protobuf cannot parse it"); }

}  // namespace

absl::StatusOr<v1::Graph> ImportOnnx(absl::string_view bytes, const std::string& folder, const ImportOptions& options) {
  if (absl::Status status = CheckBytes(bytes, options); !status.ok()) return status;
  onnx::ModelProto model;
  if (!model.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return Unparsable();
  return ReadModel(model, static_cast<int64_t>(bytes.size()), folder, options);
}

absl::StatusOr<v1::Graph> ImportOnnx(std::string&& bytes, const std::string& folder, const ImportOptions& options) {
  if (absl::Status status = CheckBytes(bytes, options); !status.ok()) return status;
  const auto size = static_cast<int64_t>(bytes.size());
  onnx::ModelProto model;
  {
    ForgetfulStream stream(std::move(bytes));
    if (!model.ParseFromZeroCopyStream(&stream)) return Unparsable();
  }
  return ReadModel(model, size, folder, options);
}

}  // namespace quantgate
