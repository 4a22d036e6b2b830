#include "rules/onnx/defined.h"

#include "absl/strings/match.h"
#include "rules/graph/opset.h"

namespace quantgate {

int64_t OnnxOpset(const v1::Graph& model) {
  if (model.origin() != v1::Graph::ONNX) return 0;
  const v1::OpsetImport* import = ImportOf(model, "");
  return import != nullptr && import->version() >= 1 && import->version() <= kNewestOpset ? import->version() : 0;
}

v1::DataType FixedType(char letter) {
  switch (letter) {
    case 'i':
      return v1::DATA_TYPE_INT64;
    case 'f':
      return v1::DATA_TYPE_FLOAT32;
    case 'b':
      return v1::DATA_TYPE_BOOL;
    default:
      return v1::DATA_TYPE_UNSPECIFIED;
  }
}

std::vector<DefinedOp> DefinedOps(const CheckContext& context) {
  const v1::Graph& message = context.graph().message();
  if (message.origin() != v1::Graph::ONNX) return {};
  const int64_t opset = OnnxOpset(context.model());
  std::vector<DefinedOp> ops(message.symbols_size() + 1);
  for (int i = 1; i <= message.symbols_size(); ++i) {
    const absl::string_view name = context.graph().symbol(i);
    DefinedOp& op = ops[i];
    op.rows = DefinitionsOf(name);
    // com.microsoft has had one version only.
    op.version = absl::StrContains(name, "::") ? 1 : opset;
    if (op.version > 0) op.current = DefinitionAt(op.rows, op.version);
  }
  return ops;
}

}  // namespace quantgate
