// Which groups of DequantizeLinear, operator and QuantizeLinear become one integer kernel when a session is made
// (optimization level "extended" and above, which is the default), on x86-64.
//
// Facts read in core/optimizer/qdq_transformer of ONNX Runtime and confirmed by what sessions of 1.31.1 look like
// afterwards. The optimizer looks at types before it fuses, but not at all of them: what it fuses by mistake has no
// kernel, and the session fails.
#ifndef QUANTGATE_RULES_BACKENDS_ONNXRUNTIME_FUSION_H_
#define QUANTGATE_RULES_BACKENDS_ONNXRUNTIME_FUSION_H_

#include <string>
#include <vector>

#include "quantgate/v1/types.pb.h"
#include "rules/backends/onnxruntime/kernel_call.h"
#include "rules/backends/onnxruntime/moved_pair.h"

namespace quantgate::onnxruntime {

struct Group {
  enum Kind : uint8_t {
    kNone,     // not quantized all around, or not computed at all
    kFused,    // `call` says into what
    kInFloat,  // between its DequantizeLinear and QuantizeLinear nodes
  } kind = kNone;
  KernelCall call;
  // Of kInFloat: why, what it would take, and what to change (null: what the rule says).
  std::string reason;
  const char* needed = nullptr;
  const char* fix = nullptr;
  bool own_weight = false;  // of kFused: its weight is floats in the file
};

// `types` by value (rules/onnx/element_types.h), `pairs` by node as the optimizer puts them in, or empty. `group` is
// used again from node to node.
void FindGroup(const Graph& graph, const std::vector<v1::DataType>& types, const std::vector<MovedPair>& pairs,
               int32_t node, Group& group);

}  // namespace quantgate::onnxruntime

#endif  // QUANTGATE_RULES_BACKENDS_ONNXRUNTIME_FUSION_H_
