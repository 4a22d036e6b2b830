#include "rules/backends/onnxruntime/own_quantization.h"

#include <cmath>

#include "absl/algorithm/container.h"
#include "absl/strings/string_view.h"
#include "rules/backends/onnxruntime/values.h"
#include "rules/engine/render.h"
#include "rules/graph/elements.h"
#include "rules/graph/quantizer.h"

namespace quantgate::onnxruntime {

const RuleInfo kOwnWeight = {
    "NR505",
    "float-weight-made-int8",
    v1::Finding::PRECISION,
    v1::Finding::WARNING,
    kAtAnyStage,
    "{subject} is a weight of {observed}; the runtime makes {allowed} of it.",
    "Between a DequantizeLinear of one scale and a QuantizeLinear the optimizer quantizes the float weight of a Conv, "
    "ConvTranspose or Gemm by itself, symmetrically and with one scale for all channels, also where the operator then "
    "runs in float. Nothing in the file says so, and no calibration has seen it: a 3x3 convolution of four channels "
    "came out up to 8 of 255 steps off.",
    "Quantize the weight in the model, with a scale for each output channel, or leave the output of the node in float.",
    "Fires: a Conv with a float weight between a DequantizeLinear and a QuantizeLinear of uint8. Does not: a MatMul "
    "there, or the Conv behind a DequantizeLinear with a scale for each channel.",
};

const RuleInfo kHalfBias = {
    "NR506",
    "float16-bias-beyond-its-steps",
    v1::Finding::WRONG_NUMBERS,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject} comes to {observed} in the scale of input times weight; the runtime takes {allowed}.",
    "Between a DequantizeLinear and a QuantizeLinear the optimizer makes int32 of the bias of a Conv, ConvTranspose or "
    "Gemm: it divides it by the scale of input times weight, and rounds. A bias of float16 it rounds as float16, which "
    "holds nothing beyond 65504: what is larger becomes the least int32, and the channel is lost.",
    "Keep the bias in float32, quantize it to int32 in the model, or leave the output of the node in float.",
    "Fires: a bias of 1 beside scales of 0.001 and 0.002. Does not: the same beside 0.01 and 0.02, or in float32.",
};

namespace {

// Tensors that a constant is computed from.
constexpr int kMostFolded = 1000;

constexpr absl::string_view kWithOwnWeights[] = {"Conv", "ConvTranspose", "Gemm"};

// What the runtime makes a constant of before: it leaves Quantize and Dequantize nodes for the fusion. `room`: how many
// tensors are looked at; beyond that it is taken to stay.
bool IsFolded(const Graph& graph, int32_t value, int& room) {
  if (room-- == 0) return false;
  if (graph.is_constant(value)) return true;
  const int32_t producer = graph.producer(value);
  if (!graph.is_static(value) || producer < 0) return false;
  if (IsQuantize(graph, producer) || IsDequantize(graph, producer)) return false;
  for (int i = 0; i < graph.num_inputs(producer); ++i) {
    if (graph.input(producer, i) >= 0 && !IsFolded(graph, graph.input(producer, i), room)) return false;
  }
  return true;
}
bool IsFolded(const Graph& graph, int32_t value) {
  int room = kMostFolded;
  return IsFolded(graph, value, room);
}

// Through Relu and Clip nodes, each the only node that reads what is before it: that a tensor is a result of the model
// too is not asked. An Identity is gone by then, unless it makes a result.
bool EndsInQuantize(const Graph& graph, int32_t node) {
  for (int steps = 0; steps < graph.num_nodes(); ++steps) {
    const int32_t value = graph.num_outputs(node) == 1 ? graph.output(node, 0) : -1;
    if (value < 0 || graph.uses(value).size() != 1 || graph.is_read_in_body(value)) return false;
    const Use& use = graph.uses(value)[0];
    node = use.node;
    if (use.input != 0) return false;
    if (IsQuantize(graph, node)) return true;
    const bool is_gone = graph.op(node) == OpId::kIdentity && !graph.is_graph_output(FirstOutput(graph, node));
    if (!is_gone && graph.op_type(node) != "Relu" && graph.op_type(node) != "Clip") return false;
  }
  return false;
}

// The scales of the weight are those of the bias: as many, and along the output channels.
bool FitsBias(const Graph& graph, int32_t node, int32_t dequantize, int32_t bias) {
  const int32_t scale = InputAt(graph, dequantize, 1);
  if (MayBeOne(graph, scale)) return true;
  if (graph.rank(scale) != 1 || graph.int_attribute(dequantize, "block_size", 0) != 0) return false;
  if (graph.rank(bias) == 1 && graph.value(scale).dims(0) != graph.value(bias).dims(0)) return false;
  int64_t axis = graph.int_attribute(dequantize, "axis", 1);
  const int rank = graph.rank(StoredOf(graph, dequantize));
  if (axis < 0 && rank < 0) return false;
  if (axis < 0) axis += rank;
  const bool by_columns = graph.op_type(node) == "Gemm" && graph.int_attribute(node, "transB", 0) == 0;
  return axis == (by_columns ? 1 : 0);
}

}  // namespace

