#include <algorithm>

#include "absl/strings/str_cat.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/graph/quantizer.h"
#include "rules/soundness/rules.h"

namespace quantgate {
namespace {

constexpr RuleInfo kInfo = {
    "FI013",
    "declared-size",
    v1::Finding::UNSOUND,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject}: {observed}; expected {allowed}",
    "A size says how much memory a tensor takes. One below 0 (other than the -1 that stands for an unknown one), or "
    "sizes whose product no machine can count, lead to allocations of any length.",
    "Declare the size, or leave it unknown.",
    "A graph input of shape [-7, 3] fires it; [-1, 3] does not.",
};

// Quantize and Dequantize keep the shape; what is wrong with it is said of their input.
bool Repeats(const Graph& graph, int32_t value) {
  const int32_t producer = graph.producer(value);
  if (!IsQuantize(graph, producer) && !IsDequantize(graph, producer)) return false;
  const int32_t data = QuantizerInputsOf(graph, producer).data;
  return data >= 0 && std::equal(graph.value(value).dims().begin(), graph.value(value).dims().end(),
                                 graph.value(data).dims().begin(), graph.value(data).dims().end());
}

void Check(const CheckContext& context, FindingSink& sink) {
  const Graph& graph = context.graph();
  for (int32_t id = 0; id < graph.num_values(); ++id) {
    const v1::Value& value = graph.value(id);
    int64_t count = 1;
    int64_t smallest = 0;
    bool overflow = false;
    bool empty = false;
    for (int64_t size : value.dims()) {
      smallest = std::min(smallest, size);
      empty = empty || size == 0;
      if (size > 0) overflow = overflow || __builtin_mul_overflow(count, size, &count);
    }
    overflow = overflow && !empty;
    // Constants are tensor-size's.
    if ((smallest >= -1 && !overflow) || !value.has_shape() || value.has_constant() || Repeats(graph, id)) continue;
    Place place;
    place.value = id;
    if (smallest < -1) sink.Add(kInfo, place, absl::StrCat("size ", smallest), "0 or more, or -1 for any");
    if (overflow) sink.Add(kInfo, place, "more elements than 64 bits can count", "a shape that fits into memory");
  }
}

}  // namespace

Rule DeclaredSize() { return {&kInfo, &Check}; }

}  // namespace quantgate
