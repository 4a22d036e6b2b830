#include "rules/constraints/kinds.h"

#include "rules/constraints/rules.h"

namespace quantgate {
namespace {

constexpr PredicateKind kKinds[] = {
    {"absent", Scope::kTensor, &kUnsupportedPort, kinds::Absent},
    {"asymmetric", Scope::kTensor, &kSymmetry, kinds::Asymmetric},
    {"axis_last", Scope::kParameter, &kAxisParameter, kinds::AxisLast},
    {"axis_range", Scope::kParameter, &kAxisParameter, kinds::AxisRange},
    {"bits", Scope::kTensor, &kBitWidth, kinds::Bits},
    {"block_size", Scope::kTensor, &kEncoding, kinds::BlockSize},
    {"dilation_stride", Scope::kParameter, &kParameterValue, kinds::DilationStride},
    {"dim_value", Scope::kTensor, &kShape, kinds::DimValue},
    {"encoding_axis", Scope::kTensor, &kEncodingAxis, kinds::EncodingAxis},
    {"encoding_unsupported", Scope::kTensor, &kEncoding, kinds::EncodingUnsupported},
    {"encodings", Scope::kTensor, &kEncoding, kinds::Encodings},
    {"equal_qparams", Scope::kTensor, &kUnequalScale, kinds::EqualQparams},
    {"equal_scale", Scope::kTensor, &kUnequalScale, kinds::EqualScale},
    {"equal_zero_point", Scope::kTensor, &kUnequalZeroPoint, kinds::EqualZeroPoint},
    {"fixed_qparams", Scope::kTensor, &kFixedQparams, kinds::FixedQparams},
    {"given", Scope::kParameter, &kMissingPort, kinds::Given},
    {"ignored", Scope::kAny, &kIgnoredParameter, kinds::Ignored},
    {"index_range", Scope::kTensor, &kIndexRange, kinds::IndexRange},
    {"input_default", Scope::kTensor, &kUnsupportedPort, kinds::InputDefault},
    {"integer_upscale", Scope::kTensor, &kShape, kinds::IntegerUpscale},
    {"max_arch", Scope::kAny, &kMinimumArch, kinds::MaxArch},
    {"min_arch", Scope::kAny, &kMinimumArch, kinds::MinArch},
    {"not_given", Scope::kParameter, &kUnsupportedPort, kinds::NotGiven},
    {"note", Scope::kAny, &kTableNote, kinds::Note},
    {"operation_unsupported", Scope::kAny, &kOperationSupport, kinds::OperationUnsupported},
    {"param_default", Scope::kParameter, &kParameterValue, kinds::ParamDefault},
    {"param_element", Scope::kParameter, &kParameterValue, kinds::ParamElement},
    {"param_length", Scope::kParameter, &kParameterValue, kinds::ParamLength},
    {"param_range", Scope::kParameter, &kParameterValue, kinds::ParamRange},
    {"param_value", Scope::kParameter, &kParameterValue, kinds::ParamIsOneOf},
    {"port_given", Scope::kTensor, &kMissingPort, kinds::PortGiven},
    {"port_types", Scope::kAny, &kPortType, kinds::PortTypes},
    {"positive_scale", Scope::kTensor, &kNegativeScale, kinds::PositiveScale},
    {"power_of_two", Scope::kTensor, &kShape, kinds::PowerOfTwo},
    {"rank", Scope::kTensor, &kRank, kinds::Rank},
    {"requantization_multiplier", Scope::kTensor, &kRequantizationMultiplier, kinds::RequantizationMultiplier},
    {"run_time_qparams", Scope::kTensor, &kRunTimeQparams, kinds::RunTimeQparams},
    {"same_type", Scope::kTensor, &kPortType, kinds::SameType},
    {"signed", Scope::kTensor, &kSignedness, kinds::Signed},
    {"spatial_area_below", Scope::kAny, &kShape, kinds::SpatialAreaBelow},
    {"squeezed_rank", Scope::kTensor, &kShape, kinds::SqueezedRank},
    {"static", Scope::kTensor, &kConstness, kinds::Static},
    {"static_chain", Scope::kTensor, &kConstness, kinds::StaticChain},
    {"static_dims", Scope::kTensor, &kDynamicShape, kinds::StaticDims},
    {"symmetric", Scope::kTensor, &kSymmetry, kinds::Symmetric},
    {"types", Scope::kTensor, &kPortType, kinds::Types},
    {"unclear", Scope::kAny, &kTableNote, kinds::Unclear},
    {"unique_indices", Scope::kAny, &kDuplicateIndices, kinds::UniqueIndices},
    {"value_range", Scope::kTensor, &kValueRange, kinds::ValueRange},
    {"zero_point", Scope::kTensor, &kZeroPoint, kinds::ZeroPoint},
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