OwnQuantization OwnQuantizationOf(const Graph& graph, const std::vector<v1::DataType>& types, int32_t node) {
  if (!absl::c_linear_search(kWithOwnWeights, graph.op_type(node))) return {};
  const auto source_of = [&](int i) {
    const int32_t value = InputAt(graph, node, i);
    const int32_t producer = value < 0 ? -1 : graph.producer(value);
    return IsDequantize(graph, producer) ? producer : -1;
  };
  const int32_t input = source_of(0), dequantize = source_of(1);
  const int32_t weight = InputAt(graph, node, 1), bias = InputAt(graph, node, 2);
  if (input < 0 || weight < 0 || !MayBeOne(graph, InputAt(graph, input, 1)) || !EndsInQuantize(graph, node)) return {};
  if (dequantize < 0 && (types[weight] != v1::DATA_TYPE_FLOAT32 || !IsFolded(graph, weight))) return {};
  if (bias >= 0 && (!IsFolded(graph, bias) || (graph.rank(bias) >= 0 && graph.rank(bias) != 1))) return {};
  if (dequantize >= 0 && bias >= 0 && !FitsBias(graph, node, dequantize, bias)) return {};
  OwnQuantization own;
  own.weight = dequantize < 0;
  own.bias = bias >= 0;
  const auto is_rank = [&](int32_t value, int rank) { return value >= 0 && graph.rank(value) == rank; };
  own.bias_at_run_time =
      own.bias && is_rank(InputAt(graph, input, 1), 1) && (own.weight || is_rank(InputAt(graph, dequantize, 1), 0));
  return own;
}

void CheckOwnWeight(const Graph& graph, const std::vector<v1::DataType>& types, int32_t node,
                    const FindingSource& source, FindingSink& sink) {
  if (!OwnQuantizationOf(graph, types, node).weight) return;
  Place place;
  place.node = node;
  place.input = 1;
  place.value = InputAt(graph, node, 1);
  sink.Add(kOwnWeight, place, "floats between quantized tensors", "int8 of one scale for all channels", source);
}

void CheckOwnBias(const Graph& graph, const std::vector<v1::DataType>& types, int32_t node, const FindingSource& source,
                  FindingSink& sink) {
  const OwnQuantization own = OwnQuantizationOf(graph, types, node);
  const int32_t bias = InputAt(graph, node, 2);
  if (!own.bias || own.weight || types[bias] != v1::DATA_TYPE_FLOAT16) return;
  const auto scales_of = [&graph, node](int i) {
    const int32_t scale = InputAt(graph, graph.producer(InputAt(graph, node, i)), 1);
    return scale < 0 ? RealView() : NumbersOf(graph.value(scale));
  };
  const RealView biases = NumbersOf(graph.value(bias)), inputs = scales_of(0), weights = scales_of(1);
  if (biases.empty()) {
    sink.NotChecked(&kHalfBias, node, "its bias is computed from a constant before it is quantized");
    return;
  }
  if (inputs.size() != 1 || (weights.size() != 1 && weights.size() != biases.size())) return;
  constexpr double kFirstBeyond = 65520;  // rounds to infinity
  for (size_t i = 0; i < biases.size(); ++i) {
    const double steps = biases[i] / (inputs[0] * weights[weights.size() == 1 ? 0 : i]);
    if (std::fabs(steps) < kFirstBeyond) continue;
    Place place;
    place.node = node;
    place.input = 2;
    place.value = bias;
    place.index = static_cast<int64_t>(i);
    sink.Add(kHalfBias, place, FormatNumber(steps), "-65504..65504 of a bias of float16", source);
    return;
  }
}

}  // namespace quantgate::onnxruntime
