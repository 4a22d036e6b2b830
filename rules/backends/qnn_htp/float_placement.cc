#include "rules/backends/qnn_htp/float_placement.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "rules/backends/emission.h"
#include "rules/backends/qnn/lowering.h"
#include "rules/backends/qnn_htp/composite.h"
#include "rules/backends/qnn_htp/op_rule.h"
#include "rules/backends/qnn_htp/ops/output_shape.h"
#include "rules/backends/table_judge.h"

namespace quantgate::qnn_htp {

const RuleInfo kFloatPlacement = {
    "DT212",
    "float-placement",
    v1::Finding::REFUSED,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject} {observed}; {allowed}.",
    "Kernels of V68 (SM8350) for some operators leave FLOAT_32 in the vector memory (VTCM), and those of others read "
    "it "
    "in main memory. Most of what is in between leaves it where it is, and nothing brings it over: each operator alone "
    "is validated and prepared, both in one graph end with \"could not create op: q::flat_from_vtcm\".",
    "Quantize the tensor, give it FLOAT_16, or drop the SoC from the targets.",
    "Fires: ElementWiseMultiply of FLOAT_32 behind ElementWiseSubtract, or with a Relu between the two, on V68. Does "
    "not: behind ElementWiseAdd; with a ReduceMean between the two; of FLOAT_16; on V69 or SA8295.",
};

namespace {

constexpr int kKernels = 68;

// Measured by pairs and triples of operators, in QAIRT 2.49.40 and 2.51.0 alike. Of an operator in no list it is not
// known, or it writes to main memory.
constexpr absl::string_view kLeave[] = {
    "ElementWiseDivide",     "ElementWiseExp",      "ElementWiseMaximum", "ElementWiseMinimum", "ElementWisePower",
    "ElementWiseSquareRoot", "ElementWiseSubtract", "LogSoftmax",         "ReduceSum",          "Resize",
    "ResizeNearestNeighbor"};
constexpr absl::string_view kReadMain[] = {"Argmax",
                                           "Argmin",
                                           "Batchnorm",
                                           "Conv2d",
                                           "DepthWiseConv2d",
                                           "ElementWiseFloor",
                                           "ElementWiseMultiply",
                                           "ElementWiseSign",
                                           "ExtractGlimpse",
                                           "ExtractPatches",
                                           "FullyConnected",
                                           "GatherNd",
                                           "Lrn",
                                           "MatMul",
                                           "MultiClassNms",
                                           "NonMaxSuppression",
                                           "PoolMax2d",
                                           "Prelu",
                                           "Softplus",
                                           "TransposeConv2d"};
constexpr absl::string_view kKeep[] = {"BatchToSpace",
                                       "ChannelShuffle",
                                       "Concat",
                                       "DepthToSpace",
                                       "ElementWiseAbs",
                                       "ElementWiseAdd",
                                       "ElementWiseCeil",
                                       "ElementWiseCos",
                                       "ElementWiseLog",
                                       "ElementWiseNeg",
                                       "ElementWiseRsqrt",
                                       "ElementWiseSin",
                                       "ExpandDims",
                                       "HardSwish",
                                       "Pack",
                                       "Pad",
                                       "Relu",
                                       "Relu1",
                                       "Relu6",
                                       "ReluMinMax",
                                       "Reshape",
                                       "Sigmoid",
                                       "Softmax",
                                       "SpaceToDepth",
                                       "Split",
                                       "Squeeze",
                                       "StridedSlice",
                                       "Tanh",
                                       "Tile",
                                       "Transpose",
                                       "UnPack"};

bool IsFloat32(const BackendTensor& tensor) {
  return tensor.present && tensor.type == db::ElementType{v1::DATA_TYPE_FLOAT32, false};
}

// Along the channels, and with a batch along height or width, in the terms of four dimensions.
bool JoinsInMain(const BackendOp& op) {
  const absl::Span<const int64_t> dims = Output(op, 0).dims;
  const int64_t from_end = static_cast<int64_t>(dims.size()) - ParamElement(op, "axis", 0, 0);
  if (dims.empty()) return false;
  return from_end == 1 || (dims.size() == 4 && dims[0] > 1 && from_end < 4);
}

// Where a tensor lies: the operator that left it in the vector memory; empty: in main memory, or not known.
using Place32 = absl::string_view;
// What is computed from a cast of INT_64 is prepared wherever it lies; what else it is computed from does not matter.
constexpr Place32 kAnywhere = "INT_64";

// Follows tensors through one graph.
class Placement {
 public:
  explicit Placement(const CheckContext& context) : context_(context), places_(context.graph().num_values()) {}

