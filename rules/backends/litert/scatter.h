// How STABLEHLO_SCATTER combines what is there with what is scattered.
#ifndef QUANTGATE_RULES_BACKENDS_LITERT_SCATTER_H_
#define QUANTGATE_RULES_BACKENDS_LITERT_SCATTER_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "quantgate/v1/graph.pb.h"
#include "rules/graph/graph.h"

namespace quantgate::litert {

inline constexpr absl::string_view kUpdatesOfScatter =
    "it with an update computation of no operator, or of one STABLEHLO_ADD, STABLEHLO_MULTIPLY, STABLEHLO_MAXIMUM or "
    "STABLEHLO_MINIMUM";

// What the kernel of a STABLEHLO_SCATTER does not compute; "": it does, the node is of another operator, or its update
// computation is not at hand.
std::string OtherUpdate(const v1::Graph& model, const Graph& graph, int32_t node);

}  // namespace quantgate::litert

#endif  // QUANTGATE_RULES_BACKENDS_LITERT_SCATTER_H_
