#include "rules/backends/onnxruntime/node.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "rules/graph/opset.h"

namespace quantgate::onnxruntime {
namespace {

constexpr absl::string_view kSeparator = "::";

void Fill(const Graph& graph, int32_t value, v1::DataType type, int argument, BackendTensor& tensor) {
  if (value < 0) return;
  tensor.present = true;
  tensor.type = {type, /*quantized=*/false};
  tensor.rank = graph.rank(value);
  tensor.is_static = graph.is_constant(value);
  tensor.value = value;
  tensor.argument = static_cast<int16_t>(std::min(argument, int{INT16_MAX}));
}

}  // namespace

absl::string_view DomainOf(absl::string_view op_type) {
  const size_t at = op_type.rfind(kSeparator);
  return at == absl::string_view::npos ? absl::string_view() : op_type.substr(0, at);
}

std::string TableName(absl::string_view op_type) {
  const absl::string_view domain = DomainOf(op_type);
  if (domain.empty()) return std::string(op_type);
  return absl::StrCat(domain, ".", op_type.substr(domain.size() + kSeparator.size()));
}

void Emit(const Graph& graph, const KernelCall& call, absl::string_view name, Emission& emission) {
  emission.Begin(name, call.node);
  for (size_t i = 0; i < call.inputs.size(); ++i) {
    BackendTensor& tensor = emission.AddInput();
    Fill(graph, call.inputs[i], call.types[i], call.places[i].input, tensor);
  }
  for (size_t i = 0; i < call.outputs.size(); ++i) {
    Fill(graph, call.outputs[i], call.output_types[i], static_cast<int>(i), emission.AddOutput());
  }
}

int OperatorSet(const v1::Graph& model, absl::string_view domain) {
  const v1::OpsetImport* import = ImportOf(model, domain);
  // The runtime adds its own where a model leaves it out.
  if (import == nullptr) return domain == "com.microsoft" ? 1 : 0;
  return import->version() >= 1 && import->version() <= INT16_MAX ? static_cast<int>(import->version()) : 0;
}

}  // namespace quantgate::onnxruntime
