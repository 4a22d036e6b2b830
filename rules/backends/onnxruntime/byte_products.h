// NR503: products of uint8 and int8 whose sums saturate on x86 processors without VNNI.
#ifndef QUANTGATE_RULES_BACKENDS_ONNXRUNTIME_BYTE_PRODUCTS_H_
#define QUANTGATE_RULES_BACKENDS_ONNXRUNTIME_BYTE_PRODUCTS_H_

#include "rules/backends/onnxruntime/kernel_call.h"
#include "rules/engine/rule.h"

namespace quantgate::onnxruntime {

extern const RuleInfo kByteProducts;  // NR503

void CheckByteProducts(const Graph& graph, const KernelCall& call, const FindingSource& source, FindingSink& sink);

}  // namespace quantgate::onnxruntime

#endif  // QUANTGATE_RULES_BACKENDS_ONNXRUNTIME_BYTE_PRODUCTS_H_
