#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/engine/render.h"
#include "rules/graph/data_type.h"
#include "rules/soundness/rules.h"

namespace quantgate {
namespace {

constexpr RuleInfo kStoredElement = {
    "FI017",
    "stored-element",
    v1::Finding::UNSOUND,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject}: stores {observed}; expected {allowed}",
    "Small integers are written into fields of 32 bits. A number there that the tensor's own type does not have is cut "
    "off by one loader and refused by another, so nobody can say which number is meant.",
    "Write the tensor again from the numbers it should have, or with the type that holds them.",
    "A uint8 initializer with 300 in int32_data fires it; one with 255 does not.",
};

// Statistics are doubles: wider integers have no exact range in them.
bool HasExactRange(v1::DataType type) { return IsInteger(type) && BitWidth(type) <= 32; }

void CheckStoredElement(const CheckContext& context, FindingSink& sink) {
  const Graph& graph = context.graph();
  const auto has_exact_range = [&graph](int32_t value) { return HasExactRange(graph.dtype(value)); };
  if (absl::c_none_of(graph.unlike_values(), has_exact_range)) return;
  for (const Graph::ConstantRecord& constant : graph.constants()) {
    const v1::DataType type = graph.dtype(constant.value);
    if (!HasExactRange(type)) continue;
    const v1::Constant& message = graph.value(constant.value).constant();
    if (!message.has_statistics() || message.statistics().count() == 0) continue;
    const v1::Statistics& statistics = message.statistics();
    const double low = static_cast<double>(MinOf(type));
    const double high = static_cast<double>(MaxOf(type));
    const bool below = statistics.min() < low;
    if (!below && statistics.max() <= high) continue;
    Place place;
    place.value = constant.value;
    place.index = below ? statistics.min_index() : statistics.max_index();
    sink.Add(kStoredElement, place,
             absl::StrCat(FormatNumber(below ? statistics.min() : statistics.max()), " as ", DataTypeName(type)),
             absl::StrCat(MinOf(type), " to ", MaxOf(type)));
  }
}

}  // namespace

Rule StoredElement() { return {&kStoredElement, &CheckStoredElement}; }

}  // namespace quantgate
