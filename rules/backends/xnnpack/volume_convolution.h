// A convolution over volumes, which nothing computes once XNNPACK has left it.
#ifndef QUANTGATE_RULES_BACKENDS_XNNPACK_VOLUME_CONVOLUTION_H_
#define QUANTGATE_RULES_BACKENDS_XNNPACK_VOLUME_CONVOLUTION_H_

#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/engine/module.h"

namespace quantgate::xnnpack {

extern const RuleInfo kVolumeConvolution;

void CheckVolumeConvolution(const CheckContext& context, const Target& target, FindingSink& sink, ModuleResult& result);

}  // namespace quantgate::xnnpack

#endif  // QUANTGATE_RULES_BACKENDS_XNNPACK_VOLUME_CONVOLUTION_H_
