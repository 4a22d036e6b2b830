// One function per predicate kind: reads its arguments, returns the check. The vocabulary is in db/README.md.
#ifndef QUANTGATE_RULES_CONSTRAINTS_KINDS_H_
#define QUANTGATE_RULES_CONSTRAINTS_KINDS_H_

#include "rules/constraints/predicate.h"

namespace quantgate::kinds {

// shapes.cc
Evaluator Rank(Arguments& arguments);
Evaluator DimValue(Arguments& arguments);
Evaluator PowerOfTwo(Arguments& arguments);
Evaluator StaticDims(Arguments& arguments);
Evaluator SqueezedRank(Arguments& arguments);
Evaluator IntegerUpscale(Arguments& arguments);
Evaluator SpatialAreaBelow(Arguments& arguments);

// types.cc
Evaluator Types(Arguments& arguments);
Evaluator SameType(Arguments& arguments);
Evaluator PortTypes(Arguments& arguments);
Evaluator Bits(Arguments& arguments);
Evaluator Signed(Arguments& arguments);
Evaluator MinArch(Arguments& arguments);
Evaluator MaxArch(Arguments& arguments);

// encodings.cc
Evaluator RunTimeQparams(Arguments& arguments);
Evaluator Encodings(Arguments& arguments);
Evaluator EncodingUnsupported(Arguments& arguments);
Evaluator EncodingAxis(Arguments& arguments);
Evaluator Symmetric(Arguments& arguments);
Evaluator Asymmetric(Arguments& arguments);
Evaluator BlockSize(Arguments& arguments);

// qparams.cc
Evaluator FixedQparams(Arguments& arguments);
Evaluator EqualQparams(Arguments& arguments);
Evaluator EqualScale(Arguments& arguments);
Evaluator EqualZeroPoint(Arguments& arguments);
Evaluator ZeroPoint(Arguments& arguments);
Evaluator PositiveScale(Arguments& arguments);
Evaluator RequantizationMultiplier(Arguments& arguments);
Evaluator ScaleLimits(Arguments& arguments);

// constants.cc
Evaluator Static(Arguments& arguments);
Evaluator StaticChain(Arguments& arguments);
Evaluator ValueRange(Arguments& arguments);
Evaluator IndexRange(Arguments& arguments);
Evaluator UniqueIndices(Arguments& arguments);
Evaluator Absent(Arguments& arguments);
Evaluator PortGiven(Arguments& arguments);
Evaluator InputDefault(Arguments& arguments);

// params.cc
Evaluator Given(Arguments& arguments);
Evaluator NotGiven(Arguments& arguments);
Evaluator ParamIsOneOf(Arguments& arguments);
Evaluator ParamDefault(Arguments& arguments);
Evaluator ParamRange(Arguments& arguments);
Evaluator ParamElement(Arguments& arguments);
Evaluator ParamLength(Arguments& arguments);
Evaluator AxisRange(Arguments& arguments);
Evaluator AxisLast(Arguments& arguments);
Evaluator DilationStride(Arguments& arguments);
Evaluator OperationUnsupported(Arguments& arguments);
Evaluator Ignored(Arguments& arguments);
Evaluator Note(Arguments& arguments);
Evaluator Unclear(Arguments& arguments);

}  // namespace quantgate::kinds

#endif  // QUANTGATE_RULES_CONSTRAINTS_KINDS_H_
