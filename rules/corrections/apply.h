// Changes of a report, written into the graph that was checked.
#ifndef QUANTGATE_RULES_CORRECTIONS_APPLY_H_
#define QUANTGATE_RULES_CORRECTIONS_APPLY_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "quantgate/v1/graph.pb.h"
#include "quantgate/v1/report.pb.h"
#include "rules/graph/graph.h"

namespace quantgate {

// All corrections of a result. NOT_FOUND: the graph has no such place, so it is not the one that was checked; it may
// then be changed in part.
absl::Status ApplyCorrections(const v1::Result& result, v1::Graph& graph);
// The same of some changes, for instance those that serve several targets (Report.common_corrections).
absl::Status ApplyChanges(const google::protobuf::RepeatedPtrField<v1::Change>& changes, v1::Graph& graph);

// A tensor that gets other parameters by the corrections of a report: what a writer of model files has to do.
struct TensorChange {
  int32_t value = -1;  // in Graph.values, 0-based: the tensor as it is stored
  // The Quantize and Dequantize nodes that state its parameters. Empty: the tensor states them itself.
  std::vector<int32_t> quantizers;
  // One reader alone is to see the change (in Graph.nodes). -1: whoever reads the tensor.
  int32_t reader = -1;
  int32_t correction = -1;  // in Result.corrections: its changes hold together or not at all
  // Kind unspecified: none. What the stored integers stood for: of a bias that LiteRT adds as it is stored, in units of
  // input x weight, whatever was stated.
  v1::Spec before;
  v1::Spec after;  // likewise
};

// All corrections of a result, by the tensor that they change; errors as above. Nothing is changed.
absl::StatusOr<std::vector<TensorChange>> ChangedTensors(const v1::Result& result, const v1::Graph& graph);

namespace corrections {

// What a report says of putting spec `after` (1-based; 0: none) in the place of `before`. Ids of specs are those of
// `pool`, whose first specs are the graph's own.
v1::Change MakeChange(const Graph& graph, const v1::Graph& pool, SpecPlace place, int32_t before, int32_t after);

}  // namespace corrections
}  // namespace quantgate

#endif  // QUANTGATE_RULES_CORRECTIONS_APPLY_H_
