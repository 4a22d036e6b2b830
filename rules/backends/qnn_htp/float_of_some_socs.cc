#include "rules/backends/qnn_htp/float_of_some_socs.h"

#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "rules/backends/table_judge.h"
#include "rules/backends/table_target.h"
#include "rules/constraints/rules.h"

namespace quantgate::qnn_htp {
namespace {

constexpr size_t kShown = 3;

std::string Names(const std::vector<std::string>& socs) {
  const size_t shown = std::min(socs.size(), kShown);
  std::string text = absl::StrJoin(socs.begin(), socs.begin() + static_cast<std::ptrdiff_t>(shown), ", ");
  if (shown < socs.size()) absl::StrAppend(&text, " and ", socs.size() - shown, " more");
  return text;
}

}  // namespace

const RuleInfo kFloatOfSomeSocs = {
    "DT107",
    "float-of-some-socs",
    v1::Finding::ADVICE,
    v1::Finding::INFO,
    kAtAnyStage,
    "{subject} computes {observed}; the backend takes {allowed}.",
    "The target is an architecture. Its SoCs have the same kernels, but the HTP of some has no floating point, and its "
    "library refuses float operators there. Said once, of the first such operator.",
    "Name the SoC in the target, or quantize what shall run on all of them.",
    "Fires: a FLOAT_32 Add for V73. Does not: the same for SM8550; a quantized Add; a FLOAT_32 Add for V75, if all its "
    "SoCs have floats.",
};

FloatOfSomeSocs::FloatOfSomeSocs(const db::TableSource& tables, const Target& target, const TableMatcher& matcher)
    : target_(target), matcher_(matcher) {
  if (!target.soc.empty()) return;
  for (const db::Soc& soc : tables.socs()) {
    if (soc.arch == target.arch && !soc.has_float) {
      without_.push_back(soc.name.empty() ? absl::StrCat(soc.id) : soc.name);
    }
  }
  absl::c_sort(without_);
}

void FloatOfSomeSocs::Look(const BackendOp& op, FindingSink& sink) {
  if (without_.empty()) return;
  Hardware hardware = HardwareOf(target_);
  hardware.has_float = false;
  MatchResult match;
  matcher_.Match(op, hardware, match);
  if (absl::c_none_of(match.violations, [](const Violation& violation) { return violation.rule == &kNoFloat; })) {
    return;
  }
  FindingSource source = FromTable(target_, v1::Source::MEASURED);
  sink.Add(kFloatOfSomeSocs, PlaceOf(op, {}), "floats", absl::StrCat("integers alone on ", Names(without_)),
           std::move(source));
  without_.clear();
}

}  // namespace quantgate::qnn_htp
