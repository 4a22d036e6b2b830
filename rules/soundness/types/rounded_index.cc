#include <algorithm>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/engine/render.h"
#include "rules/graph/data_type.h"
#include "rules/soundness/rules.h"
#include "rules/soundness/types/integer_uses.h"

namespace quantgate {
namespace {

constexpr RuleInfo kRoundedIndex = {
    "DT007",
    "rounded-index",
    v1::Finding::PRECISION,
    v1::Finding::WARNING,
    kAtAnyStage,
    "{subject}: {observed}; expected {allowed}",
    "What is computed from integers and cast to one again is exact in float. Quantized on the way it is rounded to a "
    "step of the tensor, and the cast cuts off the rest: 2.99 becomes index 2, and another row is read. Quantizers "
    "annotate such arithmetic as any other (the buckets of relative positions in T5 and MPNet).",
    "Keep the arithmetic of indices out of the annotation, or compute it in integers.",
    "embedding of (i * 0.5).to(int64), i an int64 input, whose product is quantized fires it; not annotated it does "
    "not, nor do floats that are cast and are no index.",
};

// What is known of a value of floats.
struct Made {
  enum From { kAnything, kConstants, kIntegers } from = kAnything;  // kIntegers: and constants beside them
  int32_t quantized_at = -1;  // the first node on the way whose result is quantized, or which reads it so
};

class Floats {
 public:
  explicit Floats(const CheckContext& context)
      : context_(context), graph_(context.graph()), made_(graph_.num_values()) {
    for (const ResolvedOp& op : context.resolved().ops()) {
      const Made made = Read(op);
      for (const Operand& output : context.resolved().outputs(op)) {
        if (output.value < 0) continue;
        made_[output.value] = made;
        if (made.quantized_at < 0 && output.quantized) made_[output.value].quantized_at = op.node;
      }
    }
  }

  // What the node computes from.
  Made Read(const ResolvedOp& op) const {
    Made made{Made::kConstants};
    for (const Operand& input : context_.resolved().inputs(op)) {
      if (input.value < 0) continue;
      if (IsInteger(graph_.dtype(input.value))) {
        made.from = Made::kIntegers;
        continue;
      }
      if (graph_.is_constant(input.value)) continue;
      const Made& before = made_[input.value];
      if (before.from == Made::kAnything) return {};
      made.from = std::max(made.from, before.from);
      if (made.quantized_at < 0) made.quantized_at = before.quantized_at;
      if (made.quantized_at < 0 && input.quantized) made.quantized_at = op.node;
    }
    return made;
  }

 private:
  const CheckContext& context_;
  const Graph& graph_;
  std::vector<Made> made_;
};

void CheckRoundedIndex(const CheckContext& context, FindingSink& sink) {
  const Graph& graph = context.graph();
  if (graph.origin() != v1::Graph::PT2E) return;
  const auto is_cast = [&graph](int32_t node) { return IsCast(graph.op(node)); };
  const auto casts_to_integers = [&](int32_t node) {
    return is_cast(node) && graph.num_inputs(node) > 0 && graph.num_outputs(node) > 0 && graph.input(node, 0) >= 0 &&
           graph.output(node, 0) >= 0 && IsFloat(graph.dtype(graph.input(node, 0))) &&
           IsInteger(graph.dtype(graph.output(node, 0)));
  };
  // Of casts that are alike one may be of an index: any of them is reason enough to look.
  if (absl::c_none_of(graph.unlike_nodes(), is_cast)) return;
  if (absl::c_none_of(graph.order(), casts_to_integers)) return;
  const std::vector<bool> must_be_integers = MustBeIntegers(graph, IntegerCasts::kPassOn);
  const Floats floats(context);
  for (const ResolvedOp& op : context.resolved().ops()) {
    if (!casts_to_integers(op.node) || !must_be_integers[graph.output(op.node, 0)]) continue;
    const Made made = floats.Read(op);
    if (made.from != Made::kIntegers || made.quantized_at < 0) continue;
    Place place;
    place.node = op.node;
    place.input = 0;
    place.value = graph.input(op.node, 0);
    const std::string where =
        made.quantized_at == op.node ? "" : absl::StrCat(" (at '", NodeName(graph, made.quantized_at), "')");
    sink.Add(kRoundedIndex, place,
             absl::StrCat("is computed from integers, quantized on the way", where, ", and cast to an index"),
             "arithmetic of indices that is not quantized");
  }
}

}  // namespace

Rule RoundedIndex() { return {&kRoundedIndex, &CheckRoundedIndex}; }

}  // namespace quantgate
