#include "tests/vendor/verdict.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace quantgate::vendor {

bool Refused(const v1::Result& judged) {
  return std::any_of(judged.findings().begin(), judged.findings().end(),
                     [](const v1::Finding& finding) { return finding.effect() == v1::Finding::REFUSED; });
}

Step StopsAt(const v1::Result& judged) {
  const v1::Outcome& outcome = judged.outcome();
  if (std::any_of(outcome.nodes().begin(), outcome.nodes().end(),
                  [](const v1::NodeOutcome& node) { return node.refused(); })) {
    return Step::kValidation;
  }
  return outcome.kind() == v1::Outcome::FAILS ? Step::kPreparation : Step::kNone;
}

bool OutputNamed(const v1::Result& judged) {
  return std::any_of(judged.findings().begin(), judged.findings().end(), [](const v1::Finding& finding) {
    return finding.effect() == v1::Finding::WRONG_NUMBERS && finding.location().has_output();
  });
}

std::set<std::string> Remarks(const v1::Result& judged) {
  std::set<std::string> remarks;
  for (const v1::Finding& finding : judged.findings()) {
    if (finding.effect() != v1::Finding::WRONG_NUMBERS && finding.effect() != v1::Finding::ADVICE) continue;
    if (finding.code() == "DT107") continue;  // about other SoCs than the one that was asked
    std::string remark = absl::StrCat(finding.code(), " ", v1::Finding::Effect_Name(finding.effect()));
    if (finding.location().has_input()) absl::StrAppend(&remark, " in[", finding.location().input(), "]");
    if (finding.location().has_output()) absl::StrAppend(&remark, " out[", finding.location().output(), "]");
    remarks.insert(std::move(remark));
  }
  return remarks;
}

}  // namespace quantgate::vendor
