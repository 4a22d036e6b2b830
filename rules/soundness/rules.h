// The target-independent rules: is this file, this graph, sound anywhere? One rule, one source file in the folder of
// its family, one factory here.
#ifndef QUANTGATE_RULES_SOUNDNESS_RULES_H_
#define QUANTGATE_RULES_SOUNDNESS_RULES_H_

#include "absl/types/span.h"
#include "rules/engine/rule.h"

namespace quantgate {

// All of them, in the order in which they run.
absl::Span<const Rule> SoundnessRules();

// FI: what the file says about itself does not hold (file/).
Rule ModelVersion();        // FI003
Rule TensorSize();          // FI004
Rule ExternalTensor();      // FI005
Rule DuplicateTensor();     // FI006
Rule DuplicateNode();       // FI007
Rule TypeMismatch();        // FI008
Rule MissingQParams();      // FI009
Rule OutputTypeExpected();  // FI010
Rule UnknownType();         // FI011
Rule OperatorVersion();     // FI012
Rule DeclaredSize();        // FI013
Rule ElementTypes();        // FI014
Rule DeclaredShape();       // FI015
Rule RepeatedOutput();      // FI016
Rule StoredElement();       // FI017
Rule IndexRange();          // FI018
Rule OperandTypes();        // FI019
Rule ScaledFloat();         // FI020
Rule EncodingFields();      // FI021
Rule EncodingsVersion();    // FI022
Rule DuplicateEncoding();   // FI023
Rule EncodingAgreement();   // FI024
Rule ArchivePath();         // FI025
Rule QuantizerArguments();  // FI026
Rule StoredVariable();      // FI027

// GS: graph structure (structure/).
Rule EmptyGraph();            // GS001
Rule DanglingTensor();        // GS002
Rule NodeOrder();             // GS003
Rule GraphCycle();            // GS004
Rule ConstantQParams();       // GS005
Rule UnpairedQuantize();      // GS006
Rule DoubledQuantize();       // GS007
Rule UnusedQuantize();        // GS008
Rule QuantizePairMismatch();  // GS009
Rule OpAttributes();          // GS010
Rule ArgumentCount();         // GS011
Rule ShapeMismatch();         // GS012
Rule ParameterRange();        // GS013
Rule StoredPairMismatch();    // GS014
Rule UnmatchedEncoding();     // GS015
Rule NoEncodings();           // GS016
Rule LostAssignment();        // GS017
Rule QuantizedScales();       // GS018
Rule ObservedTuple();         // GS019
Rule AnnotatedKeywords();     // GS020

// CV: coverage (coverage/).
Rule UnknownOperator();   // CV001
Rule CustomOperator();    // CV002
Rule UnobservedOutput();  // CV003
Rule NothingAnnotated();  // CV004

// DT: element types (types/).
Rule PackedBits();         // DT001
Rule IntegerAnnotation();  // DT002
Rule FloatArithmetic();    // DT003
Rule BiasType();           // DT004
Rule ObserverType();       // DT005
Rule EncodingWidth();      // DT006
Rule RoundedIndex();       // DT007

// NR: numeric range (numbers/).
Rule ScaleRange();      // NR001
Rule ZeroPointRange();  // NR002
Rule StoredRange();     // NR003
Rule BiasOverflow();    // NR004
Rule NarrowWeight();    // NR005
Rule BlockFactor();     // NR006
Rule EncodingOffset();  // NR007
Rule EncodingRange();   // NR008
Rule InfiniteNumber();  // NR009
Rule NotANumber();      // NR010
Rule ObserverRange();   // NR011

// AX: geometry (geometry/).
Rule QParamsCount();       // AX001
Rule AxisRange();          // AX002
Rule BlockSize();          // AX003
Rule QParamsShape();       // AX004
Rule ChannelRank();        // AX005
Rule UnstatedAxis();       // AX006
Rule AskedBlockSize();     // AX007
Rule PerAxisActivation();  // AX008
Rule WeightAxis();         // AX009
Rule UnsignedChannels();   // AX010
Rule SummedAxis();         // AX011
Rule LostAxis();           // AX012

// QS: schemes (schemes/).
Rule SmallFloatZeroPoint();  // QS001
Rule ShiftedTensor();        // QS002
Rule LostNegatives();        // QS003
Rule ObserverScheme();       // QS004
Rule ObserverDynamic();      // QS005
Rule ObserverConstructor();  // QS006
Rule ConcatObserver();       // QS007
Rule ShiftedInteger();       // QS008

// SH: sharing (sharing/).
Rule DanglingReference();  // SH001
Rule SharingCycle();       // SH002
Rule UnobservedGroup();    // SH003
Rule ImpliedRequantize();  // SH004
Rule StrayAnnotation();    // SH005
Rule OverruledSpec();      // SH006
Rule SameQParams();        // SH007
Rule SharedRange();        // SH008
Rule AveragedRange();      // SH009

// FX: fixed and derived parameters (derived/).
Rule BiasScale();       // FX001
Rule BiasZeroPoint();   // FX002
Rule BiasSaturation();  // FX003
Rule DerivedFrom();     // FX004
Rule DerivedLength();   // FX005
Rule UncoveredRange();  // FX006
Rule FixedOutput();     // FX007
Rule UnstatedRange();   // FX008
Rule CoarseSoftmax();   // FX009
Rule FixedInput();      // FX010
Rule LostMask();        // FX011
Rule DerivedSource();   // FX012

}  // namespace quantgate

#endif  // QUANTGATE_RULES_SOUNDNESS_RULES_H_
