#include <algorithm>
#include <iterator>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/engine/render.h"
#include "rules/graph/data_type.h"
#include "rules/graph/port_role.h"
#include "rules/graph/quantizer.h"
#include "rules/onnx/data_type.h"
#include "rules/soundness/packed_matmul.h"
#include "rules/soundness/rules.h"
#include "rules/soundness/stored_writer.h"

namespace quantgate {
namespace {

constexpr RuleInfo kTypeMismatch = {
    "FI008",
    "type-mismatch",
    v1::Finding::UNSOUND,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject}: {observed}; expected {allowed}",
    "The element types that the file states for the tensors of one operator contradict each other, so no runtime can "
    "say what the stored numbers are.",
    "Make the types agree; the zero point has the type of the quantized tensor, and scales are floating-point.",
    "DequantizeLinear of a uint8 tensor with an int8 zero point fires it; with a uint8 one it does not.",
};

// ONNX operators that are defined for floating-point tensors alone.
bool TakesOnlyFloats(OpId op) {
  switch (op) {
    case OpId::kConv:
    case OpId::kConvTranspose:
    case OpId::kAveragePool:
    case OpId::kLpPool:
    case OpId::kGlobalMaxPool:
    case OpId::kGlobalAveragePool:
    case OpId::kGlobalLpPool:
    case OpId::kSoftmax:
    case OpId::kLogSoftmax:
    case OpId::kHardmax:
    case OpId::kBatchNorm:
    case OpId::kInstanceNorm:
    case OpId::kLayerNorm:
    case OpId::kGroupNorm:
    case OpId::kLpNorm:
    case OpId::kLocalResponseNorm:
    case OpId::kMeanVarianceNorm:
    case OpId::kSigmoid:
    case OpId::kHardSigmoid:
    case OpId::kHardSwish:
    case OpId::kTanh:
    case OpId::kLeakyRelu:
    case OpId::kThresholdedRelu:
    case OpId::kElu:
    case OpId::kCelu:
    case OpId::kSelu:
    case OpId::kGelu:
    case OpId::kMish:
    case OpId::kSoftplus:
    case OpId::kSoftsign:
    case OpId::kSqrt:
    case OpId::kExp:
    case OpId::kLog:
    case OpId::kSin:
    case OpId::kCos:
    case OpId::kReciprocal:
    case OpId::kFloor:
    case OpId::kCeil:
    case OpId::kRound:
      return true;
    default:
      return false;
  }
}

class TypeCheck {
 public:
  TypeCheck(const CheckContext& context, FindingSink& sink) : graph_(context.graph()), sink_(sink) {}

  void Quantizer(int32_t node) {
    const QuantizerInputs inputs = QuantizerInputsOf(graph_, node);
    const bool quantize = IsQuantize(graph_, node);
    if (quantize && inputs.data >= 0) {
      // ONNX also quantizes int32 accumulators.
      const v1::DataType type = StoredType(inputs.data);
      if (IsSmallFloat(type) || type == v1::DATA_TYPE_BOOL || (IsInteger(type) && type != v1::DATA_TYPE_INT32)) {
        const int32_t before = graph_.producer(inputs.data);
        if (IsQuantize(graph_, before)) {
          Add(node, inputs.data,
              absl::StrCat("quantizes again what '", NodeName(graph_, before), "' has quantized to ",
                           DataTypeName(type)),
              "a DequantizeLinear in between, or one quantization");
        } else {
          Add(node, inputs.data, absl::StrCat("quantizes a tensor of ", DataTypeName(type)),
              "a floating-point or int32 tensor");
        }
      }
      if (graph_.origin() == v1::Graph::PT2E && IsBeyondFloat32(type)) {
        Add(node, inputs.data, absl::StrCat("quantizes a tensor of ", DataTypeName(type)), "float32 or narrower");
      }
    }
    if (!quantize && inputs.data >= 0) {
      const v1::DataType type = StoredType(inputs.data);
      if (IsFloat(type) || type == v1::DATA_TYPE_BOOL || BitWidth(type) == 64) {
        Add(node, inputs.data, absl::StrCat("dequantizes a tensor of ", DataTypeName(type)), "a quantized tensor");
      }
    }
    if (!quantize && inputs.data >= 0) Read(node, inputs.data);
    // torchao's affine operators also take zero points that are real numbers.
    if (inputs.zero_point >= 0 && graph_.origin() != v1::Graph::PT2E &&
        IsFloat(graph_.value(inputs.zero_point).dtype())) {
      Add(node, inputs.zero_point,
          absl::StrCat("the zero point is ", DataTypeName(graph_.value(inputs.zero_point).dtype())),
          "the type of the quantized tensor");
    }
    Scale(node, inputs.scale);
    const int32_t stored = quantize ? (graph_.num_outputs(node) > 0 ? graph_.output(node, 0) : -1) : inputs.data;
    ZeroPoint(node, inputs.zero_point, stored);
    if (quantize) StatedOutput(node, inputs.zero_point);
    if (quantize) Asked(node);
  }

