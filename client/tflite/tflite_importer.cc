#include "client/tflite/tflite_importer.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/error.h"
#include "client/tensor/external_data.h"
#include "client/text.h"
#include "client/tflite/budget.h"
#include "client/tflite/graph_importer.h"
#include "client/tflite/model_generated.h"
#include "client/tflite/tensor_reader.h"

namespace quantgate {
namespace {

using tflite::Budget;
using tflite::GraphImporter;
using tflite::Model;

// What of a file flatbuffers can address. Files beyond it keep the weights of their buffers behind the tables.
constexpr size_t kMaxTables = FLATBUFFERS_MAX_BUFFER_SIZE - 1;
// Ten tables for each of 400,000 operators: no real model has more.
constexpr uint32_t kMaxTableCount = 4'000'000;

// Messages are larger than the tables that they come from, weights aside.
int64_t MemoryLimit(size_t bytes) { return 16 * static_cast<int64_t>(bytes) + (int64_t{64} << 20); }

// Signatures are not taken over, but LiteRT loads no file with one of these.
absl::Status CheckSignatures(const Model& model) {
  if (model.signature_defs() == nullptr) return absl::OkStatus();
  for (uint32_t i = 0; i < model.signature_defs()->size(); ++i) {
    const tflite::SignatureDef& signature = *model.signature_defs()->Get(i);
    const char* missing = signature.signature_key() == nullptr ? "key"
                          : signature.inputs() == nullptr      ? "list of inputs"
                          : signature.outputs() == nullptr     ? "list of outputs"
                                                               : nullptr;
    if (missing == nullptr) continue;
    return UnreadableFile(absl::StrCat("is a damaged LiteRT model: signature ", i, " has no ", missing));
  }
  return absl::OkStatus();
}

// Operators of the table that no subgraph has.
void AddUnusedOperators(const Model& model, Budget& memory, v1::Graph& graph) {
  if (model.operator_codes() == nullptr) return;
  std::vector<bool> used(model.operator_codes()->size(), false);
  if (model.subgraphs() != nullptr) {
    for (const tflite::SubGraph* subgraph : *model.subgraphs()) {
      if (subgraph->operators() == nullptr) continue;
      for (const tflite::Operator* op : *subgraph->operators()) {
        if (op->opcode_index() < used.size()) used[op->opcode_index()] = true;
      }
    }
  }
  for (uint32_t i = 0; i < model.operator_codes()->size(); ++i) {
    constexpr int64_t kMessageBytes = 128;
    const tflite::OperatorCode& code = *model.operator_codes()->Get(i);
    if (used[i] || !memory.Take(kMessageBytes + (code.custom_code() == nullptr ? 0 : code.custom_code()->size()))) {
      continue;
    }
    const char* options = nullptr;
    const std::string name = tflite::OperatorName(code, &options);
    v1::ListedOperator& unused = *graph.add_unused_operators();
    unused.set_op(name == "CUSTOM::" && code.custom_code() == nullptr ? "CUSTOM" : name);
    unused.set_version(code.version());
  }
}

absl::StatusOr<v1::Graph> ImportModelTables(const Model& model, absl::string_view bytes,
                                            const flatbuffers::Verifier& verifier, const std::string& folder,
                                            const ImportOptions& options) {
  if (absl::Status status = CheckSignatures(model); !status.ok()) return status;
  v1::Graph graph;
  graph.set_origin(v1::Graph::TFLITE);
  graph.set_format_version(model.version());
  if (model.description() != nullptr)
    graph.set_producer(ToUtf8({model.description()->c_str(), model.description()->size()}));
  ExternalData external(folder, options.max_external_bytes, options.max_scanned_bytes);
  tflite::TensorReader tensors(model, bytes, &external, options.max_weight_bytes);
  Budget memory(MemoryLimit(bytes.size()));
  Budget nodes(options.max_nodes);
  tflite::ModelContext context{
      .model = model, .verifier = verifier, .tensors = tensors, .memory = memory, .nodes = nodes};
  AddUnusedOperators(model, memory, graph);
  const int count = model.subgraphs() == nullptr ? 0 : static_cast<int>(model.subgraphs()->size());
  for (int i = 0; i < count; ++i) {
    v1::Graph* target = i == 0 ? &graph : graph.add_subgraphs();
    if (absl::Status status = GraphImporter(&context, i, target).Import(); !status.ok()) return status;
    if (nodes.exceeded()) return BeyondLimit(absl::StrCat("more than ", nodes.limit(), " operators"));
    if (memory.exceeded()) return BeyondLimit(absl::StrCat("its tables ask for more than ", memory.limit(), " bytes"));
  }
  const v1::Stage stage = context.quantized ? v1::STAGE_CONVERTED : v1::STAGE_ANNOTATED;
  graph.set_stage(stage);
  for (v1::Graph& subgraph : *graph.mutable_subgraphs()) subgraph.set_stage(stage);
  return graph;
}

}  // namespace

absl::StatusOr<v1::Graph> ImportTflite(absl::string_view bytes, const std::string& folder,
                                       const ImportOptions& options) {
  const absl::Status damaged =
      UnreadableFile("is a damaged LiteRT model: an offset or a size in it does not hold (was it cut off?)");
  constexpr size_t kSmallest = 32;  // a root table, its field table, and a version
  if (bytes.size() < kSmallest) return damaged;
  // Tables are read in place.
  if (reinterpret_cast<uintptr_t>(bytes.data()) % alignof(std::max_align_t) != 0) {
    return ImportTflite(std::string(bytes), folder, options);
  }
  flatbuffers::Verifier::Options limits;
  limits.max_tables = kMaxTableCount;
  flatbuffers::Verifier verifier(reinterpret_cast<const uint8_t*>(bytes.data()), std::min(bytes.size(), kMaxTables),
                                 limits);
  if (!tflite::VerifyModelBuffer(verifier)) return damaged;
  return ImportModelTables(*tflite::GetModel(bytes.data()), bytes, verifier, folder, options);
}

}  // namespace quantgate
