#ifndef QUANTGATE_RULES_ENGINE_CONTEXT_H_
#define QUANTGATE_RULES_ENGINE_CONTEXT_H_

#include "rules/graph/graph.h"
#include "rules/graph/resolve.h"

namespace quantgate {

// What a rule may look at. Read-only, shared by all rules of a check.
class CheckContext {
 public:
  CheckContext(const Graph& graph, const ResolvedGraph& resolved) : graph_(graph), resolved_(resolved) {}
  const Graph& graph() const { return graph_; }
  const ResolvedGraph& resolved() const { return resolved_; }
  v1::Stage stage() const { return graph_.message().stage(); }

 private:
  const Graph& graph_;
  const ResolvedGraph& resolved_;
};

}  // namespace quantgate

#endif  // QUANTGATE_RULES_ENGINE_CONTEXT_H_
