// What is run, in which order, and how long its results are kept.
//
// A node between Dequantize and Quantize nodes that computes on quantized tensors is one step that reads and writes
// stored integers (rules/graph/resolve.h says which do); what stays in float is a step on floats, with Quantize and
// Dequantize steps around it.
#ifndef QUANTGATE_RULES_SIMULATOR_RUN_PLAN_H_
#define QUANTGATE_RULES_SIMULATOR_RUN_PLAN_H_

#include <cstdint>
#include <vector>

#include "rules/graph/graph.h"
#include "rules/graph/resolve.h"
#include "rules/simulator/tensor.h"

namespace quantgate::simulator {

// One tensor that a step reads or writes. Ids are those of Graph.
struct Slot {
  int32_t value = -1;  // the stored tensor where it is quantized, otherwise the float or index tensor; -1: omitted
  int port = 0;
  bool quantized = false;
  v1::DataType type = v1::DATA_TYPE_UNSPECIFIED;  // meaningful when quantized
  int64_t quant_min = 0;
  int64_t quant_max = 0;
  // Empty scales although quantized: computed as the graph runs, by the arguments of `quantizer`.
  Quantization q;
  int32_t quantizer = -1;  // the Quantize or Dequantize node that is folded into it
  // The zero point beside the scales of `q` is computed as the graph runs.
  bool late_zero_point = false;
  // Integers with no parameters of their own, or with others: they are put among those of the result as they are.
  bool borrowed = false;
};

struct Step {
  int32_t node = -1;
  OpId op = OpId::kUnknown;
  std::vector<Slot> inputs;   // in the order of the operands
  std::vector<Slot> outputs;  // by output index
  // Values that nobody reads after this step.
  std::vector<int32_t> last_reads;
};

// Graph and resolved graph must outlive nothing of it.
std::vector<Step> MakePlan(const Graph& graph, const ResolvedGraph& resolved);

// Whether the zero point of a Quantize or Dequantize node is the result of another one.
bool HasLateZeroPoint(const Graph& graph, int32_t quantizer);

// Parameters as kernels take them; empty: not known, or of a geometry that kernels do not have.
Quantization QuantizationOf(const QuantParams* params, int rank);

}  // namespace quantgate::simulator

#endif  // QUANTGATE_RULES_SIMULATOR_RUN_PLAN_H_
