// Reads and replaces the specs of a graph's edges and values, in the message itself.
#ifndef QUANTGATE_RULES_CORRECTIONS_SPEC_EDITOR_H_
#define QUANTGATE_RULES_CORRECTIONS_SPEC_EDITOR_H_

#include <cstdint>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "quantgate/v1/graph.pb.h"
#include "rules/graph/graph.h"

namespace quantgate::corrections {

// Id in the graph's pool, 1-based as in the message; 0: no spec.
int32_t SpecAt(const v1::Graph& graph, SpecPlace place);

class SpecEditor {
 public:
  explicit SpecEditor(v1::Graph& graph) : graph_(graph) {}

  int32_t Get(SpecPlace place) const { return SpecAt(graph_, place); }
  // Sets the spec of an edge wherever the node reads the value, and in its map. `spec` 0 removes it.
  void Set(SpecPlace place, int32_t spec);
  // Id of an equal spec of the pool, appended when there is none.
  int32_t Intern(const v1::Spec& spec);
  const v1::Spec& spec(int32_t id) const { return graph_.specs(id - 1); }

 private:
  v1::Graph& graph_;
  absl::flat_hash_map<std::string, int32_t> interned_;  // by bytes, of the first `read_` specs
  int read_ = 0;
};

}  // namespace quantgate::corrections

#endif  // QUANTGATE_RULES_CORRECTIONS_SPEC_EDITOR_H_
