#include "rules/backends/qnn_htp/float_placement.h"

#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "rules/backends/emission.h"
#include "rules/backends/qnn/lowering.h"
#include "rules/backends/qnn/removed.h"
#include "rules/backends/qnn/taken_apart.h"
#include "rules/backends/qnn_htp/composite.h"
#include "rules/backends/qnn_htp/executorch/partition.h"
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
    "it in main memory alone. Most of what is in between leaves it where it is; only the way from one delegate to "
    "another brings it over. Each operator alone is validated and prepared, both in one graph end with \"could not "
    "create op: q::flat_from_vtcm\".",
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

// Where a tensor lies. What is computed from a cast of INT_64 is prepared wherever it is, whatever else it is computed
// from; what goes from one delegate to another is in main memory.
struct Residence {
  enum Memory : uint8_t { kMain, kVector, kAny } memory = kMain;  // kMain: or not known
  int delegate = -1;
  absl::string_view left_by;  // the operator that left it in the vector memory
};

// Follows tensors through one graph.
class Placement {
 public:
  // `delegates`: by operator; empty: there is one for all.
  Placement(const CheckContext& context, std::vector<int> delegates)
      : context_(context), delegates_(std::move(delegates)), lies_(context.graph().num_values()) {}

  void Pass(size_t index, FindingSink& sink, ModuleResult::OpOutcome& outcome) {
    const ResolvedOp& op = context_.resolved().ops()[index];
    emission_.Clear();
    const Lowering lowering = qnn::Lower(context_, op, emission_);
    if (lowering.status == Lowering::kFolded) PassOn(op);
    if (lowering.status != Lowering::kEmitted) return;
    delegate_ = delegates_.empty() ? 0 : delegates_[index];
    within_ = {};
    for (const BackendOp& emitted : emission_.Finish()) {
      const absl::string_view composite = StandAloneName(emitted);
      const absl::string_view name = composite.empty() ? emitted.name : composite;
      const int port = PortInVectorMemory(emitted);
      const Residence read = port < 0 ? Residence() : Of(emitted.inputs[port]);
      const bool reads_main = absl::c_linear_search(kReadMain, name) ||
                              (name == "Concat" && read.memory == Residence::kVector && JoinsInMain(emitted));
      if (read.memory == Residence::kVector && reads_main && !outcome.ends_export) {
        Refuse(emitted, name, port, read.left_by, sink, outcome);
      }
      within_ = Written(emitted, name, reads_main, read);
      within_.delegate = delegate_;
      for (const BackendTensor& output : emitted.outputs) {
        if (output.value >= 0) lies_[output.value] = IsFloat32(output) ? within_ : Residence();
      }
    }
  }

 private:
  // One that may be anywhere decides; else the first in the vector memory; -1: none.
  int PortInVectorMemory(const BackendOp& op) const {
    int port = -1;
    for (size_t i = 0; i < op.inputs.size(); ++i) {
      const Residence::Memory memory = Of(op.inputs[i]).memory;
      if (memory == Residence::kAny) return static_cast<int>(i);
      if (port < 0 && memory == Residence::kVector) port = static_cast<int>(i);
    }
    return port;
  }

  // Whether the value is of INT_64 still: ExecuTorch casts to 32 bits behind whatever the delegate computes. What a
  // division was cast to and is cast from again is no cast at all.
  bool IsLong(int32_t value) const {
    const Graph& graph = context_.graph();
    value = qnn::BehindRemoved(graph, value);
    if (value < 0 || graph.dtype(value) != v1::DATA_TYPE_INT64) return false;
    const int32_t producer = graph.producer(value);
    if (producer < 0) return graph.is_graph_input(value);
    if (graph.op(producer) == OpId::kFloorDiv || graph.is_static(value)) return true;
    const int32_t op = context_.resolved().op_of_node(producer);
    return op >= 0 && !delegates_.empty() && delegates_[op] != delegate_;
  }

  Residence Written(const BackendOp& op, absl::string_view name, bool reads_main, const Residence& read) const {
    if (name == "Cast") {
      return {IsLong(op.inputs.empty() ? -1 : op.inputs[0].value) ? Residence::kAny : Residence::kMain, -1, ""};
    }
    const auto* leaves = absl::c_find(kLeave, name);
    const bool is_left = leaves != std::end(kLeave);
    const bool keeps = !reads_main && absl::c_linear_search(kKeep, name);
    if (read.memory == Residence::kAny) return is_left || keeps ? read : Residence();
    if (is_left) return {Residence::kVector, -1, *leaves};
    return keeps ? read : Residence();
  }

  Residence Of(const BackendTensor& tensor) const {
    if (!IsFloat32(tensor) || tensor.is_static) return {};
    const Residence& lies = tensor.value >= 0 ? lies_[tensor.value] : within_;
    return lies.delegate == delegate_ ? lies : Residence();
  }

  // Nothing is emitted for it: the result is the input. Of several of both none is followed.
  void PassOn(const ResolvedOp& op) {
    const absl::Span<const Operand> inputs = context_.resolved().inputs(op);
    if (inputs.empty() || inputs[0].value < 0 || qnn::PassesOnSeveral(context_.graph(), op.node)) return;
    for (const Operand& output : context_.resolved().outputs(op)) {
      if (output.value >= 0) lies_[output.value] = lies_[inputs[0].value];
    }
  }

  static void Refuse(const BackendOp& op, absl::string_view name, int port, absl::string_view left_by,
                     FindingSink& sink, ModuleResult::OpOutcome& outcome) {
    FindingSource source;
    source.kind = v1::Source::MEASURED;
    source.document = kMeasuredWith;
    sink.Add(kFloatPlacement, PlaceOf(op, In(port)),
             absl::StrCat("is FLOAT_32 that ", left_by, " leaves in the vector memory"),
             absl::StrCat(name, " on V68 reads FLOAT_32 only in main memory"), std::move(source));
    outcome.ends_export = true;
  }

  const CheckContext& context_;
  const std::vector<int> delegates_;
  std::vector<Residence> lies_;  // by value
  Residence within_;             // of what is between the operators of one node
  int delegate_ = 0;             // of that node
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
  const absl::Span<const ResolvedOp> ops = context.resolved().ops();
  std::optional<Placement> placement;
  for (size_t i = 0; i < ops.size(); ++i) {
    ModuleResult::OpOutcome& outcome = result.ops[i];
    if (!outcome.checked || outcome.refused || !TouchesUnquantized(context, ops[i])) continue;
    if (!placement) {
      placement.emplace(
          context, target.toolchain == Toolchain::kExecuTorch ? DelegateOfEach(context, result) : std::vector<int>());
    }
    placement->Pass(i, sink, outcome);
  }
}

}  // namespace quantgate::qnn_htp
