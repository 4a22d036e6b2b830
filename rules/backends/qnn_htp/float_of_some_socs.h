// A bare arch stands for all its SoCs, and some of them compute integers alone.
#ifndef QUANTGATE_RULES_BACKENDS_QNN_HTP_FLOAT_OF_SOME_SOCS_H_
#define QUANTGATE_RULES_BACKENDS_QNN_HTP_FLOAT_OF_SOME_SOCS_H_

#include <string>
#include <vector>

#include "db/table_source.h"
#include "rules/constraints/backend_op.h"
#include "rules/constraints/matcher.h"
#include "rules/engine/finding.h"
#include "rules/engine/module.h"
#include "rules/engine/rule.h"

namespace quantgate::qnn_htp {

extern const RuleInfo kFloatOfSomeSocs;  // DT107

// Says of the first operator of a graph that only SoCs with floats take it.
class FloatOfSomeSocs {
 public:
  FloatOfSomeSocs(const db::TableSource& tables, const Target& target, const TableMatcher& matcher);

  // `op` is one that the target takes.
  void Look(const BackendOp& op, FindingSink& sink);

 private:
  const Target& target_;
  const TableMatcher& matcher_;
  std::vector<std::string> without_;  // empty: the target is a SoC, or all of its arch have floats, or it was said
};

}  // namespace quantgate::qnn_htp

#endif  // QUANTGATE_RULES_BACKENDS_QNN_HTP_FLOAT_OF_SOME_SOCS_H_
