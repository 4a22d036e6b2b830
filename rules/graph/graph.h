// The engine's view of a v1::Graph: dense 0-based ids, producers and consumers, operators bound. Built once per check
// in linear time; refers to the message, which must outlive it.
//
// A message of a hundred thousand nodes is larger than any cache. Build reads it once, front to back, and keeps what
// rules ask about every node and value in compact records; rules look at the message itself where there is something to
// say.
#ifndef QUANTGATE_RULES_GRAPH_GRAPH_H_
#define QUANTGATE_RULES_GRAPH_GRAPH_H_

#include <cstdint>
#include <string>
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

// Where a spec sits: on the edge from `value` into `node`, or on the value itself when `node` is -1. An edge exists
// once however often the node reads the value: add(x, x) has one.
struct SpecPlace {
  int32_t value = -1;
  int32_t node = -1;

  bool is_edge() const { return node >= 0; }
  friend bool operator==(SpecPlace a, SpecPlace b) { return a.value == b.value && a.node == b.node; }
};

// All ids are 0-based; -1 means none (the message has 1-based ids with 0 for none).
class Graph {
 public:
  // INVALID_ARGUMENT, with the path of the field, when an id points outside its pool or parallel arrays disagree. What
  // a file can get wrong (cycles, order, missing producers, duplicates) is accepted here and found by rules.
  static absl::StatusOr<Graph> Build(const v1::Graph& message);

  const v1::Graph& message() const { return *message_; }
  v1::Graph::Origin origin() const { return message_->origin(); }
  int num_nodes() const { return static_cast<int>(nodes_.size()) - 1; }
  int num_values() const { return static_cast<int>(values_.size()); }

  const v1::Node& node(int32_t id) const { return message_->nodes(id); }
  const v1::Value& value(int32_t id) const { return message_->values(id); }
  const std::string& node_name(int32_t id) const { return *node_names_[id]; }
  // Operator as the origin writes it.
  absl::string_view op_type(int32_t node) const { return symbol(nodes_[node].op); }
  // Null when no operator table has it.
  const Binding* binding(int32_t node) const { return nodes_[node].binding; }
  OpId op(int32_t node) const { return nodes_[node].binding ? nodes_[node].binding->op->id : OpId::kUnknown; }

  // Nodes that some rules are about, in file order: Quantize and Dequantize; those with quantized data inside
  // (Binding::integer_operator); those that no operator table has. No node is in two of them.
  absl::Span<const int32_t> quantizers() const { return quantizers_; }
  absl::Span<const int32_t> integer_nodes() const { return integer_nodes_; }
  absl::Span<const int32_t> unknown_nodes() const { return unknown_nodes_; }

  int num_inputs(int32_t node) const { return nodes_[node + 1].first_input - nodes_[node].first_input; }
  int num_outputs(int32_t node) const { return nodes_[node + 1].first_output - nodes_[node].first_output; }
  // Value of an input or output; -1: omitted.
  int32_t input(int32_t node, int i) const { return inputs_[nodes_[node].first_input + i].value; }
  int32_t output(int32_t node, int i) const { return outputs_[nodes_[node].first_output + i]; }
  // Argument position that input `i` binds to.
  int argument(int32_t node, int i) const { return inputs_[nodes_[node].first_input + i].argument; }
  // Spec id (0-based into message().specs()) of an edge; -1: none.
  int32_t edge_spec(int32_t node, int i) const { return inputs_[nodes_[node].first_input + i].spec; }
  int32_t value_spec(int32_t value) const { return values_[value].spec; }
  v1::DataType dtype(int32_t value) const { return static_cast<v1::DataType>(values_[value].dtype); }

  // -1: unknown. Ranks beyond 32767 count as that.
  int rank(int32_t value) const { return values_[value].rank; }

