#include "rules/backends/xnnpack/shared_filter.h"

#include <cstdint>
#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "rules/backends/pattern.h"
#include "rules/backends/table_target.h"
#include "rules/backends/xnnpack/gemm.h"

namespace quantgate::xnnpack {

const RuleInfo kSharedFilter = {
    "GS604",
    "shared-filter",
    v1::Finding::REFUSED,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject} has {observed}; needed is {allowed}.",
    "XNNPACK has no convolution in one dimension. ExecuTorch makes one of two dimensions of it and gives the stored "
    "filter a dimension more (Conv1dUnsqueezePass); a second convolution in the same delegate then has a filter of "
    "another rank, and the export ends.",
    "Give each use a filter of its own (copy the module or the parameter), or write it as a Conv2d.",
    "Fires: one Conv1d called twice. Does not: one Conv2d called twice, or two Conv1d.",
};

namespace {

constexpr int kFilterRank = 3;

// Its stored filter, where it is a convolution in one dimension; -1: it is none.
int32_t FilterOf(const CheckContext& context, const ResolvedOp& op) {
  const OpId id = context.graph().op(op.node);
  if (id != OpId::kConv && id != OpId::kConvTranspose) return -1;
  const Operand* weight = context.resolved().input(op, 1);
  if (weight == nullptr || weight->edge_value < 0) return -1;
  const int32_t filter = StoredValue(context.graph(), AsRead(context, *weight));
  if (filter < 0 || !context.graph().is_constant(filter)) return -1;
  return context.graph().value(filter).dims_size() == kFilterRank ? filter : -1;
}

// Something else than convolutions reads it, if by way of a Dequantize: what that makes of another rank is not
// followed.
bool IsReadOtherwise(const Graph& graph, int32_t filter) {
  return absl::c_any_of(graph.uses(filter), [&](const Use& use) {
    return !IsGemm(graph.op(use.node)) && graph.op(use.node) != OpId::kDequantize;
  });
}

}  // namespace

void CheckSharedFilter(const CheckContext& context, const Delegates& delegates, const Target& target, FindingSink& sink,
                       ModuleResult& result) {
  absl::flat_hash_map<int32_t, int32_t> first_reader;
  for (size_t i = 0; i < result.ops.size(); ++i) {
    const ResolvedOp& op = context.resolved().ops()[i];
    const int32_t filter = delegates.takes(op.node) ? FilterOf(context, op) : -1;
    if (filter < 0) continue;
    const auto [entry, is_first] = first_reader.try_emplace(filter, op.node);
    if (is_first && IsReadOtherwise(context.graph(), filter)) {
      sink.NotChecked(&kSharedFilter, op.node, "what is no convolution reads the same filter");
    }
    if (is_first) continue;
    const absl::string_view first = context.graph().node_name(entry->second);
    if (!delegates.together(entry->second, op.node)) {
      sink.NotChecked(
          &kSharedFilter, op.node,
          absl::StrCat("whether it comes to one delegate with '", first, "', which has the same filter, is not known"));
      continue;
    }
    FindingSource source = FromTable(target, v1::Source::MEASURED, result.ops[i].backend_ops.front(),
                                     "ExecuTorch 1.5.1, models with one filter for two convolutions, lowered");
    Place place;
    place.node = op.node;
    const Operand& weight = *context.resolved().input(op, 1);
    place.input = weight.argument;
    place.value = weight.edge_value;
    sink.Add(kSharedFilter, place, absl::StrCat("the filter of '", first, "'"), "a filter of its own",
             std::move(source));
    result.ops[i].ends_export = true;
  }
}

}  // namespace quantgate::xnnpack