  void Pass(const ResolvedOp& op, FindingSink& sink, ModuleResult::OpOutcome& outcome) {
    emission_.Clear();
    const Lowering lowering = qnn::Lower(context_, op, emission_);
    if (lowering.status == Lowering::kFolded) PassOn(op);
    if (lowering.status != Lowering::kEmitted) return;
    within_ = {};
    for (const BackendOp& emitted : emission_.Finish()) {
      const absl::string_view composite = StandAloneName(emitted);
      const absl::string_view name = composite.empty() ? emitted.name : composite;
      const int port = PortInVectorMemory(emitted);
      const Place32 read = port < 0 ? Place32() : PlaceOfTensor(emitted.inputs[port]);
      const bool reads_main =
          absl::c_linear_search(kReadMain, name) || (name == "Concat" && port >= 0 && JoinsInMain(emitted));
      if (port >= 0 && reads_main && read != kAnywhere && !outcome.ends_export) {
        Refuse(emitted, port, read, sink, outcome);
      }
      within_ = Written(emitted, name, reads_main, read);
      for (const BackendTensor& output : emitted.outputs) {
        if (output.value >= 0) places_[output.value] = IsFloat32(output) ? within_ : Place32();
      }
    }
  }

 private:
  // One that may be anywhere decides; else the first; -1: none.
  int PortInVectorMemory(const BackendOp& op) const {
    int port = -1;
    for (size_t i = 0; i < op.inputs.size(); ++i) {
      const Place32 place = PlaceOfTensor(op.inputs[i]);
      if (place == kAnywhere) return static_cast<int>(i);
      if (port < 0 && !place.empty()) port = static_cast<int>(i);
    }
    return port;
  }

  Place32 Written(const BackendOp& op, absl::string_view name, bool reads_main, Place32 read) const {
    if (name == "Cast") {
      const int32_t value = op.inputs.empty() ? -1 : op.inputs[0].value;
      return value >= 0 && context_.graph().dtype(value) == v1::DATA_TYPE_INT64 ? kAnywhere : Place32();
    }
    const bool leaves = absl::c_linear_search(kLeave, name);
    if (read == kAnywhere) return leaves || absl::c_linear_search(kKeep, name) ? kAnywhere : Place32();
    if (leaves) return name;
    return !reads_main && absl::c_linear_search(kKeep, name) ? read : Place32();
  }

  Place32 PlaceOfTensor(const BackendTensor& tensor) const {
    if (!IsFloat32(tensor) || tensor.is_static) return {};
    return tensor.value >= 0 ? places_[tensor.value] : within_;
  }

  // Nothing is emitted for it: the result is the input.
  void PassOn(const ResolvedOp& op) {
    const absl::Span<const Operand> inputs = context_.resolved().inputs(op);
    if (inputs.empty() || inputs[0].value < 0) return;
    for (const Operand& output : context_.resolved().outputs(op)) {
      if (output.value >= 0) places_[output.value] = places_[inputs[0].value];
    }
  }

  static void Refuse(const BackendOp& op, int port, absl::string_view left_by, FindingSink& sink,
                     ModuleResult::OpOutcome& outcome) {
    FindingSource source;
    source.kind = v1::Source::MEASURED;
    source.document = kMeasuredWith;
    sink.Add(kFloatPlacement, PlaceOf(op, In(port)),
             absl::StrCat("is FLOAT_32 that ", left_by, " leaves in the vector memory"),
             absl::StrCat(op.name, " on V68 reads FLOAT_32 in main memory alone"), std::move(source));
    outcome.ends_export = true;
  }

  const CheckContext& context_;
  std::vector<Place32> places_;  // by value
  Place32 within_;               // of what is between the operators of one node
  Emission emission_;
};

// What computes with quantized tensors alone has no floats between its operators, where integers may have.
bool TouchesUnquantized(const CheckContext& context, const ResolvedOp& op) {
  const auto is_one = [](const Operand& operand) { return operand.present && !operand.quantized; };
  return absl::c_any_of(context.resolved().inputs(op), is_one) ||
         absl::c_any_of(context.resolved().outputs(op), is_one);
}

}  // namespace

void CheckFloatPlacement(const CheckContext& context, const Target& target, FindingSink& sink, ModuleResult& result) {
  // ONNX Runtime's provider has floats computed in half precision.
  if (target.kernels != kKernels || target.toolchain == Toolchain::kOnnxRuntime) return;
  Placement placement(context);
  const absl::Span<const ResolvedOp> ops = context.resolved().ops();
  for (size_t i = 0; i < ops.size(); ++i) {
    ModuleResult::OpOutcome& outcome = result.ops[i];
    if (!outcome.checked || outcome.refused || !TouchesUnquantized(context, ops[i])) continue;
    placement.Pass(ops[i], sink, outcome);
  }
}

}  // namespace quantgate::qnn_htp