  // Types that an exported program declares for the results of a node.
  void Declared(int32_t node) {
    const Binding* binding = graph_.binding(node);
    if (binding == nullptr || binding->integer_operator || graph_.num_outputs(node) != 1) return;
    const int32_t result = graph_.output(node, 0);
    if (result < 0) return;  // left out: dangling-tensor's
    const v1::DataType declared = graph_.dtype(result);
    if (declared == v1::DATA_TYPE_UNSPECIFIED) return;
    // The other overloads have shape functions that are wrong about it.
    if (IsQuantize(graph_, node) && absl::EndsWith(graph_.op_type(node), ".default")) {
      const v1::DataType asked = AskedType(node);
      if (asked == v1::DATA_TYPE_UNSPECIFIED || asked == declared) return;
      Add(node, result,
          absl::StrCat("quantizes to ", DataTypeName(asked), ", and the file declares ", DataTypeName(declared)),
          "one type for both");
    } else if (TakesOnlyFloats(binding->op->id) && graph_.num_inputs(node) > 0 && graph_.input(node, 0) >= 0 &&
               IsFloat(graph_.dtype(graph_.input(node, 0))) && IsInteger(declared)) {
      Add(node, result,
          absl::StrCat("the file declares ", DataTypeName(declared), " for what is computed of ",
                       DataTypeName(graph_.dtype(graph_.input(node, 0)))),
          "a floating-point tensor");
    }
  }

  // Of a tensor whose type the file states: an input of the graph or a constant.
  void Stated(int32_t value) {
    const v1::DataType type = graph_.dtype(value);
    if (!IsInteger(type)) return;
    for (const Use& use : graph_.uses(value)) {
      const Binding* binding = graph_.binding(use.node);
      if (binding == nullptr || binding->integer_operator || !TakesOnlyFloats(binding->op->id)) continue;
      const PortRole role = RoleAt(*binding, graph_.argument(use.node, use.input));
      if (role != PortRole::kActivation && role != PortRole::kWeight) continue;
      Add(use.node, value, absl::StrCat(graph_.op_type(use.node), " of a tensor of ", DataTypeName(type)),
          "a floating-point tensor", use.input,
          "Put a DequantizeLinear with scale and zero point of the tensor in front, or state its type if it is none of "
          "integers.");
    }
  }

  void Packed(const PackedMatMul& packed) {
    const v1::DataType weight = graph_.dtype(packed.weight);
    if (weight != v1::DATA_TYPE_UNSPECIFIED && weight != v1::DATA_TYPE_UINT8) {
      Add(packed.node, packed.weight, absl::StrCat("the packed weights are ", DataTypeName(weight)), "uint8", 1);
    }
    const int32_t data = graph_.input(packed.node, 0);
    if (data < 0 || packed.scale < 0) return;
    const v1::DataType computed = graph_.dtype(data);
    const v1::DataType scale = graph_.dtype(packed.scale);
    if (!IsFloat(computed) || !IsFloat(scale) || computed == scale) return;
    Add(packed.node, packed.scale,
        absl::StrCat("the scales are ", DataTypeName(scale), ", the data ", DataTypeName(computed)),
        "one type for both", 2);
  }

