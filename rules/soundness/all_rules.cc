#include "rules/soundness/rules.h"

namespace quantgate {

absl::Span<const Rule> SoundnessRules() {
  static const Rule rules[] = {
      ModelVersion(),       TensorSize(),         ExternalTensor(),
      DuplicateTensor(),    DuplicateNode(),      TypeMismatch(),
      MissingQParams(),     OutputTypeExpected(), UnknownType(),
      EmptyGraph(),         DanglingTensor(),     NodeOrder(),
      GraphCycle(),         ConstantQParams(),    UnpairedQuantize(),
      DoubledQuantize(),    UnusedQuantize(),     QuantizePairMismatch(),
      UnknownOperator(),    CustomOperator(),     PackedBits(),
      ScaleRange(),         ZeroPointRange(),     StoredRange(),
      QParamsCount(),       AxisRange(),          BlockSize(),
      DanglingReference(),  SharingCycle(),       UnobservedGroup(),
      ImpliedRequantize(),  BiasScale(),          BiasZeroPoint(),
      BiasSaturation(),     DerivedFrom(),        OperatorVersion(),
      OpAttributes(),       ArgumentCount(),      DeclaredSize(),
      ElementTypes(),       DeclaredShape(),      ShapeMismatch(),
      ParameterRange(),     QParamsShape(),       SmallFloatZeroPoint(),
      StoredPairMismatch(), RepeatedOutput(),     UnobservedOutput(),
      IntegerAnnotation(),  FloatArithmetic(),    RoundedIndex(),
      BiasOverflow(),       ChannelRank(),        UnstatedAxis(),
      StrayAnnotation(),    DerivedLength(),      UncoveredRange(),
      AskedBlockSize(),     NothingAnnotated(),   OverruledSpec(),
      LostNegatives(),      IndexRange(),         OperandTypes(),
      ScaledFloat(),        ArchivePath(),        BiasType(),
      NarrowWeight(),       PerAxisActivation(),  WeightAxis(),
      UnsignedChannels(),   SameQParams(),        SharedRange(),
      FixedOutput(),        ShiftedTensor(),      StoredElement(),
      EncodingFields(),     EncodingsVersion(),   DuplicateEncoding(),
      EncodingAgreement(),  UnmatchedEncoding(),  NoEncodings(),
      LostAssignment(),     QuantizedScales(),    EncodingWidth(),
      BlockFactor(),        EncodingOffset(),     EncodingRange(),
      InfiniteNumber(),     NotANumber(),         QuantizerArguments(),
      StoredVariable(),     ObserverType(),       UnstatedRange(),
      ObserverScheme(),     ObserverDynamic(),    ObserverConstructor(),
      AveragedRange(),      CoarseSoftmax(),      FixedInput(),
      LostMask(),           ConcatObserver(),     ObservedTuple(),
      AnnotatedKeywords(),  ObserverRange(),      DerivedSource(),
      SummedAxis(),         LostAxis(),           ShiftedInteger(),
  };
  return rules;
}

}  // namespace quantgate
