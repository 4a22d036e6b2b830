#include "rules/backends/qnn_htp/bias_scale.h"
#include "rules/backends/qnn_htp/bias_zero_point.h"
#include "rules/backends/qnn_htp/block_weights.h"
#include "rules/backends/qnn_htp/constant_extremum.h"
#include "rules/backends/qnn_htp/dynamic_qparams.h"
#include "rules/backends/qnn_htp/executorch_defects.h"
#include "rules/backends/qnn_htp/filter_blocks.h"
#include "rules/backends/qnn_htp/float_kernels.h"
#include "rules/backends/qnn_htp/fractional_zero_point.h"
#include "rules/backends/qnn_htp/full_width.h"
#include "rules/backends/qnn_htp/fully_connected_axis.h"
#include "rules/backends/qnn_htp/graph_input_matmul.h"
#include "rules/backends/qnn_htp/group_norm_parameters.h"
#include "rules/backends/qnn_htp/grouped_scales.h"
#include "rules/backends/qnn_htp/half_precision_convolution.h"
#include "rules/backends/qnn_htp/half_precision_weights.h"
#include "rules/backends/qnn_htp/ignored_output_encoding.h"
#include "rules/backends/qnn_htp/inferred_shape.h"
#include "rules/backends/qnn_htp/matmul_bias.h"
#include "rules/backends/qnn_htp/narrowed_operand.h"
#include "rules/backends/qnn_htp/observed_tanh.h"
#include "rules/backends/qnn_htp/op_rule.h"
#include "rules/backends/qnn_htp/packed_scales.h"
#include "rules/backends/qnn_htp/per_channel_activation.h"
#include "rules/backends/qnn_htp/per_channel_parameters.h"
#include "rules/backends/qnn_htp/per_channel_table.h"
#include "rules/backends/qnn_htp/rewritten_encoding.h"
#include "rules/backends/qnn_htp/run_time_weights.h"
#include "rules/backends/qnn_htp/select_condition.h"
#include "rules/backends/qnn_htp/signed_operand.h"
#include "rules/backends/qnn_htp/softmax_zero_point.h"
#include "rules/backends/qnn_htp/static_shapes.h"
#include "rules/backends/qnn_htp/strided_integers.h"
#include "rules/backends/qnn_htp/tanh_zero_point.h"
#include "rules/backends/qnn_htp/two_bit_convolution.h"
#include "rules/backends/qnn_htp/weight_bits.h"
#include "rules/backends/qnn_htp/wide_weights.h"
#include "rules/backends/qnn_htp/zero_point_equality.h"

namespace quantgate::qnn_htp {

absl::Span<const OpRule> OpRules() {
  static constexpr OpRule kRules[] = {
      {&kWideWeights, CheckWideWeights},
      {&kTwoBitConvolution, CheckTwoBitConvolution},
      {&kWeightBits, CheckWeightBits},
      {&kHalfPrecisionWeights, CheckHalfPrecisionWeights},
      {&kHalfPrecisionConvolution, CheckHalfPrecisionConvolution, /*in_measured_table=*/false},
      {&kHalfPrecisionBlocks, CheckHalfPrecisionBlocks, /*in_measured_table=*/false, /*unprepared=*/true},
      {&kFloatKernels, CheckFloatKernels},
      {&kSignedOperand, CheckSignedOperand},
      {&kSelectCondition, CheckSelectCondition},
      {&kBiasZeroPoint, CheckBiasZeroPoint},
      {&kDynamicQparams, CheckDynamicQparams, /*in_measured_table=*/false},
      {&kFullyConnectedAxis, CheckFullyConnectedAxis},
      {&kRunTimeWeights, CheckRunTimeWeights},
      {&kBlockWeights, CheckBlockWeights},
      {&kFilterBlocks, CheckFilterBlocks, /*in_measured_table=*/false, /*unprepared=*/true},
      {&kPerChannelParameters, CheckPerChannelParameters},
      {&kPerChannelActivation, CheckPerChannelActivation},
      {&kPerChannelTable, CheckPerChannelTable, /*in_measured_table=*/false, /*unprepared=*/true},
      {&kGroupedScales, CheckGroupedScales, /*in_measured_table=*/false, /*unprepared=*/true},
      {&kBiasScale, CheckBiasScale, /*in_measured_table=*/false},
      {&kTanhZeroPoint, CheckTanhZeroPoint},
      {&kObservedTanh, CheckObservedTanh, /*in_measured_table=*/false},
      {&kSoftmaxZeroPoint, CheckSoftmaxZeroPoint},
      {&kMatMulBias, CheckMatMulBias, /*in_measured_table=*/false},
      {&kZeroPointEquality, CheckZeroPointEquality},
      {&kIgnoredOutputEncoding, CheckIgnoredOutputEncoding},
      {&kPackedScales, CheckPackedScales, /*in_measured_table=*/false},
      {&kStaticShapes, CheckStaticShapes, /*in_measured_table=*/false},
      {&kGroupNormParameters, CheckGroupNormParameters},
      {&kInferredShape, CheckInferredShape, /*in_measured_table=*/false},
      {&kGraphInputMatMul, CheckGraphInputMatMul, /*in_measured_table=*/false, /*unprepared=*/true},
      {&kStridedIntegers, CheckStridedIntegers, /*in_measured_table=*/false, /*unprepared=*/true},
      {&kConstantExtremum, CheckConstantExtremum, /*in_measured_table=*/false, /*unprepared=*/true},
      {&kFullWidth, CheckFullWidth, /*in_measured_table=*/false, /*unprepared=*/true},
      {&kNarrowedOperand, CheckNarrowedOperand, /*in_measured_table=*/false},
      {&kFractionalZeroPoint, CheckFractionalZeroPoint, /*in_measured_table=*/false},
      {&kTwoBitPerTensor, CheckTwoBitPerTensor, /*in_measured_table=*/false, /*unprepared=*/false, /*raises=*/true},
      {&kRewrittenEncoding, CheckRewrittenEncoding, /*in_measured_table=*/false},
  };
  return kRules;
}

}  // namespace quantgate::qnn_htp
