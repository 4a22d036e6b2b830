#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/engine/nearest.h"
#include "rules/soundness/encodings.h"
#include "rules/soundness/rules.h"

namespace quantgate {
namespace {

constexpr RuleInfo kUnmatchedEncoding = {
    "GS015",
    "unmatched-encoding",
    v1::Finding::ADVICE,
    v1::Finding::WARNING,
    kAtAnyStage,
    "{subject}: {observed}; expected {allowed}",
    "Encodings meet their model by the names of tensors. Converters pass over a name that the model does not have, or "
    "one in the section for the other kind of tensor, without a word, and quantize that tensor by their own "
    "calibration.",
    "Export model and encodings together; write activations under activation_encodings and weights under "
    "param_encodings.",
    "An encoding for 'conv1.wieght' fires it, and so does an activation under param_encodings; one for a tensor of the "
    "model, in the section for its kind, does not.",
};

// Comparing every unknown name with every known one is for a few of them.
constexpr int kMaxSuggestions = 16;
constexpr int kMaxNames = 10'000;

std::vector<std::string> NamesOf(const Graph& graph) {
  std::vector<std::string> names;
  if (graph.num_values() > kMaxNames) return names;
  for (int32_t value = 0; value < graph.num_values(); ++value) {
    if (!graph.value(value).foreign() && !graph.value(value).name().empty()) names.push_back(graph.value(value).name());
  }
  return names;
}

// Somebody computes with the constant as with a weight or a bias. Tables that are only looked up are activations, for
// AIMET.
bool IsParameter(const Graph& graph, int32_t value) {
  if (!graph.is_constant(value)) return false;
  for (const Use& use : graph.uses(value)) {
    const Binding* binding = graph.binding(use.node);
    if (binding == nullptr) continue;
    const Argument argument = ArgumentAt(*binding, graph.argument(use.node, use.input));
    if (argument.role != ArgRole::kData) continue;
    const PortRole role = binding->op->inputs[argument.port].role;
    if (role == PortRole::kWeight || role == PortRole::kBias) return true;
    // The constant of a matrix product.
    if ((binding->op->traits & kAccumulates) != 0 && argument.port > 0) return true;
  }
  return false;
}

void CheckUnmatchedEncoding(const CheckContext& context, FindingSink& sink) {
  const v1::EncodingsFile* file = EncodingsOf(context);
  if (file == nullptr) return;
  const Graph& graph = context.graph();
  if (file->alone()) {
    sink.NotChecked(&kUnmatchedEncoding, -1,
                    "names, shapes and axes are the model's: check the model, with this file as --encodings");
    return;
  }
  std::vector<std::string> names;
  int suggested = 0;
  for (const v1::Encoding& encoding : file->encodings()) {
    const int32_t value = encoding.value() - 1;
    if (value < 0) continue;
    const std::string place = AtPlace(encoding.line(), encoding.column());
    if (graph.value(value).foreign()) {
      if (suggested == 0) names = NamesOf(graph);
      const std::string near =
          suggested++ < kMaxSuggestions ? DidYouMean(graph.value(value).name(), names) : std::string();
      sink.Add(kUnmatchedEncoding, PlaceOf(graph, encoding),
               absl::StrCat("an encoding", place, " for a tensor that the model does not have", near),
               "names of the model's tensors");
    } else if (encoding.section() == v1::Encoding::SECTION_PARAMETERS && !graph.is_static(value)) {
      sink.Add(kUnmatchedEncoding, PlaceOf(graph, encoding),
               absl::StrCat("an activation with its encoding under param_encodings", place), "activation_encodings");
    } else if (encoding.section() == v1::Encoding::SECTION_ACTIVATIONS && IsParameter(graph, value)) {
      sink.Add(kUnmatchedEncoding, PlaceOf(graph, encoding),
               absl::StrCat("a parameter with its encoding under activation_encodings", place), "param_encodings");
    }
  }
}

}  // namespace

Rule UnmatchedEncoding() { return {&kUnmatchedEncoding, &CheckUnmatchedEncoding}; }

}  // namespace quantgate
