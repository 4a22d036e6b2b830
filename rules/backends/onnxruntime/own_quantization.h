// What the optimizer quantizes by itself, before it looks for groups: a float bias becomes int32 in the scale of input
// times weight, a float weight int8 with one scale.
//
// Facts read in core/optimizer/qdq_transformer/weight_bias_quantization.cc of ONNX Runtime, and asked of sessions of
// 1.31.1.
#ifndef QUANTGATE_RULES_BACKENDS_ONNXRUNTIME_OWN_QUANTIZATION_H_
#define QUANTGATE_RULES_BACKENDS_ONNXRUNTIME_OWN_QUANTIZATION_H_

#include <cstdint>
#include <vector>

#include "quantgate/v1/types.pb.h"
#include "rules/engine/finding.h"
#include "rules/engine/rule.h"
#include "rules/graph/graph.h"

namespace quantgate::onnxruntime {

extern const RuleInfo kOwnWeight;  // NR505
extern const RuleInfo kHalfBias;   // NR506

struct OwnQuantization {
  bool weight = false;
  bool bias = false;
  // The scale of that bias is computed as the graph runs: a list of one times a scalar is not made a constant.
  bool bias_at_run_time = false;
};

// Of a node's second and third input. `types` by value.
OwnQuantization OwnQuantizationOf(const Graph& graph, const std::vector<v1::DataType>& types, int32_t node);

// Says where a weight of floats is computed with as int8.
void CheckOwnWeight(const Graph& graph, const std::vector<v1::DataType>& types, int32_t node,
                    const FindingSource& source, FindingSink& sink);

// Says where a bias of float16 is lost on its way to int32.
void CheckOwnBias(const Graph& graph, const std::vector<v1::DataType>& types, int32_t node, const FindingSource& source,
                  FindingSink& sink);

}  // namespace quantgate::onnxruntime

#endif  // QUANTGATE_RULES_BACKENDS_ONNXRUNTIME_OWN_QUANTIZATION_H_
