// What single kernels refuse, or compute otherwise than their operator's definition says.
#ifndef QUANTGATE_RULES_BACKENDS_ONNXRUNTIME_KERNELS_H_
#define QUANTGATE_RULES_BACKENDS_ONNXRUNTIME_KERNELS_H_

#include <vector>

#include "rules/backends/onnxruntime/kernel_call.h"
#include "rules/engine/context.h"
#include "rules/engine/rule.h"

namespace quantgate::onnxruntime {

extern const RuleInfo kConcatTypes;      // DT503
extern const RuleInfo kClippedType;      // DT504
extern const RuleInfo kBlockGeometry;    // AX502
extern const RuleInfo kRunTimeBlocks;    // GS502
extern const RuleInfo kFusedBias;        // FX501
extern const RuleInfo kRunTimeWhere;     // GS504
extern const RuleInfo kSoftmaxOverflow;  // NR501
extern const RuleInfo kRemovedRelu;      // NR502

// True: the kernel refuses what it is called with.
bool CheckKernel(const Graph& graph, const KernelCall& call, const FindingSource& source, FindingSink& sink);

// A Clip or Relu in front of a QuantizeLinear (not a call of an integer kernel). True: the optimizer ends with an
// error.
bool CheckClip(const CheckContext& context, const std::vector<v1::DataType>& types, int32_t node,
               const FindingSource& source, FindingSink& sink);

}  // namespace quantgate::onnxruntime

#endif  // QUANTGATE_RULES_BACKENDS_ONNXRUNTIME_KERNELS_H_
