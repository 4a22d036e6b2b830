#include "absl/strings/str_cat.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/soundness/rules.h"
#include "rules/values/lost_writes.h"

namespace quantgate {
namespace {

constexpr RuleInfo kLostAssignment = {
    "GS017",
    "lost-assignment",
    v1::Finding::WRONG_NUMBERS,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject}: {observed}; expected {allowed}",
    "An exported program assigns to a part of a tensor by an operator that writes into a view of it. Where the tensor "
    "or the view is quantized, convert_pt2e puts a Quantize and a Dequantize there, and what comes out of them is "
    "another tensor: the assignment goes to that one, and whoever reads the first tensor, or the next call of one that "
    "keeps a buffer, never sees it. Nothing fails.",
    "Say it without writing in place: torch.cat of slices, torch.where with a mask, or torch.select_scatter and "
    "torch.slice_scatter; or annotate neither the tensor nor its views.",
    "y = x * 2; y[:, 0] = z; return y fires it where y is quantized: copy_ writes into select(y), and y is returned. "
    "The same with y left float, or y.add_(1), whose result is what is read later, does not.",
};

void CheckLostAssignment(const CheckContext& context, FindingSink& sink) {
  const Graph& graph = context.graph();
  for (const auto& [node, value] : context.Once(LostWritesOf).tensors()) {
    Place place;
    place.node = node;
    place.input = 0;
    place.value = graph.input(node, 0);
    sink.Add(kLostAssignment, place,
             absl::StrCat("what it writes never reaches '", graph.value(value).name(),
                          "', which is read later: quantization puts a copy in between"),
             "an assignment that later readers see");
  }
}

}  // namespace

Rule LostAssignment() { return {&kLostAssignment, &CheckLostAssignment}; }

}  // namespace quantgate
