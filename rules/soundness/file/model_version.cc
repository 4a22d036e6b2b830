#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/graph/opset.h"
#include "rules/operators/definition.h"
#include "rules/soundness/rules.h"

namespace quantgate {
namespace {

// Newest version that the ONNX project has published.
constexpr int64_t kNewestIr = 14;
// Later additions to the schema of LiteRT (3a to 3d) kept the number.
constexpr int64_t kTfliteVersion = 3;

constexpr RuleInfo kModelVersion = {
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

// Whether an operator, as Node.op names it, is of that domain.
bool IsOf(absl::string_view op_type, absl::string_view domain) {
  return domain.empty() ? !op_type.empty() && !absl::StrContains(op_type, "::")
                        : absl::StartsWith(op_type, absl::StrCat(domain, "::"));
}

// Operators of a domain that the model does not import, in bodies of control flow too. Those of domains that no table
// has are unknown-operator's.
void CheckMissing(const CheckContext& context, FindingSink& sink) {
  const Graph& graph = context.graph();
  for (const absl::string_view domain : {"", "com.microsoft", "ai.onnx.ml"}) {
    if (ImportOf(context.model(), domain) != nullptr) continue;
    for (int32_t node : graph.unlike_nodes()) {
      if (!IsOf(graph.op_type(node), domain)) continue;
      FindingDraft draft;
      draft.rule = &kModelVersion;
      draft.place.node = node;
      draft.observed = absl::StrCat("no opset import for the ", domain.empty() ? "default domain" : "domain ", domain);
      draft.allowed = "one: its operators are used";
      // It has one version, and ONNX Runtime, whose operators they are and whose own tools leave it out, adds it.
      if (domain == "com.microsoft") {
        draft.effect = v1::Finding::ADVICE;
        draft.severity = v1::Finding::WARNING;
      }
      sink.Add(std::move(draft));
      break;
    }
  }
}

void CheckModelVersion(const CheckContext& context, FindingSink& sink) {
  const v1::Graph& message = context.graph().message();
  const bool main = !context.is_body();
  if (main && message.origin() == v1::Graph::TFLITE && message.format_version() != kTfliteVersion) {
    sink.Add(kModelVersion, {}, absl::StrCat("schema version ", message.format_version()),
             absl::StrCat(kTfliteVersion));
  }
  // Of a model that is not there nothing is known.
  if (message.origin() != v1::Graph::ONNX || context.model().encodings_file().alone()) return;
  // Of a file that states no version at all that is said instead.
  if (context.model().format_version() != 0) CheckMissing(context, sink);
  // Bodies of control flow have no versions of their own.
  if (!main) return;
  if (message.format_version() < 1 || message.format_version() > kNewestIr) {
    sink.Add(kModelVersion, {}, absl::StrCat("ONNX IR version ", message.format_version()),
             absl::StrCat("1 to ", kNewestIr));
  }
  bool has_default = false;
  int64_t first = 0;
  for (const v1::OpsetImport& import : message.opset_imports()) {
    if (import.version() < 1 && IsPublished(import.domain())) {
      sink.Add(kModelVersion, {}, absl::StrCat("opset ", import.version(), " of the domain ", import.domain()),
               "1 or more");
    }
    if (!IsDefaultDomain(import.domain())) continue;
    if (has_default && import.version() != first) {
      sink.Add(kModelVersion, {},
               absl::StrCat("opset ", first, " of the default domain, and again opset ", import.version()),
               "one of them: tools take either");
    }
    if (!has_default) first = import.version();
    has_default = true;
    if (import.version() < 1 || import.version() > kNewestOpset) {
      sink.Add(kModelVersion, {}, absl::StrCat("opset ", import.version(), " of the default domain"),
               absl::StrCat("1 to ", kNewestOpset));
    }
  }
}

}  // namespace

Rule ModelVersion() { return {&kModelVersion, &CheckModelVersion}; }

}  // namespace quantgate
