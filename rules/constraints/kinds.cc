#include "rules/constraints/kinds.h"

#include "rules/constraints/rules.h"

namespace quantgate {
namespace {

constexpr PredicateKind kKinds[] = {
    {"absent", PredicateScope::kTensor, &kUnsupportedPort, kinds::Absent},
    {"asymmetric", PredicateScope::kTensor, &kSymmetry, kinds::Asymmetric},
    {"axis_last", PredicateScope::kParameter, &kAxisParameter, kinds::AxisLast},
    {"axis_range", PredicateScope::kParameter, &kAxisParameter, kinds::AxisRange},
    {"bits", PredicateScope::kTensor, &kBitWidth, kinds::Bits},
    {"block_size", PredicateScope::kTensor, &kEncoding, kinds::BlockSize},
    {"dilation_stride", PredicateScope::kParameter, &kParameterValue, kinds::DilationStride},
    {"dim_value", PredicateScope::kTensor, &kShape, kinds::DimValue},
    {"encoding_axis", PredicateScope::kTensor, &kEncodingAxis, kinds::EncodingAxis, true},
    {"encoding_unsupported", PredicateScope::kTensor, &kEncoding, kinds::EncodingUnsupported},
    {"encodings", PredicateScope::kTensor, &kEncoding, kinds::Encodings},
    {"equal_qparams", PredicateScope::kTensor, &kUnequalScale, kinds::EqualQparams},
    {"equal_scale", PredicateScope::kTensor, &kUnequalScale, kinds::EqualScale},
    {"equal_zero_point", PredicateScope::kTensor, &kUnequalZeroPoint, kinds::EqualZeroPoint},
    {"fixed_qparams", PredicateScope::kTensor, &kFixedQparams, kinds::FixedQparams},
    {"given", PredicateScope::kParameter, &kMissingPort, kinds::Given},
    {"ignored", PredicateScope::kAny, &kIgnoredParameter, kinds::Ignored},
    {"index_range", PredicateScope::kTensor, &kIndexRange, kinds::IndexRange},
    {"input_default", PredicateScope::kTensor, &kUnsupportedPort, kinds::InputDefault},
    {"integer_upscale", PredicateScope::kTensor, &kShape, kinds::IntegerUpscale},
    {"max_arch", PredicateScope::kAny, &kMinimumArch, kinds::MaxArch},
    {"min_arch", PredicateScope::kAny, &kMinimumArch, kinds::MinArch, true},
    {"not_given", PredicateScope::kParameter, &kUnsupportedPort, kinds::NotGiven},
    {"note", PredicateScope::kAny, &kTableNote, kinds::Note},
    {"operation_unsupported", PredicateScope::kAny, &kOperationSupport, kinds::OperationUnsupported},
    {"param_default", PredicateScope::kParameter, &kParameterValue, kinds::ParamDefault},
    {"param_element", PredicateScope::kParameter, &kParameterValue, kinds::ParamElement},
    {"param_length", PredicateScope::kParameter, &kParameterValue, kinds::ParamLength},
    {"param_range", PredicateScope::kParameter, &kParameterValue, kinds::ParamRange},
    {"param_value", PredicateScope::kParameter, &kParameterValue, kinds::ParamIsOneOf},
    {"port_given", PredicateScope::kTensor, &kMissingPort, kinds::PortGiven},
    {"port_types", PredicateScope::kAny, &kPortType, kinds::PortTypes},
    {"positive_scale", PredicateScope::kTensor, &kNegativeScale, kinds::PositiveScale},
    {"power_of_two", PredicateScope::kTensor, &kShape, kinds::PowerOfTwo},
    {"rank", PredicateScope::kTensor, &kRank, kinds::Rank},
    {"requantization_multiplier", PredicateScope::kTensor, &kRequantizationMultiplier, kinds::RequantizationMultiplier},
    {"run_time_qparams", PredicateScope::kTensor, &kRunTimeQparams, kinds::RunTimeQparams},
    {"same_type", PredicateScope::kTensor, &kPortType, kinds::SameType},
    {"scale_limits", PredicateScope::kTensor, &kScaleLimits, kinds::ScaleLimits},
    {"signed", PredicateScope::kTensor, &kSignedness, kinds::Signed},
    {"spatial_area_below", PredicateScope::kAny, &kShape, kinds::SpatialAreaBelow},
    {"squeezed_rank", PredicateScope::kTensor, &kShape, kinds::SqueezedRank},
    {"static", PredicateScope::kTensor, &kConstness, kinds::Static},
    {"static_chain", PredicateScope::kTensor, &kConstness, kinds::StaticChain},
    {"static_dims", PredicateScope::kTensor, &kDynamicShape, kinds::StaticDims},
    {"symmetric", PredicateScope::kTensor, &kSymmetry, kinds::Symmetric},
    {"types", PredicateScope::kTensor, &kPortType, kinds::Types},
    {"unclear", PredicateScope::kAny, &kTableNote, kinds::Unclear},
    {"unique_indices", PredicateScope::kAny, &kDuplicateIndices, kinds::UniqueIndices},
    {"value_range", PredicateScope::kTensor, &kValueRange, kinds::ValueRange},
    {"zero_point", PredicateScope::kTensor, &kZeroPoint, kinds::ZeroPoint},
};

}  // namespace

absl::Span<const PredicateKind> AllPredicateKinds() { return kKinds; }

absl::Span<const absl::string_view> PredicateKinds() {
  static const std::vector<absl::string_view>* const names = [] {
    auto* list = new std::vector<absl::string_view>();
    for (const PredicateKind& kind : kKinds) list->push_back(kind.name);
    return list;
  }();
  return *names;
}

}  // namespace quantgate
