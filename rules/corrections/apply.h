// Changes of a report, written into the graph that was checked.
#ifndef QUANTGATE_RULES_CORRECTIONS_APPLY_H_
#define QUANTGATE_RULES_CORRECTIONS_APPLY_H_

#include "absl/status/status.h"
#include "quantgate/v1/graph.pb.h"
#include "quantgate/v1/report.pb.h"
#include "rules/graph/graph.h"

namespace quantgate {

// All corrections of a result. NOT_FOUND: the graph has no such place, so it is not the one that was checked; it may
// then be changed in part.
absl::Status ApplyCorrections(const v1::Result& result, v1::Graph& graph);
absl::Status ApplyChanges(const google::protobuf::RepeatedPtrField<v1::Change>& changes, v1::Graph& graph);

namespace corrections {

// What a report says of putting spec `after` (1-based; 0: none) in the place of `before`. Ids of specs are those of
// `pool`, whose first specs are the graph's own.
v1::Change MakeChange(const Graph& graph, const v1::Graph& pool, SpecPlace place, int32_t before, int32_t after);

}  // namespace corrections
}  // namespace quantgate

#endif  // QUANTGATE_RULES_CORRECTIONS_APPLY_H_
