// Tensors of int32 around what is computed on integers.
#ifndef QUANTGATE_RULES_BACKENDS_XNNPACK_WIDE_TENSOR_H_
#define QUANTGATE_RULES_BACKENDS_XNNPACK_WIDE_TENSOR_H_

#include "rules/backends/table_judge.h"
#include "rules/constraints/backend_op.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/engine/module.h"

namespace quantgate::xnnpack {

extern const RuleInfo kWideTensor;
extern const RuleInfo kWideZeroPoint;

// Of an operator that the partitioner takes otherwise: what its tensors of int32 come to.
Fate CheckWideTensors(const BackendOp& op, const Target& target, FindingSink& sink);

}  // namespace quantgate::xnnpack

#endif  // QUANTGATE_RULES_BACKENDS_XNNPACK_WIDE_TENSOR_H_
