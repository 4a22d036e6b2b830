// What ExecuTorch makes of an annotated graph on its way to HTP, as a check says it.
#ifndef QUANTGATE_TESTS_RULES_ANNOTATED_CHECK_H_
#define QUANTGATE_TESTS_RULES_ANNOTATED_CHECK_H_

#include <string>
#include <vector>

#include "rules/check.h"
#include "tests/rules/annotated_builder.h"
#include "tests/rules/real_tables.h"

namespace quantgate::testing {

inline v1::Result ResultOf(const AnnotatedBuilder& b, const std::string& target,
                           const std::string& toolchain = "executorch") {
  CheckOptions options;
  options.toolchain = toolchain;
  return CheckOn(b.graph, target, options).results(0);
}

// Names of nodes, in file order.
inline std::vector<std::string> Refused(const v1::Result& result) {
  std::vector<std::string> refused;
  for (const v1::NodeOutcome& node : result.outcome().nodes()) {
    if (node.refused()) refused.push_back(node.node());
  }
  return refused;
}

inline std::vector<std::string> CodesAt(const v1::Result& result, const std::string& node) {
  std::vector<std::string> codes;
  for (const v1::Finding& finding : result.findings()) {
    if (finding.location().node() == node) codes.push_back(finding.code());
  }
  return codes;
}

}  // namespace quantgate::testing

#endif  // QUANTGATE_TESTS_RULES_ANNOTATED_CHECK_H_
