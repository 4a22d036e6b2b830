#include "rules/onnx/runs.h"

#include <algorithm>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "rules/graph/elements.h"
#include "rules/graph/node_shapes.h"
#include "rules/onnx/data_type.h"

namespace quantgate {
namespace {

using Integers = absl::InlinedVector<int64_t, 8>;
using KnownIntegers = absl::optional<Integers>;

// Conditions are made of few and small tensors; others stay unknown.
constexpr int kMostSteps = 64;
constexpr int kMostElements = 64;

absl::optional<int64_t> Combine(absl::string_view op_type, int64_t a, int64_t b) {
  int64_t result = 0;
  if (op_type == "Equal") return a == b;
  if (op_type == "Less") return a < b;
  if (op_type == "LessOrEqual") return a <= b;
  if (op_type == "Greater") return a > b;
  if (op_type == "GreaterOrEqual") return a >= b;
  if (op_type == "And") return a != 0 && b != 0;
  if (op_type == "Or") return a != 0 || b != 0;
  if (op_type == "Xor") return (a != 0) != (b != 0);
  if (op_type == "Add" && !__builtin_add_overflow(a, b, &result)) return result;
  if (op_type == "Sub" && !__builtin_sub_overflow(a, b, &result)) return result;
  if (op_type == "Mul" && !__builtin_mul_overflow(a, b, &result)) return result;
  return absl::nullopt;
}

// Computes integers from constants and stated shapes.
class Evaluator {
 public:
  // Of the graph that `around` is the place of; null: the main graph.
  KnownIntegers Of(const Graph& graph, const BodyPlace* around, int32_t value) {
    if (value < 0 || --steps_ < 0) return absl::nullopt;
    const v1::Value& tensor = graph.value(value);
    if (tensor.captured() > 0) {
      if (around == nullptr || around->graph == nullptr) return absl::nullopt;
      return Of(*around->graph, around->outer, tensor.captured() - 1);
    }
    if (graph.is_constant(value)) return graph.is_graph_input(value) ? absl::nullopt : Stored(tensor);
    const int32_t node = graph.producer(value);
    if (node < 0 || graph.num_inputs(node) == 0 || graph.output(node, 0) != value) return absl::nullopt;
    return Computed(graph, around, node);
  }

 private:
  static KnownIntegers Stored(const v1::Value& tensor) {
    const IntegerView integers = IntegersOf(tensor);
    if (integers.empty() || integers.size() > kMostElements) return absl::nullopt;
    return Integers(integers.begin(), integers.end());
  }

  static KnownIntegers DimsOf(const Graph& graph, int32_t value) {
    if (value < 0 || !graph.has_known_shape(value)) return absl::nullopt;
    const auto& dims = graph.value(value).dims();
    if (dims.size() > kMostElements) return absl::nullopt;
    return Integers(dims.begin(), dims.end());
  }

  KnownIntegers Computed(const Graph& graph, const BodyPlace* around, int32_t node) {
    const absl::string_view op_type = graph.op_type(node);
    const int32_t first = graph.input(node, 0);
    if (op_type == "Shape") {
      const bool whole = graph.attribute(node, "start") == nullptr && graph.attribute(node, "end") == nullptr;
      return whole ? DimsOf(graph, first) : absl::nullopt;
    }
    if (op_type == "Size") {
      const KnownIntegers dims = DimsOf(graph, first);
      const absl::optional<int64_t> count = dims ? CountOf(*dims) : absl::nullopt;
      return count ? KnownIntegers(Integers{*count}) : absl::nullopt;
    }
    if (op_type == "Identity" || op_type == "Squeeze" || op_type == "Unsqueeze" || op_type == "Reshape") {
      return Of(graph, around, first);
    }
    if (op_type == "Cast") return Cast(Of(graph, around, first), graph.int_attribute(node, "to", 0));
    if (op_type == "Not") {
      KnownIntegers known = Of(graph, around, first);
      if (known) {
        for (int64_t& element : *known) element = element == 0;
      }
      return known;
    }
    if (graph.num_inputs(node) != 2) return absl::nullopt;
    const KnownIntegers a = Of(graph, around, first);
    const KnownIntegers b = a ? Of(graph, around, graph.input(node, 1)) : absl::nullopt;
    if (!b) return absl::nullopt;
    return op_type == "Gather" ? Gathered(graph, node, *a, *b) : Combined(op_type, *a, *b);
  }

  static KnownIntegers Cast(KnownIntegers known, int64_t onnx_type) {
    const v1::DataType type = DataTypeFromOnnx(static_cast<int>(onnx_type));
    if (!known || (type != v1::DATA_TYPE_BOOL && type != v1::DATA_TYPE_INT64)) return absl::nullopt;
    for (int64_t& element : *known) element = type == v1::DATA_TYPE_BOOL ? element != 0 : element;
    return known;
  }

  // Elements of a list.
  static KnownIntegers Gathered(const Graph& graph, int32_t node, const Integers& data, const Integers& indices) {
    if (graph.rank(graph.input(node, 0)) != 1 || graph.int_attribute(node, "axis", 0) != 0) return absl::nullopt;
    const auto size = static_cast<int64_t>(data.size());
    Integers taken;
    for (int64_t index : indices) {
      if (index < -size || index >= size) return absl::nullopt;
      taken.push_back(data[index < 0 ? index + size : index]);
    }
    return taken;
  }

  // Of lists that are as long as each other, or of one element.
  static KnownIntegers Combined(absl::string_view op_type, const Integers& a, const Integers& b) {
    const size_t count = std::max(a.size(), b.size());
    if ((a.size() != 1 && a.size() != count) || (b.size() != 1 && b.size() != count)) return absl::nullopt;
    Integers results;
    for (size_t i = 0; i < count; ++i) {
      const absl::optional<int64_t> result = Combine(op_type, a[a.size() == 1 ? 0 : i], b[b.size() == 1 ? 0 : i]);
      if (!result) return absl::nullopt;
      results.push_back(*result);
    }
    return results;
  }

  int steps_ = kMostSteps;
};

// An argument of one element of the node that has the body.
absl::optional<int64_t> ArgumentOf(const BodyPlace& place, int argument) {
  if (argument >= place.graph->num_inputs(place.node)) return absl::nullopt;
  const KnownIntegers known = Evaluator().Of(*place.graph, place.outer, place.graph->input(place.node, argument));
  return known && known->size() == 1 ? absl::optional<int64_t>((*known)[0]) : absl::nullopt;
}

Runs RunsAt(const BodyPlace& place) {
  const absl::string_view op_type = place.graph->op_type(place.node);
  if (op_type == "If") {
    const absl::optional<int64_t> condition = ArgumentOf(place, 0);
    if (!condition) return Runs::kPerhaps;
    return (*condition != 0) == (place.attribute == "then_branch") ? Runs::kAlways : Runs::kNever;
  }
  if (op_type == "Loop") {
    const bool none = ArgumentOf(place, 0).value_or(1) <= 0 || ArgumentOf(place, 1).value_or(1) == 0;
    return none ? Runs::kNever : Runs::kAlways;
  }
  return Runs::kAlways;
}

}  // namespace

Runs RunsOf(const CheckContext& context) {
  Runs runs = Runs::kAlways;
  for (const BodyPlace* place = context.place(); place != nullptr && place->graph != nullptr; place = place->outer) {
    if (place->node >= 0) runs = std::max(runs, RunsAt(*place));
  }
  return runs;
}

}  // namespace quantgate
