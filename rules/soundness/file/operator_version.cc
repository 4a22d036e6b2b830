#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/graph/data_type.h"
#include "rules/graph/quantizer.h"
#include "rules/onnx/defined.h"
#include "rules/soundness/rules.h"

namespace quantgate {
namespace {

constexpr RuleInfo kOperatorVersion = {
    "FI012",
    "operator-version",
    v1::Finding::UNSOUND,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject}: {observed}; expected {allowed}",
    "The operator set that the file imports says which operators, attributes and element types there are. What came "
    "later, or was removed before, has no meaning in it, and loaders refuse the file.",
    "Import the operator set that has it (and check that the other operators mean the same there), or use what the "
    "imported one has.",
    "QuantizeLinear to uint16 in a file that imports opset 19 fires it; with opset 21 it does not.",
};

// First version of QuantizeLinear and DequantizeLinear that stores numbers of this type; 0: none, or not known.
int FirstVersionFor(v1::DataType type) {
  switch (type) {
    case v1::DATA_TYPE_FLOAT8_E4M3FN:
    case v1::DATA_TYPE_FLOAT8_E4M3FNUZ:
    case v1::DATA_TYPE_FLOAT8_E5M2:
    case v1::DATA_TYPE_FLOAT8_E5M2FNUZ:
      return 19;
    case v1::DATA_TYPE_INT4:
    case v1::DATA_TYPE_UINT4:
    case v1::DATA_TYPE_INT16:
    case v1::DATA_TYPE_UINT16:
      return 21;
    case v1::DATA_TYPE_FLOAT4_E2M1:
      return 23;
    case v1::DATA_TYPE_INT2:
    case v1::DATA_TYPE_UINT2:
      return 25;
    case v1::DATA_TYPE_FLOAT6_E2M3:
    case v1::DATA_TYPE_FLOAT6_E3M2:
      return 28;
    default:
      return 0;
  }
}

// Stored type of a Quantize or Dequantize: the zero point's, else the stored tensor's.
v1::DataType StoredType(const Graph& graph, int32_t node, const QuantizerInputs& inputs) {
  if (inputs.zero_point >= 0) return graph.dtype(inputs.zero_point);
  const int32_t stored = IsDequantize(graph, node)     ? inputs.data
                         : graph.num_outputs(node) > 0 ? graph.output(node, 0)
                                                       : -1;
  return stored >= 0 ? graph.dtype(stored) : v1::DATA_TYPE_UNSPECIFIED;
}

// First version of the two that takes floats of this type; 0: all of them, or none.
int FirstVersionOf(v1::DataType floats) {
  return floats == v1::DATA_TYPE_FLOAT16 || floats == v1::DATA_TYPE_BFLOAT16 ? 19 : 0;
}

void CheckQuantizer(const Graph& graph, int32_t node, int version, FindingSink& sink) {
  const auto check = [&](int first, absl::string_view what, v1::DataType type) {
    if (first <= version) return;
    Place place;
    place.node = node;
    sink.Add(kOperatorVersion, place, absl::StrCat(what, DataTypeName(type), " under opset ", version),
             absl::StrCat("opset ", first, " or newer"));
  };
  const QuantizerInputs inputs = QuantizerInputsOf(graph, node);
  const v1::DataType stored = StoredType(graph, node, inputs);
  check(FirstVersionFor(stored), "", stored);
  if (inputs.scale < 0) return;
  const v1::DataType scale = graph.dtype(inputs.scale);
  check(FirstVersionOf(scale), "a scale of ", scale);
}

void CheckAttributes(const Graph& graph, int32_t node, const DefinedOp& op, FindingSink& sink) {
  for (const v1::Attribute& attribute : graph.node(node).attributes()) {
    const absl::string_view name = graph.symbol(attribute.name());
    if (op.current->attribute(name) != nullptr) continue;
    for (const Definition& row : op.rows) {
      if (row.since <= op.version || row.attribute(name) == nullptr) continue;
      Place place;
      place.node = node;
      sink.Add(kOperatorVersion, place, absl::StrCat("attribute ", name, " under opset ", op.version),
               absl::StrCat("opset ", row.since, " or newer"));
      break;
    }
  }
}

// Operators that ONNX Runtime has in ONNX's domain since before they came there: its optimizer writes them into files
// of any operator set.
constexpr absl::string_view kOfOnnxRuntime[] = {"LayerNormalization"};

void AddTooNew(absl::string_view op_type, const DefinedOp& op, const Place& place, FindingSink& sink) {
  FindingDraft draft;
  draft.rule = &kOperatorVersion;
  draft.place = place;
  draft.observed = absl::StrCat(op_type, " under opset ", op.version);
  draft.allowed = absl::StrCat("opset ", op.rows.front().since, " or newer");
  if (absl::c_linear_search(kOfOnnxRuntime, op_type)) {
    absl::StrAppend(&draft.allowed, "; ONNX Runtime alone has it before");
    draft.effect = v1::Finding::ADVICE;
    draft.severity = v1::Finding::WARNING;
  }
  sink.Add(std::move(draft));
}

void CheckOperatorVersion(const CheckContext& context, FindingSink& sink) {
  const Graph& graph = context.graph();
  const std::vector<DefinedOp>& ops = context.Once(DefinedOps);
  if (ops.empty()) return;
  for (int32_t node = 0; node < graph.num_nodes(); ++node) {
    const DefinedOp& op = ops[graph.node(node).op()];
    if (op.rows.empty() || op.version == 0) continue;
    Place place;
    place.node = node;
    if (op.current == nullptr) {
      AddTooNew(graph.op_type(node), op, place, sink);
      continue;
    }
    if (op.current->removed) {
      sink.Add(kOperatorVersion, place, absl::StrCat(graph.op_type(node), " under opset ", op.version),
               absl::StrCat("opset ", op.current->since - 1, " or older: it was removed"));
      continue;
    }
    if (op.current->open) continue;
    CheckAttributes(graph, node, op, sink);
    if (IsQuantize(graph, node) || IsDequantize(graph, node)) CheckQuantizer(graph, node, op.version, sink);
  }
}

}  // namespace

Rule OperatorVersion() { return {&kOperatorVersion, &CheckOperatorVersion}; }

}  // namespace quantgate
