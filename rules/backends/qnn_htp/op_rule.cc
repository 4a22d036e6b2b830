#include "rules/backends/qnn_htp/op_rule.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace quantgate::qnn_htp {
namespace {

const BackendTensor& Absent() {
  static const BackendTensor absent;
  return absent;
}

bool SameFamily(const char* a, const char* b) { return a[0] == b[0] && a[1] == b[1]; }

}  // namespace

void OpReport::Add(const RuleInfo& rule, PortRef port, std::string observed, std::string allowed, v1::Source::Kind kind,
                   absl::string_view measured) {
  if (rule.effect == v1::Finding::REFUSED) refused_ = true;
  for (const Violation& known : reported_) {
    if (known.port.kind == port.kind && known.port.index == port.index && SameFamily(known.rule->code, rule.code)) {
      return;
    }
  }
  FindingSource source;
  source.kind = kind;
  source.row = std::string(op_.name);
  if (kind == v1::Source::MEASURED) source.document = std::string(measured);
  sink_.Add(rule, PlaceOf(op_, port), std::move(observed), std::move(allowed), std::move(source));
}

const BackendTensor& Input(const BackendOp& op, size_t index) {
  return index < op.inputs.size() ? op.inputs[index] : Absent();
}

const BackendTensor& Output(const BackendOp& op, size_t index) {
  return index < op.outputs.size() ? op.outputs[index] : Absent();
}

bool Is(const BackendOp& op, std::initializer_list<absl::string_view> names) {
  return std::find(names.begin(), names.end(), op.name) != names.end();
}

bool IsConvolution(const BackendOp& op) {
  return Is(op, {"Conv2d", "DepthWiseConv2d", "TransposeConv2d", "Conv3d", "TransposeConv3d"});
}

bool HasWeight(const BackendOp& op) { return IsConvolution(op) || Is(op, {"FullyConnected", "MatMul"}); }

bool HasScalarQparams(const BackendTensor& tensor) {
  return tensor.present && tensor.type.quantized && tensor.qparams != nullptr && tensor.qparams->per_tensor() &&
         tensor.qparams->scales.size() == 1;
}

bool SameScale(double a, double b) {
  if (a == b) return true;
  return std::abs(a - b) <= 1e-6 * std::max(std::abs(a), std::abs(b));  // a few units in the last place of a float
}

std::string TypeText(const BackendTensor& tensor) {
  std::string text(db::ElementTypeName(tensor.type));
  if (IsBitWidth(tensor)) absl::StrAppend(&text, ", ", tensor.bits, " bits");
  return text;
}

std::string QparamsText(const BackendTensor& tensor) {
  if (tensor.qparams == nullptr || tensor.qparams->scales.empty()) return "no parameters";
  if (tensor.qparams->scales.size() > 1) return absl::StrCat(tensor.qparams->scales.size(), " scales");
  return absl::StrFormat("scale %.7g, zero point %.7g", ScaleOf(tensor), ZeroPointOf(tensor));
}

}  // namespace quantgate::qnn_htp
