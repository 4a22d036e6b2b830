#include <vector>

#include "absl/strings/str_cat.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/engine/render.h"
#include "rules/soundness/rules.h"

namespace quantgate {
namespace {

constexpr RuleInfo kNodeOrder = {
    "GS003",
    "node-order",
    v1::Finding::UNSOUND,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject}: {observed}; expected {allowed}",
    "ONNX demands that nodes stand in topological order, LiteRT runs operators and PyTorch reads the nodes of an "
    "exported program in the order of the file. Runtimes that read nodes one after the other refuse the file.",
    "Sort the nodes topologically and save the file again.",
    "A DequantizeLinear that stands behind the Conv that reads it fires it; in front of it, it does not.",
};

void CheckNodeOrder(const CheckContext& context, FindingSink& sink) {
  const Graph& graph = context.graph();
  // A live torch.fx graph has an order of its own; that of a file (which has a version) is what is run.
  const bool file = graph.origin() == v1::Graph::ONNX || graph.origin() == v1::Graph::TFLITE ||
                    (graph.origin() == v1::Graph::PT2E && context.model().format_version() != 0);
  if (!file) return;
  std::vector<bool> cyclic(graph.num_nodes(), false);
  const absl::Span<const int32_t> order = graph.order();
  for (int32_t node : order.last(graph.num_cyclic())) cyclic[node] = true;
  // One finding for a node that stands too late, not one for each of its readers.
  for (int32_t node = 0; node < graph.num_nodes(); ++node) {
    bool reported = false;
    for (int i = 0; i < graph.num_outputs(node) && !reported; ++i) {
      const int32_t value = graph.output(node, i);
      if (value < 0 || graph.producer(value) != node) continue;
      for (const Use& use : graph.uses(value)) {
        // A circle has no order; it is another rule's finding.
        if (use.node >= node || (cyclic[node] && cyclic[use.node])) continue;
        Place place;
        place.node = node;
        place.output = i;
        place.value = value;
        sink.Add(kNodeOrder, place,
                 absl::StrCat("is node #", node, ", behind its reader '", NodeName(graph, use.node), "' (node #",
                              use.node, ")"),
                 "a place in front of its readers");
        reported = true;
        break;
      }
    }
  }
}

}  // namespace

Rule NodeOrder() { return {&kNodeOrder, &CheckNodeOrder}; }

}  // namespace quantgate
