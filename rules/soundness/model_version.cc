#include <string>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/operators/definition.h"
#include "rules/soundness/rules.h"

namespace quantgate {
namespace {

// Newest version that the ONNX project has published.
constexpr int64_t kNewestIr = 14;
// Later additions to the schema of LiteRT (3a to 3d) kept the number.
constexpr int64_t kTfliteVersion = 3;

constexpr RuleInfo kInfo = {
    "FI003",
    "model-version",
    v1::Finding::UNSOUND,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject}: {observed}; expected {allowed}",
    "The versions in a model say what its fields and operators mean. A missing or unknown version leaves every other "
    "statement of the file without a meaning, and tools guess differently.",
    "Export the model again, or set the version that its operators were written for.",
    "An ONNX file with opset 999 for the default domain fires it; opset 21 does not.",
};

// Domains whose operator sets begin at 1. Others' versions are their owners' affair.
bool IsPublished(absl::string_view domain) { return domain == "com.microsoft" || domain == "ai.onnx.ml"; }

// Operators of a domain that the model does not import. Those of domains that no table has are unknown-operator's.
void CheckMissing(const Graph& graph, const v1::Graph& message, FindingSink& sink) {
  for (const absl::string_view domain : {"com.microsoft", "ai.onnx.ml"}) {
    const auto imported = [domain](const v1::OpsetImport& import) { return import.domain() == domain; };
    if (absl::c_any_of(message.opset_imports(), imported)) continue;
    for (int32_t node = 0; node < graph.num_nodes(); ++node) {
      if (!absl::StartsWith(graph.op_type(node), absl::StrCat(domain, "::"))) continue;
      Place place;
      place.node = node;
      sink.Add(kInfo, place, absl::StrCat("no opset import for the domain ", domain), "one: its operators are used");
      break;
    }
  }
}

void Check(const CheckContext& context, FindingSink& sink) {
  const v1::Graph& message = context.graph().message();
  // Bodies of control flow have no versions of their own.
  if (&message != &context.model()) return;
  if (message.origin() == v1::Graph::TFLITE && message.format_version() != kTfliteVersion) {
    sink.Add(kInfo, {}, absl::StrCat("schema version ", message.format_version()), absl::StrCat(kTfliteVersion));
  }
  // Of a model that is not there nothing is known.
  if (message.origin() != v1::Graph::ONNX || message.encodings_file().alone()) return;
  if (message.format_version() < 1 || message.format_version() > kNewestIr) {
    sink.Add(kInfo, {}, absl::StrCat("ONNX IR version ", message.format_version()), absl::StrCat("1 to ", kNewestIr));
  }
  bool has_default = false;
  int64_t first = 0;
  for (const v1::OpsetImport& import : message.opset_imports()) {
    if (import.version() < 1 && IsPublished(import.domain())) {
      sink.Add(kInfo, {}, absl::StrCat("opset ", import.version(), " of the domain ", import.domain()), "1 or more");
    }
    if (!import.domain().empty() && import.domain() != "ai.onnx") continue;
    if (has_default && import.version() != first) {
      sink.Add(kInfo, {}, absl::StrCat("opset ", first, " of the default domain, and again opset ", import.version()),
               "one of them: tools take either");
    }
    if (!has_default) first = import.version();
    has_default = true;
    if (import.version() < 1 || import.version() > kNewestOpset) {
      sink.Add(kInfo, {}, absl::StrCat("opset ", import.version(), " of the default domain"),
               absl::StrCat("1 to ", kNewestOpset));
    }
  }
  if (!has_default && message.format_version() != 0) {
    sink.Add(kInfo, {}, "no opset import for the default domain", absl::StrCat("an opset from 1 to ", kNewestOpset));
  }
  CheckMissing(context.graph(), message, sink);
}

}  // namespace

Rule ModelVersion() { return {&kInfo, &Check}; }

}  // namespace quantgate
