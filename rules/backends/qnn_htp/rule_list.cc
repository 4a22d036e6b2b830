#include "rules/backends/qnn_htp/rule_list.h"

#include <iterator>

#include "absl/algorithm/container.h"
#include "rules/backends/coverage.h"
#include "rules/backends/qnn_htp/composite.h"
#include "rules/backends/qnn_htp/executorch/arguments.h"
#include "rules/backends/qnn_htp/executorch/axis_order.h"
#include "rules/backends/qnn_htp/executorch/defects.h"
#include "rules/backends/qnn_htp/executorch/depthwise_multiplier.h"
#include "rules/backends/qnn_htp/executorch/layout.h"
#include "rules/backends/qnn_htp/executorch/long_edges.h"
#include "rules/backends/qnn_htp/executorch/observed_infinity.h"
#include "rules/backends/qnn_htp/executorch/one_dimension.h"
#include "rules/backends/qnn_htp/executorch/parameters.h"
#include "rules/backends/qnn_htp/executorch/partition.h"
#include "rules/backends/qnn_htp/float_of_some_socs.h"
#include "rules/backends/qnn_htp/float_placement.h"
#include "rules/backends/qnn_htp/laid_out_anew.h"
#include "rules/backends/qnn_htp/op_rule.h"

namespace quantgate::qnn_htp {
namespace {

constexpr const RuleInfo* kOfOneOperator[] = {&kCompositeOperation, &kFloatOfSomeSocs};
constexpr const RuleInfo* kOfMore[] = {&kNoQnnOperator,
                                       &kUnclearLowering,
                                       &kOlderTable,
                                       &kMaxPoolStride,
                                       &kDelegateWithoutInput,
                                       &kLayoutOfTuple,
                                       &kLayoutOfOperands,
                                       &kTopKAxis,
                                       &kWrongLayout,
                                       &kLaidOutAnew,
                                       &kReplicationPad,
                                       &kScaleOfElu,
                                       &kUnevenMaxPool,
                                       &kQuantizedInteger,
                                       &kComputedParameter,
                                       &kNeverLowered,
                                       &kComplexNumbers,
                                       &kWeightOfTwoDelegates,
                                       &kHardtanhMaximum,
                                       &kDepthwiseVolume,
                                       &kBlocksOfColumns,
                                       &kAverageOfVolume,
                                       &kExtremeWithPlaces,
                                       &kEmptyIndex,
                                       &kPoolWithoutConvert,
                                       &kBlocksOfConv1d,
                                       &kComputedScales,
                                       &kPadWithoutValue,
                                       &kTableToFloats,
                                       &kBiasOfInput,
                                       &kSumOverNone,
                                       &kFloatPlacement,
                                       &kDepthwiseMultiplier,
                                       &kReturnedIntegers,
                                       &kObservedInfinity,
                                       &kRunsInFloat,
                                       &kLongEdge};

}  // namespace

std::vector<const RuleInfo*> OwnRules() {
  std::vector<const RuleInfo*> rules(std::begin(kOfMore), std::end(kOfMore));
  rules.insert(rules.end(), std::begin(kOfOneOperator), std::end(kOfOneOperator));
  for (const OpRule& rule : OpRules()) rules.push_back(rule.info);
  return rules;
}

bool IsAboutOneOperator(absl::string_view code) {
  return absl::c_none_of(kOfMore, [code](const RuleInfo* rule) { return rule->code == code; });
}

}  // namespace quantgate::qnn_htp
