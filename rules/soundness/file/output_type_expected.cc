#include <vector>

#include "absl/strings/str_cat.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/engine/render.h"
#include "rules/graph/data_type.h"
#include "rules/soundness/rules.h"
#include "rules/soundness/stored_writer.h"

namespace quantgate {
namespace {

constexpr RuleInfo kOutputTypeExpected = {
    "FI010",
    "output-type-expected",
    v1::Finding::PRECISION,
    v1::Finding::WARNING,
    kAtAnyStage,
    "{subject}: {observed}; expected {allowed}",
    "An integer operator's output has the type of its output zero point. A consumer whose zero point has another type "
    "reads the stored numbers as something else, or the model does not load.",
    "Give the output zero point and the consumers' zero points one type.",
    "QLinearConv with an int8 output zero point in front of QLinearAdd with a uint8 one fires it; uint8 in both does "
    "not.",
};

void CheckOutputTypeExpected(const CheckContext& context, FindingSink& sink) {
  const Graph& graph = context.graph();
  if (graph.integer_nodes().empty()) return;
  std::vector<bool> said(graph.num_nodes(), false);  // of writers
  for (int32_t node = 0; node < graph.num_nodes(); ++node) {
    for (int i = 0; i < graph.num_inputs(node); ++i) {
      const v1::DataType expected = ZeroPointTypeStated(graph, node, i);
      if (expected == v1::DATA_TYPE_UNSPECIFIED) continue;
      const int32_t writer = StoredWriter(graph, graph.input(node, i));
      if (writer < 0 || writer == node || said[writer]) continue;
      const v1::DataType written = WrittenType(graph, writer);
      if (written == v1::DATA_TYPE_UNSPECIFIED || written == expected) continue;
      said[writer] = true;
      Place place;
      place.node = writer;
      place.output = 0;
      place.value = graph.output(writer, 0);
      sink.Add(kOutputTypeExpected, place, absl::StrCat("is written as ", DataTypeName(written)),
               absl::StrCat(DataTypeName(expected), ", which node '", NodeName(graph, node), "' reads"));
    }
  }
}

}  // namespace

Rule OutputTypeExpected() { return {&kOutputTypeExpected, &CheckOutputTypeExpected}; }

}  // namespace quantgate
