#include "rules/backends/onnxruntime/simplified.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "rules/backends/onnxruntime/values.h"
#include "rules/graph/elements.h"
#include "rules/graph/quantizer.h"
#include "rules/onnx/infer.h"

namespace quantgate::onnxruntime {
namespace {

class Simplification {
 public:
  Simplification(const CheckContext& context, const std::vector<v1::DataType>& types)
      : context_(context), graph_(context.graph()), types_(types) {}

  Simplified Run() {
    left_.is_gone.assign(graph_.num_nodes(), false);
    is_joined_.assign(graph_.num_nodes(), false);
    left_.same_as.resize(graph_.num_values());
    for (int32_t value = 0; value < graph_.num_values(); ++value) left_.same_as[value] = value;
    for (const int32_t node : graph_.order()) TakeOut(node);
    CountReaders();
    for (const int32_t node : graph_.order()) JoinReshape(node);
    return std::move(left_);
  }

 private:
  void TakeOut(int32_t node) {
    const int input = PassedOn(node);
    const int32_t same = input >= 0 ? InputAt(graph_, node, input) : ComputedBefore(node);
    if (same < 0) return;
    left_.is_gone[node] = true;
    left_.same_as[FirstOutput(graph_, node)] = left_.same_as[same];
  }

  // Which input the node gives on as it is, for which it is taken out before; -1: none.
  int PassedOn(int32_t node) const {
    if (FirstOutput(graph_, node) < 0 || graph_.is_graph_output(FirstOutput(graph_, node))) return -1;
    switch (graph_.op(node)) {
      case OpId::kIdentity:
      case OpId::kDropout:
        return InputAt(graph_, node, 0) >= 0 ? 0 : -1;
      case OpId::kCast:
        return InputAt(graph_, node, 0) >= 0 && types_[InputAt(graph_, node, 0)] != v1::DATA_TYPE_UNSPECIFIED &&
                       types_[InputAt(graph_, node, 0)] == types_[FirstOutput(graph_, node)]
                   ? 0
                   : -1;
      case OpId::kSlice:
        return TakesAll(node) ? 0 : -1;
      case OpId::kAdd:
        return IsNeutral(node, 1, 0) ? 0 : IsNeutral(node, 0, 0) ? 1 : -1;
      case OpId::kMul:
        return IsNeutral(node, 1, 1) ? 0 : IsNeutral(node, 0, 1) ? 1 : -1;
      case OpId::kSub:
        return IsNeutral(node, 1, 0) ? 0 : -1;
      case OpId::kDiv:
        return IsNeutral(node, 1, 1) ? 0 : -1;
      default:
        return -1;
    }
  }

  // One of two operands is that number, and does not make the other one larger.
  bool IsNeutral(int32_t node, int operand, double number) const {
    const int32_t value = InputAt(graph_, node, operand), other = InputAt(graph_, node, 1 - operand);
    return value >= 0 && other >= 0 && FixedScalar(graph_, value) == number &&
           graph_.rank(value) <= std::max(graph_.rank(other), 0);
  }

  bool TakesAll(int32_t node) const {
    const auto is_all = [&](int argument, int64_t number) {
      const int32_t value = InputAt(graph_, node, argument);
      if (value < 0 || !graph_.is_constant(value) || graph_.is_graph_input(value)) return false;
      const IntegerView numbers = IntegersOf(graph_.value(value));
      return !numbers.empty() && absl::c_all_of(numbers, [number](int64_t each) { return each == number; });
    };
    constexpr int kStarts = 1, kEnds = 2, kSteps = 4;
    return InputAt(graph_, node, 0) >= 0 && is_all(kStarts, 0) && is_all(kEnds, std::numeric_limits<int64_t>::max()) &&
           (InputAt(graph_, node, kSteps) < 0 || is_all(kSteps, 1));
  }

