// What LiteRT loses of the values that bodies of branches and loops hand on.
#ifndef QUANTGATE_RULES_BACKENDS_LITERT_HANDED_ON_H_
#define QUANTGATE_RULES_BACKENDS_LITERT_HANDED_ON_H_

#include <cstdint>
#include <string>

#include "absl/types/optional.h"
#include "rules/engine/rule.h"
#include "rules/graph/graph.h"

namespace quantgate::litert {

extern const RuleInfo kHandedOn;

struct HandedOn {
  std::string observed, allowed;
};

// Of an IF or WHILE of one of the model's graphs; none: nothing is lost.
absl::optional<HandedOn> LostInBody(const v1::Graph& model, const Graph& graph, int32_t node);

}  // namespace quantgate::litert

#endif  // QUANTGATE_RULES_BACKENDS_LITERT_HANDED_ON_H_