  void IntegerOperator(int32_t node, const Binding& binding) {
    // Data of each port, in argument order; zero points follow their data.
    int32_t data[256];
    std::fill(std::begin(data), std::end(data), -1);
    for (int i = 0; i < graph_.num_inputs(node); ++i) {
      const int32_t value = graph_.input(node, i);
      const Argument argument = ArgumentAt(binding, graph_.argument(node, i));
      if (value < 0) continue;
      if (argument.role == ArgRole::kScale) Scale(node, value);
      if (argument.role == ArgRole::kData && !argument.of_output) {
        data[argument.port] = value;
        const Port& port = binding.op->inputs[std::min<size_t>(argument.port, binding.op->inputs.size() - 1)];
        const v1::DataType type = graph_.value(value).dtype();
        if (port.role == PortRole::kBias && TakesIntegerBias(node) && graph_.is_constant(value) &&
            type != v1::DATA_TYPE_INT32 && type != v1::DATA_TYPE_UNSPECIFIED) {
          Add(node, value, absl::StrCat("the bias is ", DataTypeName(type)), "int32", i);
        }
      }
      if (argument.role == ArgRole::kZeroPoint && !argument.of_output) ZeroPoint(node, value, data[argument.port]);
    }
  }

 private:
  bool TakesIntegerBias(int32_t node) const {
    const absl::string_view type = graph_.op_type(node);
    return type == "QLinearConv" || type == "com.microsoft::QGemm" || type == "com.microsoft::QLinearConv";
  }

  // Type that a Quantize of PyTorch is told to make; unspecified: it is not told.
  v1::DataType AskedType(int32_t node) const {
    const v1::Attribute* dtype = graph_.origin() == v1::Graph::PT2E ? graph_.attribute(node, "dtype") : nullptr;
    return dtype == nullptr ? v1::DATA_TYPE_UNSPECIFIED : dtype->dtype();
  }

  // Type of a stored tensor: stated, or that of the zero point of the Quantize that writes it. PyTorch's own shape
  // functions are wrong about the type where scale and zero point are tensors.
  v1::DataType StoredType(int32_t value) const {
    const int32_t producer = graph_.producer(value);
    if (IsQuantize(graph_, producer) && graph_.origin() == v1::Graph::PT2E) {
      const v1::DataType asked = AskedType(producer);
      return asked != v1::DATA_TYPE_UNSPECIFIED ? asked : graph_.dtype(value);
    }
    if (IsQuantize(graph_, producer)) {
      const int32_t zero_point = QuantizerInputsOf(graph_, producer).zero_point;
      if (zero_point >= 0 && graph_.value(zero_point).dtype() != v1::DATA_TYPE_UNSPECIFIED) {
        return graph_.value(zero_point).dtype();
      }
    }
    return graph_.value(value).dtype();
  }

  void Scale(int32_t node, int32_t scale) {
    if (scale < 0) return;
    const v1::DataType type = graph_.value(scale).dtype();
    if (type == v1::DATA_TYPE_UNSPECIFIED || IsFloat(type) || type == v1::DATA_TYPE_FLOAT8_E8M0) return;
    Add(node, scale, absl::StrCat("the scale is ", DataTypeName(type)), "a floating-point scale");
  }

  // QuantizeLinear may say its output's type twice: by the zero point and by an attribute, 0 for "as the zero point".
  void StatedOutput(int32_t node, int32_t zero_point) {
    if (graph_.origin() != v1::Graph::ONNX || zero_point < 0) return;
    const v1::DataType stated = DataTypeFromOnnx(graph_.int_attribute(node, "output_dtype", 0));
    const v1::DataType type = graph_.value(zero_point).dtype();
    if (stated == v1::DATA_TYPE_UNSPECIFIED || type == v1::DATA_TYPE_UNSPECIFIED || stated == type) return;
    Add(node, zero_point,
        absl::StrCat("output_dtype is ", DataTypeName(stated), ", the zero point ", DataTypeName(type)),
        "one type for both");
  }

