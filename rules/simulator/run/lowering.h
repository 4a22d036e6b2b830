// From a node as its origin writes it to a kernel call: canonical attributes, operands by port. What an origin passes
// as a tensor of shapes, axes or sizes becomes attributes, so this happens when those are known: as the graph runs.
#ifndef QUANTGATE_RULES_SIMULATOR_RUN_LOWERING_H_
#define QUANTGATE_RULES_SIMULATOR_RUN_LOWERING_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "rules/graph/graph.h"
#include "rules/simulator/attributes.h"
#include "rules/simulator/kernel.h"
#include "rules/simulator/tensor.h"

namespace quantgate::simulator {

using Integers = std::vector<int64_t>;

// A node's arguments and attributes.
class NodeReader {
 public:
  // `tensor`: of a value of the graph; null when it is not known.
  using TensorOf = std::function<const Tensor*(int32_t value)>;
  NodeReader(const Graph& graph, int32_t node, const TensorOf& tensor) : graph_(graph), node_(node), tensor_(tensor) {}

  const Graph& graph() const { return graph_; }
  absl::string_view op_type() const { return graph_.op_type(node_); }
  const v1::Attribute* attribute(absl::string_view name) const {
    if (asked_ != nullptr) asked_->push_back(name);
    return graph_.attribute(node_, name);
  }
  // All that the node states.
  const google::protobuf::RepeatedPtrField<v1::Attribute>& attributes() const {
    return graph_.node(node_).attributes();
  }
  // The same node; `asked` gets the names of the attributes that are asked for.
  NodeReader Recording(std::vector<absl::string_view>& asked) const {
    NodeReader reader = *this;
    reader.asked_ = &asked;
    return reader;
  }
  int64_t Int(absl::string_view name, int64_t fallback) const;
  double Real(absl::string_view name, double fallback) const;
  std::optional<Integers> Ints(absl::string_view name) const;
  absl::string_view Text(absl::string_view name) const;

  // By position as the origin counts.
  bool HasArgument(int position) const { return Value(position) >= 0; }
  const Tensor* Argument(int position) const;
  std::optional<Integers> ArgumentInts(int position) const;
  std::optional<double> ArgumentReal(int position) const;
  // The attribute, or else the argument.
  std::optional<Integers> IntsOf(absl::string_view name, int position) const;
  // Sizes of an argument's tensor; empty when it is not known.
  absl::Span<const int64_t> Dims(int position) const;
  // Its declared element type.
  v1::DataType argument_type(int position) const {
    return Value(position) < 0 ? v1::DATA_TYPE_UNSPECIFIED : graph_.dtype(Value(position));
  }
  int num_outputs() const { return graph_.num_outputs(node_); }
  // Declared element type of an output.
  v1::DataType output_type(int output) const {
    return output < num_outputs() && graph_.output(node_, output) >= 0 ? graph_.dtype(graph_.output(node_, output))
                                                                       : v1::DATA_TYPE_UNSPECIFIED;
  }
  int64_t opset(absl::string_view domain = "") const;

 private:
  int32_t Value(int position) const;

  const Graph& graph_;
  const int32_t node_;
  const TensorOf& tensor_;
  std::vector<absl::string_view>* asked_ = nullptr;
};

struct Lowered {
  OpId op = OpId::kUnknown;
  Layout layout = Layout::kChannelsFirst;
  Attributes attributes;
  // How many of the ports in front are data; the others became attributes. -1: all.
  int data_ports = -1;
  // A scalar that the origin states as a number, in the place of a port.
  std::optional<double> scalar;
  int scalar_port = 1;
  // What goes with integers is then no integer, whatever the number is.
  bool scalar_is_real = false;
  // What a Pad writes where its operand is integers as they are stored: one of them.
  std::optional<double> stored_fill;
  // The first operand is taken in this shape, the first result given in that one (with one -1). Sizes do not change.
  std::optional<Integers> input_shape;
  std::optional<Integers> output_shape;
  // The second operand is taken in this shape.
  std::optional<Integers> second_shape;
  // The first axis of the first result, of size 1, is not in the graph's.
  bool drops_first_axis = false;
};

// UNIMPLEMENTED: `what` ("sizes") is computed by the graph, and a lowering needs it beforehand.
absl::Status Unknown(absl::string_view what);

// UNIMPLEMENTED with a reason: there is no kernel for what the node asks.
absl::Status LowerOnnx(const NodeReader& node, Lowered& lowered);
absl::Status LowerTflite(const NodeReader& node, Lowered& lowered);
absl::Status LowerAten(const NodeReader& node, Lowered& lowered);
// An argument that LowerAten does not ask for is a reason too, unless it changes no number.
absl::Status LowerAtenInFull(const NodeReader& node, Lowered& lowered);

}  // namespace quantgate::simulator

#endif  // QUANTGATE_RULES_SIMULATOR_RUN_LOWERING_H_
