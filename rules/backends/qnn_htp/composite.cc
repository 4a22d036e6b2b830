#include "rules/backends/qnn_htp/composite.h"

#include "absl/types/span.h"
#include "rules/backends/qnn_htp/op_rule.h"

namespace quantgate::qnn_htp {
namespace {

// By the number of the `operation` parameter.
constexpr absl::string_view kBinary[] = {
    "ElementWiseAdd",       "ElementWiseAnd",          "ElementWiseDivide",
    "ElementWiseEqual",     "ElementWiseFloorDiv",     "ElementWiseFmod",
    "ElementWiseGreater",   "ElementWiseGreaterEqual", "ElementWiseLess",
    "ElementWiseLessEqual", "ElementWiseMaximum",      "ElementWiseMinimum",
    "ElementWiseMod",       "ElementWiseMultiply",     "ElementWiseNotEqual",
    "ElementWiseOr",        "ElementWisePower",        "ElementWiseSquaredDifference",
    "ElementWiseSubtract",  "ElementWiseXor",
};
constexpr absl::string_view kUnary[] = {
    "ElementWiseAbs",
    "ElementWiseAsin",
    "ElementWiseAtan",
    "ElementWiseCeil",
    "ElementWiseCos",
    "ElementWiseExp",
    "ElementWiseFloor",
    "ElementWiseLog",
    "ElementWiseNeg",
    "ElementWiseNot",
    "",
    "ElementWiseRound",
    "ElementWiseRsqrt",
    "ElementWiseSign",
    "ElementWiseSin",
    "ElementWiseSquareRoot",
};
constexpr absl::string_view kNeuron[] = {
    "Elu", "Gelu", "", "HardSwish", "Relu", "ReluMinMax", "Sigmoid", "", "Tanh",
};

// Comparisons and logical operations.
bool WritesTruth(absl::string_view name) {
  for (absl::string_view truth :
       {"ElementWiseAnd", "ElementWiseEqual", "ElementWiseGreater", "ElementWiseGreaterEqual", "ElementWiseLess",
        "ElementWiseLessEqual", "ElementWiseNotEqual", "ElementWiseOr", "ElementWiseXor"}) {
    if (name == truth) return true;
  }
  return false;
}

}  // namespace

const RuleInfo kCompositeOperation = {
    "DT208",
    "composite-operation",
    v1::Finding::REFUSED,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject} has {observed}; the stand-alone operator takes {allowed}.",
    "The published table lists every type that any of the operations takes. The library accepts for an operation what "
    "its stand-alone operator accepts, and refuses the rest.",
    "Use element types of a row of the stand-alone operator; inputs and output mostly share one type.",
    "Fires: ElementWiseBinary ADD of UFIXED_POINT_16 and UFIXED_POINT_8. Does not: ADD of two UFIXED_POINT_8.",
};

absl::string_view StandAloneName(const BackendOp& op) {
  absl::Span<const absl::string_view> names;
  if (op.name == "ElementWiseBinary") names = kBinary;
  if (op.name == "ElementWiseUnary") names = kUnary;
  if (op.name == "ElementWiseNeuron") names = kNeuron;
  if (names.empty()) return "";
  for (const BackendParam& param : op.params) {
    if (param.name != "operation" || param.ints.size() != 1) continue;
    const int64_t operation = param.ints[0];
    return operation >= 0 && operation < static_cast<int64_t>(names.size()) ? names[operation] : "";
  }
  return "";
}

bool TakesEitherSign(const BackendOp& op, PortRef port) {
  return port.kind == PortRef::kOutput && IsFixed8(Output(op, port.index)) && WritesTruth(StandAloneName(op));
}

}  // namespace quantgate::qnn_htp
