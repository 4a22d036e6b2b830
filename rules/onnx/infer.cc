#include "rules/onnx/infer.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "rules/graph/elements.h"
#include "rules/onnx/defined.h"
#include "rules/onnx/functions.h"
#include "rules/onnx/numbers.h"
#include "rules/onnx/runs.h"

namespace quantgate {
namespace {

Shape Declared(const v1::Value& value) {
  if (!value.has_shape() || value.dims_size() > kMaxRank) return {};
  for (int64_t size : value.dims()) {
    if (size < kAnySize || size > kMaxSize) return {};
  }
  return {true, absl::MakeConstSpan(value.dims().data(), value.dims_size())};
}

void Infer(NodeShapes& node) {
  CheckArguments(node);
  CheckAttention(node);
  CheckMeaning(node);
  CheckIndices(node);
  InferElementwise(node) || InferConv(node) || InferMatMul(node) || InferReshaping(node) || InferMoving(node) ||
      InferReducing(node) || InferRecurrent(node) || InferGenerating(node);
}

// What a body takes from the graphs around it is known as it is there, computed or stored.
void TakeCaptured(const CheckContext& context, Inferred& inferred) {
  const CheckContext* around = context.around();
  const Graph& graph = context.graph();
  for (int32_t value = 0; around != nullptr && value < graph.num_values(); ++value) {
    const int32_t outer = graph.is_elsewhere(value) ? graph.value(value).captured() - 1 : -1;
    const Shape& shape = inferred.shapes[value];
    const absl::optional<int64_t> count = outer >= 0 && shape.is_static() ? CountOf(shape.dims) : absl::nullopt;
    if (!count || *count > KnownNumbers::kMost) continue;
    std::vector<int64_t> numbers;
    if (const auto computed = around->Once(InferShapes).numbers.of(outer)) {
      numbers.assign(computed->begin(), computed->end());
    } else if (around->graph().is_constant(outer) && !around->graph().is_graph_input(outer)) {
      const IntegerView stored = IntegersOf(around->graph().value(outer));
      if (static_cast<int64_t>(stored.size()) == *count) numbers.assign(stored.begin(), stored.end());
    }
    if (!numbers.empty() && static_cast<int64_t>(numbers.size()) == *count) {
      inferred.numbers.Set(value, std::move(numbers));
    }
  }
}

// In a branch that is not taken, what shows only when a node runs does not show.
void JudgeUnderConditions(const CheckContext& context, std::vector<Contradiction>& contradictions) {
  const auto shows_late = [](const Contradiction& found) { return found.when_run; };
  if (std::none_of(contradictions.begin(), contradictions.end(), shows_late)) return;
  const Runs runs = RunsOf(context);
  if (runs == Runs::kNever) {
    contradictions.erase(std::remove_if(contradictions.begin(), contradictions.end(), shows_late),
                         contradictions.end());
  }
  for (Contradiction& found : contradictions) found.perhaps = found.when_run && runs == Runs::kPerhaps;
}

}  // namespace

Inferred InferShapes(const CheckContext& context) {
  Inferred inferred;
  const Graph& graph = context.graph();
  if (graph.origin() != v1::Graph::ONNX) return inferred;
  inferred.shapes.resize(graph.num_values());
  for (int32_t value = 0; value < graph.num_values(); ++value) inferred.shapes[value] = Declared(graph.value(value));
  const int64_t opset = OnnxOpset(context.model());
  // Broadcasting as today came with operator set 7, and nothing current writes an older one.
  if (opset < 7) return inferred;
  TakeCaptured(context, inferred);
  const std::vector<DefinedOp>& ops = context.Once(DefinedOps);
  NodeShapes node(graph, opset, inferred.shapes, &inferred.numbers, &inferred.reals);
  const absl::Span<const int32_t> order = graph.order();
  for (int32_t id : order.first(order.size() - graph.num_cyclic())) {
    const Definition* definition = ops[graph.node(id).op()].current;
    // A node with arguments missing is argument-count's.
    if (definition == nullptr || definition->removed || graph.binding(id) == nullptr ||
        graph.num_inputs(id) < definition->inputs.min) {
      continue;
    }
    node.Start(id);
    const size_t found_before = node.contradictions.size();
    Infer(node);
    // What nodes compute is not there yet while a file is loaded.
    for (size_t i = found_before; node.read_computed() && i < node.contradictions.size(); ++i) {
      node.contradictions[i].when_run = true;
    }
    for (size_t i = 0; i < node.outputs().size(); ++i) {
      const int32_t value = graph.output(id, static_cast<int>(i));
      // The first producer counts; constants have the shape that is stored.
      if (value >= 0 && graph.producer(value) == id && !graph.is_constant(value)) {
        Take(node.outputs()[i], value, inferred);
      }
    }
    ComputeNumbers(node, inferred);
  }
  inferred.contradictions = std::move(node.contradictions);
  JudgeUnderConditions(context, inferred.contradictions);
  return inferred;
}

}  // namespace quantgate