  // torchao also quantizes to float8.
  void Asked(int32_t node) {
    const v1::DataType type = AskedType(node);
    const int32_t result = graph_.num_outputs(node) > 0 ? graph_.output(node, 0) : -1;
    const bool stored = (IsInteger(type) && BitWidth(type) < 64) || IsSmallFloat(type);
    if (result < 0 || type == v1::DATA_TYPE_UNSPECIFIED || stored) return;
    Add(node, result, absl::StrCat("quantizes to ", DataTypeName(type)),
        "an integer type of at most 32 bits, or float8");
  }

  // A Dequantize of PyTorch is told what it reads, and asserts it.
  void Read(int32_t node, int32_t data) {
    const v1::DataType told = AskedType(node);
    const v1::DataType type = StoredType(data);
    if (told == v1::DATA_TYPE_UNSPECIFIED || type == v1::DATA_TYPE_UNSPECIFIED || told == type) return;
    Add(node, data, absl::StrCat("dequantizes ", DataTypeName(told), ", and the tensor is ", DataTypeName(type)),
        "one type for both");
  }

  void ZeroPoint(int32_t node, int32_t zero_point, int32_t stored) {
    // PyTorch passes zero points as int32 or int64, whatever the tensor is.
    if (zero_point < 0 || stored < 0 || graph_.origin() == v1::Graph::PT2E) return;
    const v1::DataType type = graph_.value(zero_point).dtype();
    const v1::DataType data = IsQuantize(graph_, node) ? graph_.value(stored).dtype() : StoredType(stored);
    if (type == v1::DATA_TYPE_UNSPECIFIED || data == v1::DATA_TYPE_UNSPECIFIED || type == data) return;
    if (IsFloat(type)) return;  // real-valued zero points (block-wise weights)
    // Between integer operators it is the writer's zero point that may be wrong (FI010).
    if (!IsDequantize(graph_, node) && WrittenType(graph_, StoredWriter(graph_, stored)) != v1::DATA_TYPE_UNSPECIFIED)
      return;
    Add(node, stored,
        absl::StrCat("the tensor is ", DataTypeName(data), ", its zero point '", graph_.value(zero_point).name(), "' ",
                     DataTypeName(type)),
        "one type for both");
  }

  // `fix` null: what the rule says.
  void Add(int32_t node, int32_t value, std::string observed, std::string allowed, int input = -1,
           const char* fix = nullptr) {
    FindingDraft draft{.rule = &kTypeMismatch};
    draft.place.node = node;
    draft.place.value = value;
    draft.place.input = input;
    draft.observed = std::move(observed);
    draft.allowed = std::move(allowed);
    if (fix != nullptr) draft.fix = fix;
    sink_.Add(std::move(draft));
  }

  const Graph& graph_;
  FindingSink& sink_;
};

void CheckTypeMismatch(const CheckContext& context, FindingSink& sink) {
  const Graph& graph = context.graph();
  TypeCheck types(context, sink);
  for (int32_t node : graph.quantizers()) types.Quantizer(node);
  if (graph.origin() == v1::Graph::ONNX) {
    for (int32_t id : graph.message().inputs()) types.Stated(id - 1);
    for (const Graph::ConstantRecord& constant : graph.constants()) {
      if (!graph.is_graph_input(constant.value)) types.Stated(constant.value);
    }
  }
  if (graph.origin() == v1::Graph::PT2E && context.model().format_version() != 0) {
    for (int32_t node = 0; node < graph.num_nodes(); ++node) types.Declared(node);
  }
  for (int32_t node : graph.integer_nodes()) types.IntegerOperator(node, *graph.binding(node));
  for (const PackedMatMul& packed : context.Once(PackedMatMuls)) types.Packed(packed);
}

}  // namespace

Rule TypeMismatch() { return {&kTypeMismatch, &CheckTypeMismatch}; }

}  // namespace quantgate
