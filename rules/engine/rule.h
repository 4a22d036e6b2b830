// A rule: a named pure check with metadata. The metadata is the single source of the message a finding prints, of
// `quantgate explain CODE` and of the rule's documentation page.
#ifndef QUANTGATE_RULES_ENGINE_RULE_H_
#define QUANTGATE_RULES_ENGINE_RULE_H_

#include <string>

#include "quantgate/v1/report.pb.h"
#include "quantgate/v1/types.pb.h"

namespace quantgate {

class CheckContext;
class FindingSink;

// Bit set over v1::Stage.
enum StageSet : unsigned {
  kAtAnnotated = 1u << v1::STAGE_ANNOTATED,
  kAtCalibrated = 1u << v1::STAGE_CALIBRATED,
  kAtConverted = 1u << v1::STAGE_CONVERTED,
  kFromCalibrated = kAtCalibrated | kAtConverted,
  kAtAnyStage = kAtAnnotated | kAtCalibrated | kAtConverted,
};

struct RuleInfo {
  const char* code;  // "NR001"; never reused
  const char* name;  // "scale-range"
  v1::Finding::Effect effect;
  v1::Finding::Severity severity;
  unsigned stages;  // StageSet: where it can run
  // One sentence; {subject}, {observed} and {allowed} are filled in: "{subject} has scale {observed}; a scale must be
  // {allowed}". {subject} names the tensor or node.
  const char* message;
  const char* why;      // what goes wrong when it is ignored
  const char* fix;      // what to change; one sentence, imperative
  const char* example;  // an input that fires it and one next to it that does not
};

// A target-independent rule. Pure: reads the context, writes findings, keeps nothing.
struct Rule {
  const RuleInfo* info;
  void (*check)(const CheckContext&, FindingSink&);
};

// The Markdown page of a rule: what `explain` prints and docs contain.
std::string ExplainRule(const RuleInfo& rule);

}  // namespace quantgate

#endif  // QUANTGATE_RULES_ENGINE_RULE_H_
