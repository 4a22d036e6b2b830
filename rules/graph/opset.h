// The operator sets that a model imports.
#ifndef QUANTGATE_RULES_GRAPH_OPSET_H_
#define QUANTGATE_RULES_GRAPH_OPSET_H_

#include "absl/strings/string_view.h"
#include "quantgate/v1/graph.pb.h"

namespace quantgate {

// ONNX has two names for its default domain, "" and "ai.onnx".
inline bool IsDefaultDomain(absl::string_view domain) { return domain.empty() || domain == "ai.onnx"; }

// The first import of the domain, "" for the default one; null: none.
inline const v1::OpsetImport* ImportOf(const v1::Graph& model, absl::string_view domain) {
  for (const v1::OpsetImport& import : model.opset_imports()) {
    if (domain.empty() ? IsDefaultDomain(import.domain()) : import.domain() == domain) return &import;
  }
  return nullptr;
}

}  // namespace quantgate

#endif  // QUANTGATE_RULES_GRAPH_OPSET_H_
