#include "rules/backends/qnn_htp/executorch/defects.h"
#include "rules/backends/qnn_htp/op_rule.h"
#include "rules/backends/qnn_htp/ops/bias_scale.h"
#include "rules/backends/qnn_htp/ops/bias_zero_point.h"
#include "rules/backends/qnn_htp/ops/block_weights.h"
#include "rules/backends/qnn_htp/ops/constant_extremum.h"
#include "rules/backends/qnn_htp/ops/dynamic_qparams.h"
#include "rules/backends/qnn_htp/ops/empty_tensor.h"
#include "rules/backends/qnn_htp/ops/filter_blocks.h"
#include "rules/backends/qnn_htp/ops/float_kernels.h"
#include "rules/backends/qnn_htp/ops/fractional_zero_point.h"
#include "rules/backends/qnn_htp/ops/full_width.h"
#include "rules/backends/qnn_htp/ops/fully_connected_axis.h"
#include "rules/backends/qnn_htp/ops/graph_input_matmul.h"
#include "rules/backends/qnn_htp/ops/group_norm_parameters.h"
#include "rules/backends/qnn_htp/ops/grouped_scales.h"
#include "rules/backends/qnn_htp/ops/half_precision_convolution.h"
#include "rules/backends/qnn_htp/ops/half_precision_weights.h"
#include "rules/backends/qnn_htp/ops/ignored_output_encoding.h"
#include "rules/backends/qnn_htp/ops/inferred_shape.h"
#include "rules/backends/qnn_htp/ops/infinite_scale.h"
#include "rules/backends/qnn_htp/ops/linear_blocks.h"
#include "rules/backends/qnn_htp/ops/matmul_bias.h"
#include "rules/backends/qnn_htp/ops/narrowed_operand.h"
#include "rules/backends/qnn_htp/ops/observed_tanh.h"
#include "rules/backends/qnn_htp/ops/packed_scales.h"
#include "rules/backends/qnn_htp/ops/per_channel_activation.h"
#include "rules/backends/qnn_htp/ops/per_channel_parameters.h"
#include "rules/backends/qnn_htp/ops/per_channel_table.h"
#include "rules/backends/qnn_htp/ops/rewritten_encoding.h"
#include "rules/backends/qnn_htp/ops/run_time_weights.h"
#include "rules/backends/qnn_htp/ops/select_broadcast.h"
#include "rules/backends/qnn_htp/ops/select_condition.h"
#include "rules/backends/qnn_htp/ops/signed_operand.h"
#include "rules/backends/qnn_htp/ops/softmax_zero_point.h"
#include "rules/backends/qnn_htp/ops/static_shapes.h"
#include "rules/backends/qnn_htp/ops/strided_integers.h"
#include "rules/backends/qnn_htp/ops/tanh_zero_point.h"
#include "rules/backends/qnn_htp/ops/two_bit_convolution.h"
#include "rules/backends/qnn_htp/ops/weight_bits.h"
#include "rules/backends/qnn_htp/ops/wide_weights.h"
#include "rules/backends/qnn_htp/ops/zero_point_equality.h"

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
      {&kSelectBroadcast, CheckSelectBroadcast, /*in_measured_table=*/false, /*unprepared=*/true},
      {&kBiasZeroPoint, CheckBiasZeroPoint},
      {&kDynamicQparams, CheckDynamicQparams, /*in_measured_table=*/false},
      {&kFullyConnectedAxis, CheckFullyConnectedAxis},
      {&kRunTimeWeights, CheckRunTimeWeights},
      {&kBlockWeights, CheckBlockWeights},
      {&kFilterBlocks, CheckFilterBlocks, /*in_measured_table=*/false, /*unprepared=*/true},
      {&kLinearBlocks, CheckLinearBlocks, /*in_measured_table=*/false, /*unprepared=*/true},
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
      {&kInfiniteScale, CheckInfiniteScale, /*in_measured_table=*/false, /*unprepared=*/true},
      {&kEmptyTensor, CheckEmptyTensor, /*in_measured_table=*/false, /*unprepared=*/true},
      {&kFullWidth, CheckFullWidth, /*in_measured_table=*/false, /*unprepared=*/true},
      {&kNarrowedOperand, CheckNarrowedOperand, /*in_measured_table=*/false},
      {&kFractionalZeroPoint, CheckFractionalZeroPoint, /*in_measured_table=*/false},
      {&kTwoBitPerTensor, CheckTwoBitPerTensor, /*in_measured_table=*/false, /*unprepared=*/false, /*raises=*/true},
      {&kRewrittenEncoding, CheckRewrittenEncoding, /*in_measured_table=*/false},
  };
  return kRules;
}

}  // namespace quantgate::qnn_htp
