#include "absl/strings/str_cat.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/engine/render.h"
#include "rules/graph/data_type.h"
#include "rules/graph/quantizer.h"
#include "rules/soundness/rules.h"

namespace quantgate {
namespace {

constexpr RuleInfo kDoubledQuantize = {
    "GS007",
    "doubled-quantize",
    v1::Finding::PRECISION,
    v1::Finding::WARNING,
    kAtAnyStage,
    "{subject}: {observed}; expected {allowed}",
    "A tensor that was just dequantized is quantized again to the same type: it is rounded twice, and fusion patterns "
    "that look for one pair do not match.",
    "Remove the second pair.",
    "Q, DQ, Q, DQ, all uint8, fires it; DQ from uint8 into Q to uint16 does not: that is a conversion of precision.",
};

void CheckDoubledQuantize(const CheckContext& context, FindingSink& sink) {
  const Graph& graph = context.graph();
  for (int32_t node : graph.quantizers()) {
    if (!IsQuantize(graph, node)) continue;
    const QuantizerInputs inputs = QuantizerInputsOf(graph, node);
    if (inputs.data < 0 || !IsDequantize(graph, graph.producer(inputs.data))) continue;
    const int32_t before = graph.producer(inputs.data);
    const v1::DataType from = context.resolved().quantizer(before)->type;
    const v1::DataType to = context.resolved().quantizer(node)->type;
    if (from != to) continue;
    Place place;
    place.node = node;
    place.value = inputs.data;
    sink.Add(kDoubledQuantize, place,
             absl::StrCat("quantizes to ", DataTypeName(to), " what '", NodeName(graph, before),
                          "' has just dequantized from ", DataTypeName(from)),
             "one pair for each tensor");
  }
}

}  // namespace

Rule DoubledQuantize() { return {&kDoubledQuantize, &CheckDoubledQuantize}; }

}  // namespace quantgate
