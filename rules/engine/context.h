#ifndef QUANTGATE_RULES_ENGINE_CONTEXT_H_
#define QUANTGATE_RULES_ENGINE_CONTEXT_H_

#include <memory>
#include <utility>
#include <vector>

#include "rules/graph/graph.h"
#include "rules/graph/resolve.h"

namespace quantgate {

// What a rule may look at. Read-only, shared by all rules of a check. Not thread-safe, because of Once.
class CheckContext {
 public:
  // `model`: the main graph, when `graph` is the body of a control-flow node.
  CheckContext(const Graph& graph, const ResolvedGraph& resolved, const v1::Graph* model = nullptr)
      : graph_(graph), resolved_(resolved), model_(model != nullptr ? *model : graph.message()) {}
  const Graph& graph() const { return graph_; }
  const ResolvedGraph& resolved() const { return resolved_; }
  // What holds for the whole model: versions, imports.
  const v1::Graph& model() const { return model_; }
  v1::Stage stage() const { return graph_.message().stage(); }

  // compute(*this), made for the first rule that asks and kept for the others: context.Once(DescribedTensors).
  template <typename T>
  const T& Once(T (*compute)(const CheckContext&)) const {
    const auto key = reinterpret_cast<const void*>(compute);
    for (const auto& [known, made] : made_) {
      if (known == key) return *static_cast<const T*>(made.get());
    }
    made_.emplace_back(key, std::make_shared<T>(compute(*this)));
    return *static_cast<const T*>(made_.back().second.get());
  }

 private:
  mutable std::vector<std::pair<const void*, std::shared_ptr<void>>> made_;  // few: a handful of things are shared
  const Graph& graph_;
  const ResolvedGraph& resolved_;
  const v1::Graph& model_;
};

}  // namespace quantgate

#endif  // QUANTGATE_RULES_ENGINE_CONTEXT_H_
