#include "rules/soundness/derived/fixed_output.h"

#include <cmath>
#include <string>

#include "absl/strings/str_cat.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/engine/render.h"
#include "rules/soundness/rules.h"
#include "rules/soundness/tflite.h"

namespace quantgate {
namespace {

constexpr RuleInfo kFixedOutput = {
    "FX007",
    "fixed-output",
    v1::Finding::UNSOUND,
    v1::Finding::ERROR,
    kFromCalibrated,
    "{subject}: the output has {observed}; expected {allowed}",
    "These operators of LiteRT write integers of a scale that their kernels have built in. Most check that the file "
    "says the same and refuse to load it; the others compute with theirs whatever the file says.",
    "Use the parameters that the kernel fixes, and a QUANTIZE behind it if another scale is wanted.",
    "An int8 SOFTMAX with scale 0.01 fires it; with scale 1/256 and zero point -128 it does not.",
};

// Parameters of the output by operator and type of the output.
struct Row {
  OpId op;
  v1::DataType type;
  double scale;
  double zero_point;
};

constexpr Row kRows[] = {
    {OpId::kSoftmax, v1::DATA_TYPE_INT8, 1.0 / 256, -128},     {OpId::kSoftmax, v1::DATA_TYPE_UINT8, 1.0 / 256, 0},
    {OpId::kSoftmax, v1::DATA_TYPE_INT16, 1.0 / 32768, 0},     {OpId::kSigmoid, v1::DATA_TYPE_INT8, 1.0 / 256, -128},
    {OpId::kSigmoid, v1::DATA_TYPE_UINT8, 1.0 / 256, 0},       {OpId::kSigmoid, v1::DATA_TYPE_INT16, 1.0 / 32768, 0},
    {OpId::kTanh, v1::DATA_TYPE_INT8, 1.0 / 128, 0},           {OpId::kTanh, v1::DATA_TYPE_UINT8, 1.0 / 128, 128},
    {OpId::kTanh, v1::DATA_TYPE_INT16, 1.0 / 32768, 0},        {OpId::kLogSoftmax, v1::DATA_TYPE_INT8, 16.0 / 256, 127},
    {OpId::kLogSoftmax, v1::DATA_TYPE_UINT8, 16.0 / 256, 255}, {OpId::kLpNorm, v1::DATA_TYPE_INT8, 1.0 / 128, 0},
    {OpId::kLpNorm, v1::DATA_TYPE_UINT8, 1.0 / 128, 128},
};

const Row* Find(OpId op, v1::DataType type) {
  for (const Row& row : kRows) {
    if (row.op == op && row.type == type) return &row;
  }
  return nullptr;
}

// SOFTMAX from int8 to int16 uses all of int16 for 0..1.
constexpr Row kWidened = {OpId::kSoftmax, v1::DATA_TYPE_INT16, 1.0 / 65536, -32768};

void CheckAllFixedOutputs(const CheckContext& context, FindingSink& sink) {
  for (const ResolvedOp& op : context.resolved().ops()) CheckFixedOutput(context, op, sink);
}

}  // namespace

void CheckFixedOutput(const CheckContext& context, const ResolvedOp& op, FindingSink& sink) {
  const ResolvedGraph& resolved = context.resolved();
  const std::optional<FixedParameters> row = FixedParametersOf(context, op);
  if (!row.has_value()) return;
  const Operand& output = resolved.outputs(op)[0];
  const QuantParams* params = resolved.qparams(output);
  if (params == nullptr || !output.quantized || params->scales.size() != 1) return;
  constexpr double kTolerance = 1e-3;  // what the kernels grant
  const double scale = params->scales[0];
  // No scale at all is scale-range's.
  if (!std::isfinite(scale) || scale <= 0) return;
  if (std::fabs(scale - row->scale) <= kTolerance * row->scale && params->zero_point(0) == row->zero_point) return;
  Place place;
  place.node = op.node;
  place.output = output.argument;
  place.value = output.value;
  sink.Add(kFixedOutput, place,
           absl::StrCat("scale ", FormatNumber(scale), ", zero point ", FormatNumber(params->zero_point(0))),
           absl::StrCat("scale 1/", FormatNumber(1 / row->scale), ", zero point ", FormatNumber(row->zero_point)));
}

std::optional<FixedParameters> FixedParametersOf(const CheckContext& context, const ResolvedOp& op) {
  const ResolvedGraph& resolved = context.resolved();
  if (!IsTflite(context) || op.op == nullptr || resolved.outputs(op).empty()) return std::nullopt;
  const Row* row = Find(op.op->id, resolved.outputs(op)[0].type);
  if (row == nullptr) return std::nullopt;
  const Operand* input = resolved.input(op, 0);
  if (row->op == kWidened.op && row->type == kWidened.type && input != nullptr && input->type == v1::DATA_TYPE_INT8) {
    row = &kWidened;
  }
  return FixedParameters{row->scale, row->zero_point};
}

Rule FixedOutput() { return {&kFixedOutput, &CheckAllFixedOutputs}; }

}  // namespace quantgate
