#include <algorithm>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/graph/observers.h"
#include "rules/soundness/annotated.h"
#include "rules/soundness/rules.h"

namespace quantgate {
namespace {

constexpr RuleInfo kConcatObserver = {
    "QS007",
    "concat-observer",
    v1::Finding::UNSOUND,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject}: {observed}; expected {allowed}",
    "ExecuTorch's ConcatObserver takes the first reader of each input of its cat, the cat aside, for that input's "
    "observer. Where another reader is not quantized, or the graph returns the input, that is what it finds, and the "
    "first batch of calibration raises \"AttributeError: 'GraphModule' object has no attribute\" with the reader's "
    "name.",
    "Leave that cat out (add_discard_ops([torch.ops.aten.cat.default])), or quantize what else reads its inputs.",
    "cat([x, silu(softplus(x))]) under QnnQuantizer, which does not know softplus, fires it; with relu in its place it "
    "does not.",
};

bool IsConcatObserver(absl::string_view observer) { return ParseObserver(observer).observer == "ConcatObserver"; }

// prepare_pt2e goes through the nodes in order and writes the arguments of each that is annotated anew, and those of
// all readers of an output that it observes; torch.fx then has the node last among the readers of all that it reads.
class Readers {
 public:
  explicit Readers(const Graph& graph) : graph_(graph), last_written_(graph.num_nodes(), kNotAsked) {
    for (const int32_t id : graph.message().outputs()) output_ = std::max(output_, ObservedAt(id - 1));
  }

  // What ConcatObserver of `cat` takes for the observer of the input; "": an observer. Behind an observer of its own
  // all read that.
  std::string TakenFor(int32_t value, int32_t cat) {
    if (graph_.is_observed(graph_.value_spec(value))) return "";
    int32_t observed_at = graph_.num_nodes();
    for (const Use& use : graph_.uses(value)) {
      if (graph_.is_observed(graph_.edge_spec(use.node, use.input))) observed_at = std::min(observed_at, use.node);
    }
    for (const Use& use : graph_.uses(value)) {
      if (use.node == cat || graph_.is_observed(graph_.edge_spec(use.node, use.input))) continue;
      if (LastWritten(use.node) < observed_at) {
        return absl::StrCat("'", graph_.node_name(use.node), "', which is not quantized");
      }
    }
    return graph_.is_graph_output(value) && output_ < observed_at ? "the output of the graph" : "";
  }

 private:
  static constexpr int32_t kNotAsked = -2;

  // The node behind which the value's own observer is put; -1: none.
  int32_t ObservedAt(int32_t value) const {
    return value >= 0 && graph_.is_observed(graph_.value_spec(value)) ? graph_.producer(value) : -1;
  }

  // The node at whose turn the arguments of `node` are written for the last time; -1: never.
  int32_t LastWritten(int32_t node) {
    int32_t& last = last_written_[node];
    if (last != kNotAsked) return last;
    last = graph_.node(node).annotated() || !graph_.node(node).input_specs().empty() ? node : -1;
    for (int i = 0; i < graph_.num_inputs(node); ++i) last = std::max(last, ObservedAt(graph_.input(node, i)));
    return last;
  }

  const Graph& graph_;
  std::vector<int32_t> last_written_;  // by node
  int32_t output_ = -1;
};

void CheckConcatObserver(const CheckContext& context, FindingSink& sink) {
  if (context.stage() != v1::STAGE_ANNOTATED || !IsAnnotation(context)) return;
  const Graph& graph = context.graph();
  if (absl::c_none_of(graph.message().symbols(), IsConcatObserver)) return;
  Readers readers(graph);
  std::vector<bool> said(graph.num_values(), false);
  for (int32_t node = 0; node < graph.num_nodes(); ++node) {
    if (graph.op(node) != OpId::kConcat || graph.num_outputs(node) == 0 || graph.output(node, 0) < 0) continue;
    const int32_t spec = graph.value_spec(graph.output(node, 0));
    if (spec < 0 || !IsConcatObserver(graph.symbol(graph.message().specs(spec).observer()))) continue;
    for (int i = 0; i < graph.num_inputs(node); ++i) {
      const int32_t value = graph.input(node, i);
      if (value < 0 || said[value]) continue;
      said[value] = true;  // its readers are gone through once
      const std::string taken = readers.TakenFor(value, node);
      if (taken.empty()) continue;
      Place place;
      place.node = node;
      place.input = i;
      place.value = value;
      sink.Add(kConcatObserver, place, absl::StrCat("ConcatObserver takes ", taken, ", for its observer"),
               "readers that are all quantized");
    }
  }
}

}  // namespace

Rule ConcatObserver() { return {&kConcatObserver, &CheckConcatObserver}; }

}  // namespace quantgate
