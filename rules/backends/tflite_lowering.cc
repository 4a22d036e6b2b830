#include "rules/backends/tflite_lowering.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/match.h"
#include "absl/types/optional.h"
#include "rules/backends/node_view.h"
#include "rules/backends/tensor.h"
#include "rules/graph/data_type.h"

namespace quantgate {
namespace {

// Words of options, at the numbers that the schema gives them.
constexpr absl::string_view kActivations[] = {"NONE", "RELU", "RELU_N1_TO_1", "RELU6", "TANH", "SIGN_BIT"};
constexpr absl::string_view kPaddings[] = {"SAME", "VALID"};
constexpr absl::string_view kMirrorModes[] = {"REFLECT", "SYMMETRIC"};

absl::Span<const absl::string_view> WordsOf(absl::string_view option) {
  if (option == "fused_activation_function") return kActivations;
  if (option == "padding") return kPaddings;
  if (option == "mode") return kMirrorModes;
  return {};
}

void AddOption(absl::string_view name, const v1::Attribute& attribute, Emission& emission) {
  switch (attribute.value_case()) {
    case v1::Attribute::kI:
      emission.AddInt(name, attribute.i());
      break;
    case v1::Attribute::kB:
      emission.AddInt(name, attribute.b() ? 1 : 0);
      break;
    case v1::Attribute::kF:
      emission.AddReal(name, attribute.f());
      break;
    case v1::Attribute::kS: {
      const absl::Span<const absl::string_view> words = WordsOf(name);
      const auto found = std::find(words.begin(), words.end(), attribute.s());
      if (found != words.end()) emission.AddInt(name, found - words.begin());
      break;
    }
    case v1::Attribute::kInts: {
      BackendParam& param = emission.AddParam(name);
      param.ints.assign(attribute.ints().values().begin(), attribute.ints().values().end());
      break;
    }
    default:
      break;
  }
}

// What the option quantized_bias_type names; -1: no type of a bias.
int64_t BiasBits(const Graph& graph, int32_t node) {
  const v1::Attribute* type = graph.attribute(node, "quantized_bias_type");
  if (type == nullptr) return 0;
  if (type->value_case() != v1::Attribute::kDtype) return -1;
  switch (type->dtype()) {
    case v1::DATA_TYPE_FLOAT32:  // the schema's default
      return 0;
    case v1::DATA_TYPE_INT32:
      return 32;
    case v1::DATA_TYPE_INT64:
      return 64;
    default:
      return -1;
  }
}

// As operands count: all further arguments are at the last one.
int16_t Position(int argument) { return static_cast<int16_t>(std::min(argument, 32767)); }

// The operands in the order of their arguments, one after the other: nodes may have very many.
class Operands {
 public:
  explicit Operands(absl::Span<const Operand> operands) : operands_(operands) {}

  // Of an argument that comes after those asked before; null: none, or not present.
  const Operand* At(int argument) {
    if (next_ >= operands_.size() || operands_[next_].argument != Position(argument)) return nullptr;
    const Operand& operand = operands_[next_++];
    return operand.present ? &operand : nullptr;
  }

