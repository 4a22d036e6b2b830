#include "absl/strings/str_cat.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/graph/qscheme.h"
#include "rules/soundness/annotated.h"
#include "rules/soundness/rules.h"

namespace quantgate {
namespace {

constexpr RuleInfo kChannelRank = {
    "AX005",
    "channel-rank",
    v1::Finding::UNSOUND,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject}: {observed}; expected {allowed}",
    "A scale per channel is a scale over the other dimensions, and a vector has none: observers of channel "
    "ranges flatten behind the channel axis and raise an IndexError at the first batch. Annotators do this when "
    "they take the first constant that they meet, a bias or a norm's weight, for the weight.",
    "Give vectors a per-tensor spec, and a bias one that is derived, or none.",
    "A per-channel spec on the bias [16] of layer_norm fires it; on a weight [16, 8], or derived for a bias, it "
    "does not.",
};

// Whose numbers are known has not met the observer, or has survived it.
bool ObservesChannels(const v1::Spec& spec) {
  return spec.kind() == v1::Spec::PLAIN && IsPerChannel(spec.qscheme()) && spec.qparams().scales().empty();
}

void CheckChannelRank(const CheckContext& context, FindingSink& sink) {
  const Graph& graph = context.graph();
  const auto is_vector = [&graph](int32_t value) { return graph.rank(value) == 0 || graph.rank(value) == 1; };
  ForEachAnnotated(context, is_vector, ObservesChannels, [&](const AnnotatedPlace& at) {
    sink.Add(kChannelRank, at.place, absl::StrCat("has rank ", graph.rank(at.value), " and a per-channel spec"),
             "a per-channel spec on rank 2 and more");
  });
}

}  // namespace

Rule ChannelRank() { return {&kChannelRank, &CheckChannelRank}; }

}  // namespace quantgate
