#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/graph/port_role.h"
#include "rules/soundness/rules.h"
#include "rules/soundness/tflite.h"

namespace quantgate {
namespace {

constexpr RuleInfo kUnsignedChannels = {
    "AX010",
    "unsigned-channels",
    v1::Finding::UNSOUND,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject}: {observed}; expected {allowed}",
    "LiteRT has scales per channel for int8 weights beside activations of int8 or int16. uint8 is its older scheme, of "
    "one scale and zero point for each tensor: kernels refuse several (\"input->type == kTfLiteInt8 || input->type == "
    "kTfLiteInt16 was not true\").",
    "Convert the model to int8, or quantize the weights per tensor.",
    "A filter of CONV_2D with two scales beside a uint8 input fires it; beside an int8 input, or with one scale, it "
    "does not.",
};

bool ScalesEachChannel(absl::string_view op) {
  return op == "CONV_2D" || op == "DEPTHWISE_CONV_2D" || op == "TRANSPOSE_CONV" || op == "FULLY_CONNECTED";
}

void CheckUnsignedChannels(const CheckContext& context, FindingSink& sink) {
  if (!IsTflite(context)) return;
  ForEachWeight(context, [&](const ResolvedOp& op, const Operand& weight) {
    const QuantParams* params = context.resolved().qparams(weight);
    if (params == nullptr || params->scales.size() < 2 || !ScalesEachChannel(context.graph().op_type(op.node))) return;
    const bool is_unsigned = absl::c_any_of(context.resolved().inputs(op), [&](const Operand& operand) {
      return operand.present && operand.type == v1::DATA_TYPE_UINT8 && RoleOf(op, operand) == PortRole::kActivation;
    });
    if (!is_unsigned) return;
    Place place;
    place.node = op.node;
    place.input = weight.argument;
    place.value = weight.value;
    sink.Add(kUnsignedChannels, place, absl::StrCat(params->scales.size(), " scales beside uint8 activations"),
             "one scale, or int8 activations");
  });
}

}  // namespace

Rule UnsignedChannels() { return {&kUnsignedChannels, &CheckUnsignedChannels}; }

}  // namespace quantgate
