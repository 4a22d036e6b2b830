#include "absl/strings/str_cat.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/engine/render.h"
#include "rules/graph/data_type.h"
#include "rules/soundness/rules.h"
#include "rules/soundness/tflite.h"

namespace quantgate {
namespace {

constexpr RuleInfo kScaledFloat = {
    "FI020",
    "scaled-float",
    v1::Finding::ADVICE,
    v1::Finding::INFO,
    kAtAnyStage,
    "{subject}: {observed}; expected {allowed}",
    "Runtimes ignore the scale of a tensor of floats. Where it was left behind by a tool that does no harm; where the "
    "tensor was meant to be quantized, it is not.",
    "Remove the parameters, or convert the model again if the tensor should be quantized.",
    "A float32 graph input with a scale fires it; an int8 one does not.",
};

void CheckScaledFloat(const CheckContext& context, FindingSink& sink) {
  if (!IsTflite(context)) return;
  const Graph& graph = context.graph();
  for (int32_t value = 0; value < graph.num_values(); ++value) {
    if (graph.value_spec(value) < 0 || !IsFloat(graph.dtype(value))) continue;
    const v1::QParams& qparams = graph.message().specs(graph.value_spec(value)).qparams();
    if (qparams.scales().empty()) continue;
    sink.Add(kScaledFloat, PlaceOfValue(graph, value),
             absl::StrCat(DataTypeName(graph.dtype(value)), " with scale ", FormatNumber(qparams.scales(0))),
             "a quantized type, or no scale");
  }
}

}  // namespace

Rule ScaledFloat() { return {&kScaledFloat, &CheckScaledFloat}; }

}  // namespace quantgate
