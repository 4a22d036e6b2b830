#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/soundness/annotated.h"
#include "rules/soundness/rules.h"

namespace quantgate {
namespace {

constexpr RuleInfo kAskedBlockSize = {
    "AX007",
    "asked-block-size",
    v1::Finding::WRONG_NUMBERS,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject}: {observed}; expected {allowed}",
    "The quantizer was asked for one block size and wrote another. ExecuTorch 1.5.1 keeps one config per channel axis "
    "and changes it for every node of the block size map, so the last size is written to all of them: too large, it "
    "does not fit the weight and calibration raises; too small, the weight has more scales than anybody asked for.",
    "Ask for one block size per channel axis, or set block_size in the observer of each weight's spec.",
    "conv2d asked for [1, 32, 1, 1] with a spec of [1, 8, 1, 1] fires it; with [1, 32, 1, 1] it does not.",
};

bool HasBlocks(const v1::Spec& spec) { return !spec.block_size().empty(); }

void CheckAskedBlockSize(const CheckContext& context, FindingSink& sink) {
  const Graph& graph = context.graph();
  ForEachAnnotated(context, HasBlocks, [&](const AnnotatedPlace& at) {
    if (at.place.input < 0) return;
    const auto& asked = graph.node(at.place.node).asked_block_size();
    const auto& written = graph.message().specs(at.spec).block_size();
    if (asked.empty() || std::equal(asked.begin(), asked.end(), written.begin(), written.end())) return;
    sink.Add(kAskedBlockSize, at.place, absl::StrCat("its spec has blocks of [", absl::StrJoin(written, ", "), "]"),
             absl::StrCat("[", absl::StrJoin(asked, ", "), "], as the quantizer was asked"));
  });
}

}  // namespace

Rule AskedBlockSize() { return {&kAskedBlockSize, &CheckAskedBlockSize}; }

}  // namespace quantgate
