#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/soundness/rules.h"
#include "rules/soundness/tflite.h"

namespace quantgate {
namespace {

constexpr RuleInfo kStoredVariable = {
    "FI027",
    "stored-variable",
    v1::Finding::UNSOUND,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject}: {observed}; expected {allowed}",
    "A variable is state that the runtime makes, clears and keeps between calls. LiteRT loads no model in which one "
    "has data in the file, too.",
    "Clear is_variable of a constant, or the buffer of a variable.",
    "A weight with is_variable set fires it; a state of an LSTM without a buffer does not.",
};

void CheckStoredVariable(const CheckContext& context, FindingSink& sink) {
  if (!IsTflite(context)) return;
  const Graph& graph = context.graph();
  for (const Graph::ConstantRecord& constant : graph.constants()) {
    if (!graph.value(constant.value).foreign()) continue;
    sink.Add(kStoredVariable, PlaceOfValue(graph, constant.value), "is a variable with data in the file",
             "a constant, or a variable without data");
  }
}

}  // namespace

Rule StoredVariable() { return {&kStoredVariable, &CheckStoredVariable}; }

}  // namespace quantgate
