#include <string>

#include "absl/strings/str_cat.h"
#include "rules/engine/rule.h"

namespace quantgate {

std::string ExplainRule(const RuleInfo& rule) {
  std::string page = absl::StrCat("# ", rule.code, " ", rule.name, "\n\n`", rule.message, "`\n\n");
  absl::StrAppend(&page, "- severity: ", v1::Finding::Severity_Name(rule.severity),
                  "\n- effect: ", v1::Finding::Effect_Name(rule.effect), "\n- runs at:");
  for (int stage = v1::STAGE_ANNOTATED; stage <= v1::STAGE_CONVERTED; ++stage) {
    if (rule.stages & (1u << stage)) absl::StrAppend(&page, " ", v1::Stage_Name(stage).substr(6));
  }
  absl::StrAppend(&page, "\n\n## Why\n", rule.why, "\n\n## What to change\n", rule.fix, "\n\n## Example\n",
                  rule.example, "\n");
  return page;
}

}  // namespace quantgate
