// The engine's view of a v1::Graph: dense 0-based ids, producers and consumers, operators bound. Built once per check
// in linear time; refers to the message, which must outlive it.
#ifndef QUANTGATE_RULES_GRAPH_GRAPH_H_
#define QUANTGATE_RULES_GRAPH_GRAPH_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "quantgate/v1/graph.pb.h"
#include "rules/operators/operator.h"

namespace quantgate {

// Use of a value: argument position `input` of `node` (position in Node.inputs).
struct Use {
  int32_t node;
  int32_t input;
};

// All ids are 0-based; -1 means none (the message has 1-based ids with 0 for none).
class Graph {
 public:
  // INVALID_ARGUMENT, with the path of the field, when an id points outside its pool or parallel arrays disagree. What
  // a file can get wrong (cycles, order, missing producers, duplicates) is accepted here and found by rules.
  static absl::StatusOr<Graph> Build(const v1::Graph& message);

  const v1::Graph& message() const { return *message_; }
  v1::Graph::Origin origin() const { return message_->origin(); }
  int num_nodes() const { return static_cast<int>(nodes_.size()); }
  int num_values() const { return static_cast<int>(values_.size()); }

  const v1::Node& node(int32_t id) const { return *nodes_[id].message; }
  const v1::Value& value(int32_t id) const { return *values_[id].message; }
  // Operator as the origin writes it.
  absl::string_view op_type(int32_t node) const { return symbol(nodes_[node].message->op()); }
  // Null when no operator table has it.
  const Binding* binding(int32_t node) const { return nodes_[node].binding; }
  OpId op(int32_t node) const { return nodes_[node].binding ? nodes_[node].binding->op->id : OpId::kUnknown; }

  int num_inputs(int32_t node) const { return nodes_[node].message->inputs_size(); }
  int num_outputs(int32_t node) const { return nodes_[node].message->outputs_size(); }
  // Value of an input or output; -1: omitted.
  int32_t input(int32_t node, int i) const { return nodes_[node].message->inputs(i) - 1; }
  int32_t output(int32_t node, int i) const { return nodes_[node].message->outputs(i) - 1; }
  // Argument position that input `i` binds to.
  int argument(int32_t node, int i) const {
    const auto& args = nodes_[node].message->input_args();
    return i < args.size() ? args.Get(i) : i;
  }
  // Spec id (0-based into message().specs()) of an edge; -1: none.
  int32_t edge_spec(int32_t node, int i) const {
    const auto& specs = nodes_[node].message->input_specs();
    return i < specs.size() ? specs.Get(i) - 1 : -1;
  }
  int32_t value_spec(int32_t value) const { return values_[value].message->spec() - 1; }

  // Node that writes the value (the first, when a broken graph has several); -1: none.
  int32_t producer(int32_t value) const { return values_[value].producer; }
  int output_index(int32_t value) const { return values_[value].output_index; }
  absl::Span<const Use> uses(int32_t value) const {
    return absl::MakeConstSpan(uses_).subspan(values_[value].first_use, values_[value].use_count);
  }
  bool is_graph_input(int32_t value) const { return values_[value].is_input; }
  bool is_graph_output(int32_t value) const { return values_[value].is_output; }
  bool is_constant(int32_t value) const { return values_[value].message->has_constant(); }
  // A constant, or computed from constants alone.
  bool is_static(int32_t value) const { return values_[value].is_static; }

  // Nodes in a topological order; nodes on or behind a cycle come last, in file order.
  absl::Span<const int32_t> order() const { return order_; }
  // How many nodes at the end of order() could not be ordered.
  int num_cyclic() const { return num_cyclic_; }

  absl::string_view symbol(int32_t id) const;  // 1-based, as in the message; "" for 0
  // Attribute of a node by name; null when absent.
  const v1::Attribute* attribute(int32_t node, absl::string_view name) const;
  int64_t int_attribute(int32_t node, absl::string_view name, int64_t fallback) const;
  double float_attribute(int32_t node, absl::string_view name, double fallback) const;

 private:
  struct NodeRecord {
    const v1::Node* message;
    const Binding* binding;
  };
  struct ValueRecord {
    const v1::Value* message;
    int32_t producer = -1;
    int32_t output_index = -1;
    int32_t first_use = 0;
    int32_t use_count = 0;
    bool is_input = false;
    bool is_output = false;
    bool is_static = false;
  };

  Graph() = default;
  void LinkValues();
  void Order();
  void FindStatic();

  const v1::Graph* message_ = nullptr;
  std::vector<NodeRecord> nodes_;
  std::vector<ValueRecord> values_;
  std::vector<Use> uses_;
  std::vector<int32_t> order_;
  int num_cyclic_ = 0;
};

}  // namespace quantgate

#endif  // QUANTGATE_RULES_GRAPH_GRAPH_H_
