// Rules of the HTP backend that no published table states: what the vendor's own library did when it was asked
// (x86-64, QAIRT 2.47 to 2.51). One rule, one file pair; op_rules.cc lists them in order.
#ifndef QUANTGATE_RULES_BACKENDS_QNN_HTP_OP_RULE_H_
#define QUANTGATE_RULES_BACKENDS_QNN_HTP_OP_RULE_H_

#include <initializer_list>
#include <string>

#include "absl/types/span.h"
#include "rules/backends/table_judge.h"
#include "rules/constraints/backend_op.h"
#include "rules/constraints/matcher.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/engine/module.h"
#include "rules/engine/rule.h"

namespace quantgate::qnn_htp {

// Source of what these rules say.
inline constexpr char kMeasuredWith[] = "the vendor's library (QAIRT 2.51.0, x86-64), asked";
inline constexpr char kMeasuredByLowering[] = "ExecuTorch 1.5.1 with QAIRT 2.49.40, run";

// Where an operator's rules write. Keeps quiet about a port whose family of problems the table has already reported, so
// that one mistake is one finding.
class OpReport {
 public:
  OpReport(const BackendOp& op, const std::vector<Violation>& reported, FindingSink& sink)
      : op_(op), reported_(reported), sink_(sink) {}

  // `kind` is where the rule is from: asked of the library, or a matter of definition. `measured`: how it was asked.
  void Add(const RuleInfo& rule, PortRef port, std::string observed, std::string allowed,
           v1::Source::Kind kind = v1::Source::MEASURED, absl::string_view measured = kMeasuredWith);
  void NotChecked(const RuleInfo& rule, std::string reason) { sink_.NotChecked(&rule, op_.node, std::move(reason)); }
  // A finding of effect REFUSED was added.
  bool refused() const { return refused_; }

 private:
  const BackendOp& op_;
  const std::vector<Violation>& reported_;
  FindingSink& sink_;
  bool refused_ = false;
};

struct OpRule {
  const RuleInfo* info;
  void (*check)(const BackendOp&, const Target&, OpReport&);
  // A table that is measured says this itself, so the rule is for the tables that only repeat documents.
  bool in_measured_table = true;
  // Validation takes what the rule refuses, and the graph cannot be prepared.
  bool unprepared = false;
  // What the rule refuses makes the toolchain raise before the library is asked.
  bool raises = false;
};

absl::Span<const OpRule> OpRules();

// ---- What rules ask ----

inline constexpr PortRef In(int index) { return {PortRef::kInput, static_cast<int16_t>(index)}; }
inline constexpr PortRef Out(int index) { return {PortRef::kOutput, static_cast<int16_t>(index)}; }
inline constexpr PortRef Whole() { return {}; }

// The tensor at a port; an absent one beyond the last.
const BackendTensor& Input(const BackendOp& op, size_t index);
const BackendTensor& Output(const BackendOp& op, size_t index);

bool Is(const BackendOp& op, std::initializer_list<absl::string_view> names);
// Conv2d, DepthWiseConv2d, Conv3d and the transposed ones.
bool IsConvolution(const BackendOp& op);
// The convolutions, FullyConnected and MatMul: in[1] is the weight, in[2] the bias.
bool HasWeight(const BackendOp& op);

inline bool IsFloat(const BackendTensor& tensor) {
  return !tensor.type.quantized &&
         (tensor.type.type == v1::DATA_TYPE_FLOAT16 || tensor.type.type == v1::DATA_TYPE_FLOAT32);
}
inline bool IsFixed(const BackendTensor& tensor, v1::DataType type) {
  return tensor.type.quantized && tensor.type.type == type;
}
inline bool IsFixed16(const BackendTensor& tensor) {
  return IsFixed(tensor, v1::DATA_TYPE_INT16) || IsFixed(tensor, v1::DATA_TYPE_UINT16);
}
inline bool IsFixed8(const BackendTensor& tensor) {
  return IsFixed(tensor, v1::DATA_TYPE_INT8) || IsFixed(tensor, v1::DATA_TYPE_UINT8);
}
inline bool IsSignedType(const BackendTensor& tensor) {
  return tensor.type.type == v1::DATA_TYPE_INT8 || tensor.type.type == v1::DATA_TYPE_INT16 ||
         tensor.type.type == v1::DATA_TYPE_INT32;
}
inline bool IsPerChannel(const BackendTensor& tensor) {
  return tensor.encoding == Encoding::kPerChannel || tensor.encoding == Encoding::kBwPerChannel;
}
inline bool IsBlocked(const BackendTensor& tensor) {
  return tensor.encoding == Encoding::kBlock || tensor.encoding == Encoding::kBlockExpansion;
}
inline bool IsBitWidth(const BackendTensor& tensor) {
  return tensor.encoding == Encoding::kBwPerTensor || tensor.encoding == Encoding::kBwPerChannel;
}

// One known scale and zero point for the whole tensor.
bool HasScalarQparams(const BackendTensor& tensor);
inline double ScaleOf(const BackendTensor& tensor) { return tensor.qparams->scales[0]; }
inline double ZeroPointOf(const BackendTensor& tensor) { return tensor.qparams->zero_point(0); }
// Equal but for the rounding of a scale that went through float32.
bool SameScale(double a, double b);

// "UFIXED_POINT_16", "SFIXED_POINT_8, 4 bits".
std::string TypeText(const BackendTensor& tensor);
// "scale 0.02, zero point 128".
std::string QparamsText(const BackendTensor& tensor);

}  // namespace quantgate::qnn_htp

#endif  // QUANTGATE_RULES_BACKENDS_QNN_HTP_OP_RULE_H_
