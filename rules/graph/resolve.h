// Resolution: for every compute node, which spec each of its ports really has. Quantize/Dequantize nodes, integer
// operators and annotations all end in the same form, so a rule never asks how a graph was quantized.
#ifndef QUANTGATE_RULES_GRAPH_RESOLVE_H_
#define QUANTGATE_RULES_GRAPH_RESOLVE_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "quantgate/v1/spec.pb.h"
#include "quantgate/v1/types.pb.h"
#include "rules/graph/graph.h"
#include "rules/graph/qparams_store.h"

namespace quantgate {

enum class Tri : uint8_t { kUnknown, kNo, kYes };

// One port of one node after resolution.
struct Operand {
  int32_t value = -1;       // what a user recognizes: float tensor of an activation, stored constant of a weight
  int32_t edge_value = -1;  // what the node consumes or produces in the file
  int32_t spec = -1;        // the spec that decided, id into message().specs(); -1: from Q/DQ or none
  int32_t qparams = -1;     // index into ResolvedGraph::qparams; -1: not quantized or not known
  int32_t quantizer = -1;   // the Quantize or Dequantize node folded into this operand; -1: none
  // Two operands of one `type` and one stored form (>= 0) have the same range, the same parameters and specs that say
  // the same. kNoForm: not quantized, nor said to be real by an encodings file. kFormUnlike: quantized like no other.
  static constexpr int32_t kNoForm = -1;
  static constexpr int32_t kFormUnlike = -2;
  int32_t form = kNoForm;
  v1::DataType type = v1::DATA_TYPE_UNSPECIFIED;  // stored type when quantized, else the tensor's own
  int64_t quant_min = 0;                          // stored range, meaningful when `quantized`
  int64_t quant_max = 0;
  int16_t argument = -1;  // position in the node's inputs (or outputs); Location.input
  uint8_t port = 0;       // index into Operator::inputs / outputs
  bool present = false;
  bool quantized = false;
  bool is_static = false;          // a stored constant (through its Dequantize)
  bool static_chain = false;       // constant, or computed from constants alone
  Tri is_dynamic = Tri::kUnknown;  // qparams computed at run time
  bool annotated_none = false;     // an explicit "do not quantize"
};

// A node that computes, with its operands by argument position. Quantize and Dequantize nodes are folded into the
// operands they describe; three kinds stay operators: Quantize of a float tensor that is no folded output (a graph
// input), Dequantize into a graph output, and Dequantize followed by Quantize, which is one Requantize at the Quantize
// node.
struct ResolvedOp {
  int32_t node = -1;
  // Index into ops() of the first one that is the same but for what its constants hold, itself when there is none
  // before: operator and attributes; of each operand the form, type, shape, role and where it comes from. -1: an
  // operand is quantized like no other.
  int32_t like = -1;
  const Operator* op = nullptr;  // null: unknown operator
  uint32_t first_input = 0;
  uint32_t input_count = 0;
  uint32_t first_output = 0;
  uint32_t output_count = 0;
};

// What stands between Quantize and Dequantize nodes. By unit a node with floats on one side computes in float, between
// operators that turn one into the other (QuantizedUnits); that is how runtimes and converters read such graphs.
// ExecuTorch's QNN passes leave no operator there: a Quantize gives its parameters to the tensor that it reads, whoever
// else reads that, and a node has floats on that side alone.
enum class Reading : uint8_t { kByUnit, kByTensor };

class ResolvedGraph {
 public:
  // Never fails: what cannot be resolved is left unknown and found by rules.
  static ResolvedGraph Resolve(const Graph& graph, Reading reading = Reading::kByUnit);
  // Read by tensor, the graph would be another: some node between Quantize and Dequantize nodes computes in float.
  bool depends_on_reading() const { return depends_on_reading_; }

  absl::Span<const ResolvedOp> ops() const { return ops_; }
  // Indices into ops() of those that are the first of their kind, or like no other; in the order of ops(). What follows
  // from what operators that are alike have in common, and holds for these, holds for all.
  absl::Span<const int32_t> unlike_ops() const { return unlike_ops_; }
  absl::Span<const Operand> inputs(const ResolvedOp& op) const {
    return absl::MakeConstSpan(operands_).subspan(op.first_input, op.input_count);
  }
  absl::Span<const Operand> outputs(const ResolvedOp& op) const {
    return absl::MakeConstSpan(operands_).subspan(op.first_output, op.output_count);
  }
  // First operand bound to that port (index into Operator::inputs); null when absent.
  const Operand* input(const ResolvedOp& op, int port) const;
  const QuantParams* qparams(const Operand& operand) const {
    return operand.qparams < 0 ? nullptr : &qparams_[operand.qparams];
  }
  absl::Span<const QuantParams> all_qparams() const { return qparams_.all(); }
  // What a Quantize node writes or a Dequantize node reads, folded or not: `edge_value` is the stored tensor, `value`
  // the float tensor in front of it or the stored constant. Null for other nodes.
  const Operand* quantizer(int32_t node) const {
    return quantizer_of_node_[node] < 0 ? nullptr : &quantizers_[quantizer_of_node_[node]];
  }
  // Tensors with a spec that no operator reads or writes with it: what an encodings file says of names that its model
  // lacks, or without a model at all, and in PT2E inputs and constants that are annotated themselves.
  absl::Span<const Operand> idle() const { return idle_; }
  // Index into ops() of the node, -1 when the node was folded.
  int32_t op_of_node(int32_t node) const { return op_of_node_[node]; }

 private:
  friend class Resolver;
  std::vector<ResolvedOp> ops_;
  std::vector<int32_t> unlike_ops_;
  std::vector<Operand> operands_;
  std::vector<Operand> idle_;
  QParamsStore qparams_;
  std::vector<int32_t> op_of_node_;
  std::vector<Operand> quantizers_;
  std::vector<int32_t> quantizer_of_node_;
  bool depends_on_reading_ = false;
};

// Scales that a check of the graph reads: those of a spec count at each operand that has it. Far more than the message
// holds, where many operands share a spec of many channels.
int64_t ScalesRead(const ResolvedGraph& graph);

// The tensor that holds what an input operand is: the stored integers where a Dequantize was folded; -1: none.
int32_t StoredValue(const Graph& graph, const Operand& input);

// Bits of the stored range: 8 for 0..255, 4 for -8..7 kept in int8.
int EffectiveBits(const Operand& operand);

}  // namespace quantgate

#endif  // QUANTGATE_RULES_GRAPH_RESOLVE_H_
