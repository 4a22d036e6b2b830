// One function per predicate kind: reads its arguments, returns the check. The vocabulary is in db/README.md.
#ifndef QUANTGATE_RULES_CONSTRAINTS_KINDS_H_
#define QUANTGATE_RULES_CONSTRAINTS_KINDS_H_

#include "rules/constraints/predicate.h"

namespace quantgate::kinds {

// shapes.cc
Check Rank(Arguments& arguments);
Check DimValue(Arguments& arguments);
Check PowerOfTwo(Arguments& arguments);
Check StaticDims(Arguments& arguments);
Check SqueezedRank(Arguments& arguments);
Check IntegerUpscale(Arguments& arguments);
Check SpatialAreaBelow(Arguments& arguments);

// types.cc
Check Types(Arguments& arguments);
Check SameType(Arguments& arguments);
Check PortTypes(Arguments& arguments);
Check Bits(Arguments& arguments);
Check Signed(Arguments& arguments);
Check MinArch(Arguments& arguments);
Check MaxArch(Arguments& arguments);

// encodings.cc
Check RunTimeQparams(Arguments& arguments);
Check Encodings(Arguments& arguments);
Check EncodingUnsupported(Arguments& arguments);
Check EncodingAxis(Arguments& arguments);
Check Symmetric(Arguments& arguments);
Check Asymmetric(Arguments& arguments);
Check BlockSize(Arguments& arguments);

// qparams.cc
Check FixedQparams(Arguments& arguments);
Check EqualQparams(Arguments& arguments);
Check EqualScale(Arguments& arguments);
Check EqualZeroPoint(Arguments& arguments);
Check ZeroPoint(Arguments& arguments);
Check PositiveScale(Arguments& arguments);
Check RequantizationMultiplier(Arguments& arguments);

// constants.cc
Check Static(Arguments& arguments);
Check StaticChain(Arguments& arguments);
Check ValueRange(Arguments& arguments);
Check IndexRange(Arguments& arguments);
Check UniqueIndices(Arguments& arguments);
Check Absent(Arguments& arguments);
Check PortGiven(Arguments& arguments);
Check InputDefault(Arguments& arguments);

// params.cc
Check Given(Arguments& arguments);
Check NotGiven(Arguments& arguments);
Check ParamIsOneOf(Arguments& arguments);
Check ParamDefault(Arguments& arguments);
Check ParamRange(Arguments& arguments);
Check ParamElement(Arguments& arguments);
Check ParamLength(Arguments& arguments);
Check AxisRange(Arguments& arguments);
Check AxisLast(Arguments& arguments);
Check DilationStride(Arguments& arguments);
Check OperationUnsupported(Arguments& arguments);
Check Ignored(Arguments& arguments);
Check Note(Arguments& arguments);
Check Unclear(Arguments& arguments);

}  // namespace quantgate::kinds

#endif  // QUANTGATE_RULES_CONSTRAINTS_KINDS_H_
