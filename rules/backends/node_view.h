// One resolved node with easy access to its ports and attributes, whatever its origin.
#ifndef QUANTGATE_RULES_BACKENDS_NODE_VIEW_H_
#define QUANTGATE_RULES_BACKENDS_NODE_VIEW_H_

#include <cstdint>
#include <initializer_list>
#include <optional>

#include "absl/container/inlined_vector.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "rules/engine/context.h"

namespace quantgate {

using IntVector = absl::InlinedVector<int64_t, 8>;
using Names = std::initializer_list<absl::string_view>;

class NodeView {
 public:
  // `looked_at_constants` becomes true when a constant's content is read.
  NodeView(const CheckContext& context, const ResolvedOp& op, bool* looked_at_constants)
      : context_(context),
        op_(op),
        inputs_(context.resolved().inputs(op)),
        outputs_(context.resolved().outputs(op)),
        looked_at_constants_(looked_at_constants) {}

  // Other operands than the graph states, which are kept elsewhere.
  void Replace(absl::Span<const Operand> inputs) { inputs_ = inputs; }
  void Replace(absl::Span<const Operand> inputs, absl::Span<const Operand> outputs) {
    inputs_ = inputs;
    outputs_ = outputs;
  }
  // A tensor has one encoding for all who read it (shared_encoding.h); otherwise an edge has the one that it states.
  void ShareEncodings() { shares_encodings_ = true; }

  const CheckContext& context() const { return context_; }
  const Graph& graph() const { return context_.graph(); }
  const ResolvedOp& op() const { return op_; }
  int32_t node() const { return op_.node; }
  absl::string_view op_type() const { return graph().op_type(op_.node); }
  absl::Span<const Operand> inputs() const { return inputs_; }
  absl::Span<const Operand> outputs() const { return outputs_; }
  bool shares_encodings() const { return shares_encodings_; }
  // ONNX and ATen put channels second; TFLite and QNN put them last.
  bool channels_first() const { return graph().origin() == v1::Graph::ONNX || graph().origin() == v1::Graph::PT2E; }

  // First operand that is given for the port; null when absent.
  const Operand* input(int port) const;
  const Operand* output(int port) const;
  // Rank of the operand's tensor, -1 when unknown.
  int rank(const Operand* operand) const;
  // Size along `axis` (origin's layout), -1 when unknown.
  int64_t dim(const Operand* operand, int axis) const;

  // The first attribute of these names; null when none is there.
  const v1::Attribute* attribute(Names names) const;
  std::optional<int64_t> integer(Names names) const;
  std::optional<double> real(Names names) const;
  absl::string_view text(Names names) const;
  // Integers of an attribute (a single one counts as a list of one), else of the constant at `port` (ONNX moved axes,
  // pads and shapes there over time), or of what is computed there before the model runs. nullopt: neither is there, or
  // the port is computed while it does.
  std::optional<IntVector> integers(Names names, int port = -1) const;
  // First real number of an attribute, else of the constant at `port`.
  std::optional<double> scalar(Names names, int port = -1) const;

 private:
  // Null: the operand is none, or not there.
  const v1::Value* constant(int port) const;
  std::optional<IntVector> computed(int port) const;

  const CheckContext& context_;
  const ResolvedOp& op_;
  absl::Span<const Operand> inputs_;
  absl::Span<const Operand> outputs_;
  bool* looked_at_constants_;
  bool shares_encodings_ = false;
};

// Axis counted from the front; `rank` unknown leaves it as it is.
inline int64_t Normalize(int64_t axis, int rank) { return axis < 0 && rank > 0 ? axis + rank : axis; }

// Whether something takes the output; false where there is none.
bool IsRead(const NodeView& view, const Operand* output);

// A convolution of an input without a batch. PyTorch takes it apart: the input gets a dimension of size 1 behind its
// Dequantize, and the output loses it in front of its Quantize.
bool IsUnbatchedConvolution(const NodeView& view);

// A hardtanh of ATen with a minimum and without a maximum, which PyTorch leaves out where it is 1.
bool IsHardtanhWithoutMaximum(const Graph& graph, int32_t node);

}  // namespace quantgate

#endif  // QUANTGATE_RULES_BACKENDS_NODE_VIEW_H_
