// Constants of several scales where LiteRT's kernels read one.
#ifndef QUANTGATE_RULES_BACKENDS_LITERT_SEVERAL_SCALES_H_
#define QUANTGATE_RULES_BACKENDS_LITERT_SEVERAL_SCALES_H_

#include <cstdint>
#include <string>

#include "absl/types/optional.h"
#include "rules/engine/context.h"
#include "rules/engine/rule.h"

namespace quantgate::litert {

extern const RuleInfo kScalesAsOne;

struct ScalesAsOne {
  int32_t input;
  bool refused;  // the kernel says so, or ends the process; otherwise it computes with a scale of 0
  std::string observed;
};

// The first constant of several scales at an input of `op` that is no weight with a scale for each channel. None: there
// is no such, or a rule of every target says so.
absl::optional<ScalesAsOne> FindScalesAsOne(const CheckContext& context, const ResolvedOp& op);

}  // namespace quantgate::litert

#endif  // QUANTGATE_RULES_BACKENDS_LITERT_SEVERAL_SCALES_H_