  // Node that writes the value (the first, when a broken graph has several); -1: none.
  int32_t producer(int32_t value) const { return values_[value].producer; }
  int output_index(int32_t value) const { return values_[value].output_index; }
  absl::Span<const Use> uses(int32_t value) const {
    return absl::MakeConstSpan(uses_).subspan(values_[value].first_use, values_[value].use_count);
  }
  bool is_graph_input(int32_t value) const { return values_[value].is_input; }
  bool is_graph_output(int32_t value) const { return values_[value].is_output; }
  bool is_constant(int32_t value) const { return values_[value].is_constant; }
  // A constant, or computed from constants alone.
  bool is_static(int32_t value) const { return values_[value].is_static; }
  // Stands for something that is not in this graph: a value of the enclosing graph, or a foreign fx node.
  bool is_elsewhere(int32_t value) const { return values_[value].is_elsewhere; }
  // A body of control flow reads it under a name of its own; that is none of uses().
  bool is_read_in_body(int32_t value) const { return values_[value].is_read_in_body; }
  // What reads the value, where that is one input of one node and neither the model's caller nor a body sees it; else
  // null.
  const Use* only_use(int32_t value) const {
    const ValueRecord& record = values_[value];
    const bool alone = record.use_count == 1 && !record.is_output && !record.is_read_in_body;
    return alone ? &uses_[record.first_use] : nullptr;
  }
  // A number or a tuple; false: a tensor, or not known.
  bool is_no_tensor(int32_t value) const { return values_[value].is_no_tensor; }
  // The rank is known, and every size of the shape.
  bool has_known_shape(int32_t value) const { return values_[value].has_known_shape; }

  // Values with a constant, in file order.
  struct ConstantRecord {
    int32_t value;
    bool is_external;  // Constant.external is there
    bool is_finite;    // its statistics count no infinity; false also where there are none
    bool has_nan;      // they count a NaN
    int64_t stored_bytes;
  };
  absl::Span<const ConstantRecord> constants() const { return constants_; }

  v1::Spec::Kind spec_kind(int32_t spec) const { return static_cast<v1::Spec::Kind>(specs_[spec].kind); }
  // Whether the spec of a place (-1: it has none) asks for an observer there.
  bool is_observed(int32_t spec) const { return spec >= 0 && spec_kind(spec) != v1::Spec::EXPLICIT_NONE; }
  // The first spec that says the same of a tensor, itself when there is none before: references and observers aside.
  // Specs with numbers are like no other.
  int32_t spec_like(int32_t spec) const { return specs_[spec].like; }
  absl::Span<const int32_t> unlike_specs() const { return unlike_specs_; }

  // What a shared spec refers to (one place), or a derived one (in order); others refer to nothing.
  absl::Span<const SpecPlace> references(int32_t spec) const {
    const int32_t first = specs_[spec].first_reference;
    return absl::MakeConstSpan(references_).subspan(first, specs_[spec + 1].first_reference - first);
  }

  // Places whose own spec is a shared or derived one: edges by node and input, and values, each in file order.
  absl::Span<const Use> referring_edges() const { return referring_edges_; }
  absl::Span<const int32_t> referring_values() const { return referring_values_; }

  // The first value of the same element type and shape, itself when there is none before.
  int32_t value_like(int32_t value) const { return values_[value].like; }
  // The values that are the first, in file order: whatever follows from type and shape, and holds for these, holds for
  // all.
  absl::Span<const int32_t> unlike_values() const { return unlike_values_; }
  // The first node with the same operator, argument positions and attributes, itself when there is none before.
  // Attributes that refer to a tensor or a graph are like no other.
  int32_t node_like(int32_t node) const { return nodes_[node].like; }
  absl::Span<const int32_t> unlike_nodes() const { return unlike_nodes_; }

  // No two values (foreign ones aside), or nodes, have the same name; false: some may have.
  bool distinct_value_names() const { return distinct_value_names_; }
  bool distinct_node_names() const { return distinct_node_names_; }

  // Every value that a node reads comes from somewhere: a node, a constant, an input, or what is elsewhere.
  bool all_read_are_given() const { return all_read_are_given_; }
  // No value is written twice, nor written and also a constant or an input.
  bool all_written_once() const { return all_written_once_; }