  // The value that another node computes in the same way; -1: none. Quantizers stay, what makes a result of the graph,
  // too; and each node that reads a DequantizeLinear has got one of its own, so that what is behind them is not the
  // same.
  int32_t ComputedBefore(int32_t node) {
    if (graph_.num_outputs(node) != 1 || FirstOutput(graph_, node) < 0 ||
        graph_.is_graph_output(FirstOutput(graph_, node)))
      return -1;
    if (IsQuantize(graph_, node)) return -1;
    Computation computation = {graph_.node_like(node)};
    for (int i = 0; i < graph_.num_inputs(node); ++i) {
      const int32_t value = graph_.input(node, i);
      const int32_t producer = value < 0 ? -1 : graph_.producer(value);
      if (producer >= 0 && IsDequantize(graph_, producer)) return -1;
      computation.push_back(value < 0 ? -1 : left_.same_as[value]);
    }
    const auto [found, is_first] = computed_.emplace(std::move(computation), FirstOutput(graph_, node));
    return is_first ? -1 : found->second;
  }

  void CountReaders() {
    left_.readers.resize(graph_.num_values());
    for (int32_t value = 0; value < graph_.num_values(); ++value) {
      Readers& readers = left_.readers[left_.same_as[value]];
      readers.body |= graph_.is_read_in_body(value);
      readers.count += graph_.is_graph_output(value);
    }
    for (auto node = graph_.order().rbegin(); node != graph_.order().rend(); ++node) {
      if (left_.is_gone[*node]) continue;
      const bool gone = IsComputedForAShape(*node);
      for (int i = 0; i < graph_.num_inputs(*node); ++i) {
        const int32_t value = graph_.input(*node, i);
        if (value >= 0) CountReader(*node, gone, left_.readers[left_.same_as[value]]);
      }
    }
  }
  void CountReader(int32_t node, bool gone, Readers& readers) const {
    if (gone) {
      readers.gone = true;
      return;
    }
    if (IsQuantize(graph_, node)) {
      ++readers.quantizers;
    } else {
      ++readers.count;
    }
    readers.node = node;
  }
  // A shape that is known is a constant by then, and with it goes what was computed for its sake alone.
  bool IsComputedForAShape(int32_t node) const {
    if (graph_.num_outputs(node) != 1 || FirstOutput(graph_, node) < 0) return false;
    if (graph_.op(node) == OpId::kShape) {
      return WholeOrNone(context_.Once(InferShapes).numbers.of(FirstOutput(graph_, node))).has_value();
    }
    const Readers& readers = Behind(node);
    return readers.gone && readers.count + readers.quantizers == 0 && !readers.body;
  }
  const Readers& Behind(int32_t node) const { return left_.readers[left_.same_as[FirstOutput(graph_, node)]]; }

  // A Reshape and the ones behind it that nothing else reads are one, where it is known what shape the last one makes.
  void JoinReshape(int32_t node) {
    if (FirstOutput(graph_, node) < 0 || InputAt(graph_, node, 0) < 0) return;
    // What it makes may be one by another name with what was joined before.
    left_.same_as[FirstOutput(graph_, node)] = left_.same_as[left_.same_as[FirstOutput(graph_, node)]];
    if (left_.is_gone[node] || (graph_.op(node) != OpId::kReshape && !is_joined_[node])) return;
    const Readers& readers = Behind(node);
    if (readers.body || readers.node < 0 || readers.count + readers.quantizers != 1) return;
    if (!MakesKnownShape(readers.node)) return;
    is_joined_[readers.node] = true;
    Readers& before = left_.readers[left_.same_as[InputAt(graph_, node, 0)]];
    if (before.node == node) before.node = readers.node;
    left_.is_gone[node] = true;
    left_.same_as[FirstOutput(graph_, node)] = left_.same_as[InputAt(graph_, node, 0)];
  }
  bool MakesKnownShape(int32_t node) const {
    const OpId op = graph_.op(node);
    if (op != OpId::kReshape && op != OpId::kSqueeze && op != OpId::kUnsqueeze) return false;
    return FirstOutput(graph_, node) >= 0 && context_.Once(InferShapes).shapes[FirstOutput(graph_, node)].is_static();
  }

  const CheckContext& context_;
  const Graph& graph_;
  const std::vector<v1::DataType>& types_;
  Simplified left_;
  std::vector<bool> is_joined_;                         // by node: to one before it
  using Computation = absl::InlinedVector<int32_t, 6>;  // the first node like it, and its inputs
  absl::flat_hash_map<Computation, int32_t> computed_;  // and the value that it makes
};

}  // namespace

Simplified Simplify(const CheckContext& context, const std::vector<v1::DataType>& types) {
  return Simplification(context, types).Run();
}

}  // namespace quantgate::onnxruntime
