#ifndef QUANTGATE_RULES_ENGINE_CONTEXT_H_
#define QUANTGATE_RULES_ENGINE_CONTEXT_H_

#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "rules/graph/graph.h"
#include "rules/graph/resolve.h"

namespace quantgate {

class CheckContext;

// Where a body of control flow is used.
struct BodyPlace {
  const CheckContext* around = nullptr;  // of the graph around the body; null: it is the main graph
  int32_t node = -1;                     // that has it; -1: several have it, or none
  absl::string_view attribute;
};

// What a rule may look at. Read-only, shared by all rules of a check. Not thread-safe, because of Once.
class CheckContext {
 public:
  // `model`: the main graph, when `graph` is the body of a control-flow node; `place`: where that is.
  CheckContext(const Graph& graph, const ResolvedGraph& resolved, const v1::Graph* model = nullptr,
               const BodyPlace* place = nullptr)
      : graph_(graph), resolved_(resolved), model_(model != nullptr ? *model : graph.message()), place_(place) {}
  const Graph& graph() const { return graph_; }
  const ResolvedGraph& resolved() const { return resolved_; }
  // What holds for the whole model: versions, imports.
  const v1::Graph& model() const { return model_; }
  // The graph is the body of a control-flow node, not the model's own.
  bool is_body() const { return &graph_.message() != &model_; }
  // Of a body; null where it is not known.
  const BodyPlace* place() const { return place_; }
  // Of the graph that a body is in; null: this is the main graph, or it is not known.
  const CheckContext* around() const { return place_ == nullptr ? nullptr : place_->around; }
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
  const BodyPlace* const place_;
};

// The graph holds specs as a quantizer wrote them: PT2E, before convert (behind it the intent is left on nodes whose
// inputs are others).
inline bool IsAnnotation(const CheckContext& context) {
  return context.graph().origin() == v1::Graph::PT2E && context.stage() != v1::STAGE_CONVERTED;
}

}  // namespace quantgate

#endif  // QUANTGATE_RULES_ENGINE_CONTEXT_H_