  // Largest Value.captured; 0: there is none.
  int32_t max_captured() const { return max_captured_; }
  // Whether a value has Value.users.
  bool has_user_orders() const { return has_user_orders_; }
  bool no_implicit_sharing(int32_t node) const { return nodes_[node].no_implicit_sharing; }
  bool has_annotated_keywords(int32_t node) const { return nodes_[node].has_annotated_keywords; }
  // Whether a node has Node.input_spec_map, and whether any has.
  bool has_spec_map(int32_t node) const { return nodes_[node].has_spec_map; }
  bool has_spec_maps() const { return has_spec_maps_; }

  // Nodes in a topological order; nodes on or behind a cycle come last, in file order.
  absl::Span<const int32_t> order() const { return order_; }
  // How many nodes at the end of order() could not be ordered.
  int num_cyclic() const { return num_cyclic_; }
  // Nodes that write what is static, in the order of order().
  absl::Span<const int32_t> static_nodes() const { return static_nodes_; }

  absl::string_view symbol(int32_t id) const;  // 1-based, as in the message; "" for 0
  // Attribute of a node by name; null when absent.
  const v1::Attribute* attribute(int32_t node, absl::string_view name) const;
  int64_t int_attribute(int32_t node, absl::string_view name, int64_t fallback) const;
  double float_attribute(int32_t node, absl::string_view name, double fallback) const;

 private:
  // The inputs and outputs of node n end where those of node n + 1 begin; one record more than nodes.
  struct NodeRecord {
    const Binding* binding = nullptr;
    uint32_t op : 28 = 0;  // symbol id
    bool has_spec_map : 1 = false;
    bool no_implicit_sharing : 1 = false;
    bool has_attributes : 1 = false;
    bool has_annotated_keywords : 1 = false;
    int32_t like = -1;
    int32_t first_input = 0;
    int32_t first_output = 0;
  };
  struct Input {
    int32_t value;
    int32_t spec;
    int32_t argument;
  };
  struct ValueRecord {
    int32_t producer = -1;
    int32_t output_index = -1;
    int32_t first_use = 0;
    int32_t use_count = 0;
    int32_t spec = -1;
    int32_t like = -1;
    int16_t rank = -1;
    uint8_t dtype = 0;
    bool is_input : 1 = false;
    bool is_output : 1 = false;
    bool is_constant : 1 = false;
    bool is_static : 1 = false;
    bool is_elsewhere : 1 = false;
    bool is_read_in_body : 1 = false;
    bool has_known_shape : 1 = false;
    bool is_no_tensor : 1 = false;
  };

  // References end where those of the next spec begin; one record more than specs.
  struct SpecRecord {
    int32_t like = -1;
    int32_t first_reference = 0;
    uint8_t kind = 0;
  };

  Graph() = default;
  absl::Status ReadSpecs();
  absl::Status ReadValues();
  void MarkReadInBodies();
  absl::Status ReadNodes();
  bool Refers(int32_t spec) const;  // a shared or derived one
  void LinkValues();
  void Order();
  void FindStatic();

  const v1::Graph* message_ = nullptr;
  std::vector<NodeRecord> nodes_;
  std::vector<Input> inputs_;
  std::vector<int32_t> outputs_;
  std::vector<ValueRecord> values_;
  std::vector<const std::string*> node_names_;
  std::vector<SpecRecord> specs_;
  std::vector<SpecPlace> references_;
  std::vector<Use> referring_edges_;
  std::vector<int32_t> referring_values_;
  std::vector<Use> uses_;
  std::vector<int32_t> order_;
  std::vector<int32_t> static_nodes_;
  std::vector<ConstantRecord> constants_;
  std::vector<int32_t> quantizers_;
  std::vector<int32_t> integer_nodes_;
  std::vector<int32_t> unknown_nodes_;
  std::vector<int32_t> unlike_values_;
  std::vector<int32_t> unlike_nodes_;
  std::vector<int32_t> unlike_specs_;
  int32_t max_captured_ = 0;
  bool has_user_orders_ = false;
  bool has_spec_maps_ = false;
  bool all_read_are_given_ = true;
  bool all_written_once_ = true;
  bool distinct_value_names_ = true;
  bool distinct_node_names_ = true;
  int num_cyclic_ = 0;
};

}  // namespace quantgate

#endif  // QUANTGATE_RULES_GRAPH_GRAPH_H_