 private:
  absl::Span<const Operand> operands_;
  size_t next_ = 0;
};

// An argument that is no data of the canonical operator (sizes, axes, a value to fill with).
void FillPlain(const Graph& graph, int32_t id, int argument, BackendTensor& tensor) {
  const v1::Value& value = graph.value(id);
  tensor.present = true;
  tensor.type = {value.dtype(), graph.value_spec(id) >= 0 && IsInteger(value.dtype())};
  tensor.value = id;
  tensor.argument = Position(argument);
  tensor.is_static = tensor.static_chain = graph.is_constant(id);
  tensor.is_graph_input = graph.is_graph_input(id);
  if (value.has_shape()) {
    tensor.rank = value.dims_size();
    tensor.dims = absl::MakeConstSpan(value.dims().data(), value.dims_size());
  }
}

// The file's own type and rank. Numbers of less than a byte are of their own type here, not bytes with a narrow
// encoding.
void KeepFileTerms(const Graph& graph, const Operand& operand, BackendTensor& tensor) {
  tensor.type = {operand.type, operand.quantized};
  if (tensor.encoding == Encoding::kBwPerTensor) tensor.encoding = Encoding::kPerTensor;
  if (tensor.encoding == Encoding::kBwPerChannel) tensor.encoding = Encoding::kPerChannel;
  if (operand.value < 0) return;
  const v1::Value& value = graph.value(operand.value);
  if (!value.has_shape()) return;
  tensor.rank = value.dims_size();
  tensor.dims = absl::MakeConstSpan(value.dims().data(), value.dims_size());
}

// Scale and zero point of two tensors of the file are not the same.
bool OtherQparams(const Graph& graph, int32_t a, int32_t b) {
  const int32_t spec_a = graph.value_spec(a), spec_b = graph.value_spec(b);
  if (spec_a < 0 || spec_b < 0) return spec_a != spec_b;
  const v1::QParams& one = graph.message().specs(spec_a).qparams();
  const v1::QParams& other = graph.message().specs(spec_b).qparams();
  return !std::equal(one.scales().begin(), one.scales().end(), other.scales().begin(), other.scales().end()) ||
         !std::equal(one.zero_points().begin(), one.zero_points().end(), other.zero_points().begin(),
                     other.zero_points().end());
}

// The last argument of FILL, and that of ONE_HOT, is a value that ends in the output.
void AddValueQparams(const Graph& graph, int32_t node, Emission& emission) {
  bool other = false;
  for (int i = 1; i < graph.num_inputs(node) && graph.num_outputs(node) > 0; ++i) {
    const int32_t value = graph.input(node, i), output = graph.output(node, 0);
    if (value < 0 || output < 0 || graph.dtype(value) != graph.dtype(output)) continue;
    other = other || OtherQparams(graph, value, output);
  }
  emission.AddInt("other_value_qparams", other ? 1 : 0);
}

void AddBroadcasts(const NodeView& view, Emission& emission) {
  const Operand *a = view.input(0), *b = view.input(1);
  if (view.rank(a) < 0 || view.rank(b) < 0) return;
  bool other = view.rank(a) != view.rank(b);
  for (int i = 0; i < view.rank(a) && !other; ++i) other = view.dim(a, i) != view.dim(b, i);
  emission.AddInt("broadcasts", other ? 1 : 0);
}

// What the delegate does not get hold of when it makes its kernels: what is neither a constant nor one that it unpacks
// itself, by a DENSIFY, by a DEQUANTIZE to float, or by the one behind the other.
bool IsRunTime(const Graph& graph, int32_t value) {
  const auto unpacked = [&](absl::string_view op) {
    const int32_t producer = value < 0 ? -1 : graph.producer(value);
    const bool by_op = producer >= 0 && graph.op_type(producer) == op && graph.num_inputs(producer) > 0;
    if (by_op) value = graph.input(producer, 0);
    return by_op;
  };
  const bool dequantized = unpacked("DEQUANTIZE");
  unpacked("DENSIFY");
  if (value < 0 || !graph.is_constant(value)) return true;
  const v1::DataType type = graph.dtype(value);
  return dequantized && type != v1::DATA_TYPE_FLOAT16 && type != v1::DATA_TYPE_INT8;
}

void AddRunTime(const Graph& graph, int32_t node, Emission& emission) {
  const auto add = [&](absl::string_view name, int argument) {
    const int32_t value = argument < graph.num_inputs(node) ? graph.input(node, argument) : -1;
    emission.AddInt(name, value >= 0 && IsRunTime(graph, value) ? 1 : 0);
  };
  add("run_time_weight", 1);
  add("run_time_bias", graph.op_type(node) == "TRANSPOSE_CONV" ? 3 : 2);
  // A constant that is unpacked for its readers alone.
  const int32_t input = graph.num_inputs(node) > 0 ? graph.input(node, 0) : -1;
  const int32_t output = graph.num_outputs(node) > 0 ? graph.output(node, 0) : -1;
  const bool given = input >= 0 && output >= 0 && graph.is_constant(input) && graph.is_graph_output(output);
  emission.AddInt("constant_output", given ? 1 : 0);
}

// What kernels and the delegate ask of two numbers at once.
void AddDerived(const NodeView& view, Emission& emission) {
  const auto beyond = [&](absl::string_view stride, absl::string_view filter) {
    return view.integer({stride}).value_or(1) > view.integer({filter}).value_or(1);
  };
  if (view.attribute({"filter_width"}) != nullptr) {
    emission.AddInt("stride_beyond_filter",
                    beyond("stride_w", "filter_width") || beyond("stride_h", "filter_height") ? 1 : 0);
  }
  if (view.op_type() == "EMBEDDING_LOOKUP") {
    const Operand* table = view.input(0);
    const int64_t row = view.dim(table, view.rank(table) - 1);
    if (row >= 0) emission.AddInt("weight_row_remainder", row % 4);
  } else if (const int64_t row = view.dim(view.input(1), view.rank(view.input(1)) - 1); row >= 0) {
    emission.AddInt("weight_row_remainder", row % 4);
    const QuantParams* weight = view.context().resolved().qparams(*view.input(1));
    const bool lone = weight != nullptr && weight->scales.size() == 1;
    emission.AddInt("lone_weight_scale", lone && row > 1 ? 1 : 0);
    // Of a convolution a row is what one output reads of the input's channels: fewer than all of them are a group.
    const int64_t channels = view.dim(view.input(0), view.rank(view.input(0)) - 1);
    const bool grouped = view.rank(view.input(1)) == 4 && channels > row && view.dim(view.input(1), 0) > 1;
    emission.AddInt("grouped_lone_weight_scale", lone && grouped ? 1 : 0);
  }
}

// How many output channels an input channel has, as DEPTHWISE_CONV_2D states it. 0: that many. 1: it is not looked at.
// 2: the delegate takes it as it is stated.
void AddDepthMultiplier(const NodeView& view, Emission& emission) {
  const int64_t stated = view.integer({"depth_multiplier"}).value_or(0);
  const int64_t inputs = view.dim(view.input(0), 3), outputs = view.dim(view.input(1), 3);
  if (inputs < 1 || outputs < 1) return;
  const bool divides = stated > 0 && outputs % stated == 0;
  emission.AddInt("depth_multiplier_form", !divides ? 1 : outputs / stated == inputs ? 0 : 2);
}

double RealAt(const NodeView& view, absl::string_view name) {
  const v1::Attribute* stated = view.attribute({name});
  return stated == nullptr ? 0 : stated->f();
}

// None unless the tensor is quantized with one scale.
absl::optional<double> LoneScale(const NodeView& view, const Operand* operand) {
  const QuantParams* params = operand == nullptr ? nullptr : view.context().resolved().qparams(*operand);
  if (params == nullptr || params->scales.size() != 1) return absl::nullopt;
  return params->scales[0];
}

// Slopes that XNNPACK has kernels for; of bytes it is that of their steps.
void AddSlope(const NodeView& view, Emission& emission) {
  const double alpha = RealAt(view, "alpha");
  bool taken = std::isfinite(alpha) && alpha != 0;
  const absl::optional<double> in = LoneScale(view, view.input(0)), out = LoneScale(view, view.output(0));
  if (in.has_value() && out.has_value() && *out != 0) {
    constexpr double kLeast = 1.0 / 256;
    const double up = *in / *out, down = up * alpha;
    taken = taken && up >= kLeast && up <= 128 && std::fabs(down) >= kLeast && down <= 128 && down >= kLeast - 128;
  }
  emission.AddInt("slope_form", taken ? 0 : 1);
}

// What the exponent is multiplied by, in fixed point of 26 bits, is not beyond 1.
void AddSoftmax(const NodeView& view, Emission& emission) {
  const bool has_beta = view.op_type() == "SOFTMAX";
  const double beta = has_beta ? RealAt(view, "beta") : 1;
  if (has_beta) emission.AddInt("other_beta", beta == 1 ? 0 : 1);
  const Operand* data = view.input(0);
  const absl::optional<double> scale = LoneScale(view, data);
  const bool bytes = scale.has_value() && (data->type == v1::DATA_TYPE_INT8 || data->type == v1::DATA_TYPE_UINT8);
  emission.AddInt("vanishing_multiplier", bytes && !(beta * *scale > std::ldexp(1.0, -26)) ? 1 : 0);
}

}  // namespace

Lowering LowerTflite(const CheckContext& context, const ResolvedOp& op, Emission& emission) {
  const Graph& graph = context.graph();
  if (graph.origin() != v1::Graph::TFLITE) return Unknown("this origin's operators are not those of a LiteRT file");
  const NodeView view(context, op, emission.looked_at_constants());
  emission.Begin(view.op_type(), op.node);
  Operands inputs(view.inputs()), outputs(view.outputs());
  for (int i = 0; i < graph.num_inputs(op.node); ++i) {
    const Operand* operand = inputs.At(i);
    const int32_t value = graph.input(op.node, i);
    BackendTensor& tensor = emission.AddInput();
    if (operand != nullptr) {
      FillTensor(view, operand, Layout::kSame, -1, emission, tensor);
      KeepFileTerms(graph, *operand, tensor);
    } else if (value >= 0) {
      FillPlain(graph, value, i, tensor);
    }
  }
  for (int i = 0; i < graph.num_outputs(op.node); ++i) {
    const Operand* operand = outputs.At(i);
    const int32_t value = graph.output(op.node, i);
    BackendTensor& tensor = emission.AddOutput();
    if (operand != nullptr) {
      FillTensor(view, operand, Layout::kSame, -1, emission, tensor);
      KeepFileTerms(graph, *operand, tensor);
    } else if (value >= 0) {
      FillPlain(graph, value, i, tensor);
    }
  }
  for (const v1::Attribute& attribute : graph.node(op.node).attributes()) {
    AddOption(graph.symbol(attribute.name()), attribute, emission);
  }
  AddDerived(view, emission);
  AddRunTime(graph, op.node, emission);
  if (view.op_type() == "ATAN2") AddBroadcasts(view, emission);
  if (view.op_type() == "FILL" || view.op_type() == "ONE_HOT") AddValueQparams(graph, op.node, emission);
  if (view.op_type() == "DEPTHWISE_CONV_2D") AddDepthMultiplier(view, emission);
  if (view.op_type() == "LEAKY_RELU") AddSlope(view, emission);
  if (absl::EndsWith(view.op_type(), "SOFTMAX")) AddSoftmax(view, emission);
  // The delegate leaves nodes of this version to the kernels, which it has for weights that are sparse.
  constexpr int64_t kSparseVersion = 8;
  const int64_t version = graph.int_attribute(op.node, "operator_version", 1);
  emission.AddInt("sparse_version", version == kSparseVersion ? 1 : 0);
  const bool written = graph.num_inputs(op.node) == 3 && graph.input(op.node, 2) < 0;
  emission.AddInt("absent_bias", written ? 1 : 0);
  emission.AddInt("bias_bits", BiasBits(graph, op.node));
  return Emitted();
}

}  // namespace quantgate
