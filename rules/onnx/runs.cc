#include "rules/onnx/runs.h"

#include <algorithm>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "rules/graph/elements.h"
#include "rules/graph/known_numbers.h"
#include "rules/onnx/infer.h"

namespace quantgate {
namespace {

// An argument of one element of the node that has the body, which bodies around it may have taken from further out.
absl::optional<int64_t> ArgumentOf(const BodyPlace& place, int argument) {
  const CheckContext* context = place.around;
  if (argument >= context->graph().num_inputs(place.node)) return absl::nullopt;
  int32_t value = context->graph().input(place.node, argument);
  while (value >= 0 && context->graph().value(value).captured() > 0) {
    value = context->graph().value(value).captured() - 1;
    context = context->around();
    if (context == nullptr) return absl::nullopt;
  }
  if (value < 0) return absl::nullopt;
  const Graph& graph = context->graph();
  if (graph.is_constant(value)) {
    const IntegerView stored = IntegersOf(graph.value(value));
    return stored.size() == 1 && !graph.is_graph_input(value) ? absl::optional<int64_t>(stored[0]) : absl::nullopt;
  }
  const auto computed = WholeOrNone(context->Once(InferShapes).numbers.of(value));
  return computed && computed->size() == 1 ? absl::optional<int64_t>((*computed)[0]) : absl::nullopt;
}

Runs RunsAt(const BodyPlace& place) {
  const absl::string_view op_type = place.around->graph().op_type(place.node);
  if (op_type == "If") {
    const absl::optional<int64_t> condition = ArgumentOf(place, 0);
    if (!condition) return Runs::kPerhaps;
    return (*condition != 0) == (place.attribute == "then_branch") ? Runs::kAlways : Runs::kNever;
  }
  if (op_type == "Loop") {
    const bool none = ArgumentOf(place, 0).value_or(1) <= 0 || ArgumentOf(place, 1).value_or(1) == 0;
    return none ? Runs::kNever : Runs::kAlways;
  }
  return Runs::kAlways;
}

}  // namespace

Runs RunsOf(const CheckContext& context) {
  Runs runs = Runs::kAlways;
  for (const CheckContext* body = &context; body->around() != nullptr; body = body->around()) {
    if (body->place()->node >= 0) runs = std::max(runs, RunsAt(*body->place()));
  }
  return runs;
}

}  // namespace quantgate
