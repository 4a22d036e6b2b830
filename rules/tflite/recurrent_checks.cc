#include "rules/tflite/recurrent_checks.h"

#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "rules/graph/attributes.h"
#include "rules/tflite/conditions.h"

namespace quantgate {
namespace {

// Arguments of UNIDIRECTIONAL_SEQUENCE_LSTM. Of each kind the four gates are in one order: input, forget, cell, output.
constexpr int kInputWeights = 1, kRecurrentWeights = 5, kPeepholes = 9, kGateBiases = 12, kProjection = 16,
              kProjectionBias = 17, kOutputState = 18, kCellState = 19, kNormWeights = 20;

void Sized(NodeShapes& node, int argument, absl::Span<const int64_t> sizes) {
  if (!node.given(argument)) return;
  const Shape shape = node.at(argument);
  if (!shape.known) return;
  bool fits = shape.rank() == static_cast<int>(sizes.size());
  for (int d = 0; fits && d < shape.rank(); ++d) {
    fits = shape.dims[d] < 0 || sizes[d] < 0 || shape.dims[d] == sizes[d];
  }
  if (fits) return;
  std::string wanted = "rank ";
  absl::StrAppend(&wanted, sizes.size());
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] >= 0) absl::StrAppend(&wanted, ", ", sizes[d], " along axis ", d);
  }
  node.Conflict(argument, absl::StrCat("shape ", ShapeText(shape.dims)), wanted);
}

// Each step has a state of one sample, so that it is counted, in whatever shape.
void State(NodeShapes& node, int argument, int64_t samples, int64_t size) {
  int64_t count = 0;
  if (samples < 0 || size < 0 || __builtin_mul_overflow(samples, size, &count)) return;
  CountIs(node, argument, count, "elements");
}

// Without the input gate, which is then what the forget gate leaves.
void Gates(NodeShapes& node) {
  const auto together = [&](int argument, bool given, absl::string_view with) {
    if (node.given(argument) == given) return;
    node.Conflict(
        argument, given ? "nothing" : "a tensor",
        absl::StrCat(given ? "a tensor" : "nothing", ", as argument ", with, given ? " is there" : " is not"));
  };
  const bool gate = node.given(kInputWeights);
  together(kRecurrentWeights, gate, "1");
  together(kGateBiases, gate, "1");
  const bool peepholes = node.given(kPeepholes + 2);
  together(kPeepholes + 1, peepholes, "11");
  if (node.given(kPeepholes) && !peepholes) together(kPeepholes, false, "11");
  if (peepholes && gate) together(kPeepholes, true, "11");
  if (!node.given(kProjection)) together(kProjectionBias, false, "16");
}

void Lstm(NodeShapes& node) {
  if (node.num_inputs() != 20 && node.num_inputs() != 24) return;  // argument-count's
  for (const absl::string_view clip : {"cell_clip", "proj_clip"}) {
    const std::optional<double> limit = RealOf(node.graph().attribute(node.node(), clip));
    if (limit.has_value() && *limit < 0) node.BadParameter(absl::StrCat(clip, " ", *limit), "0 or more");
  }
  Gates(node);
  const Shape input = node.at(0);
  const int64_t cells = SizeAt(node.at(kInputWeights + 3), 0), width = SizeAt(input, 2);
  const Shape recurrent = node.at(kRecurrentWeights + 3);
  // Weights of one axis are the diagonal of a square.
  const bool diagonal = recurrent.known && recurrent.rank() == 1;
  const int64_t outputs = diagonal ? SizeAt(recurrent, 0) : SizeAt(recurrent, 1);
  for (int gate = 0; gate < 4; ++gate) {
    Sized(node, kInputWeights + gate, {cells, width});
    if (!diagonal) Sized(node, kRecurrentWeights + gate, {cells, outputs});
    Sized(node, kGateBiases + gate, {cells});
    if (node.num_inputs() == 24) Sized(node, kNormWeights + gate, {cells});
  }
  for (int gate = 0; gate < 3; ++gate) Sized(node, kPeepholes + gate, {cells});
  Sized(node, kProjection, {outputs, cells});
  Sized(node, kProjectionBias, {outputs});
  const int64_t samples = SizeAt(input, node.integer("time_major", 0) != 0 ? 1 : 0);
  State(node, kOutputState, samples, outputs);
  State(node, kCellState, samples, cells);
}

// Of the operators with data, weights of both kinds, bias and state: whether that many are there. Otherwise it is
// argument-count's.
bool HasFive(const NodeShapes& node) { return node.num_inputs() == 5; }

// Of a network of `units` of one step: weights, bias and state; data of `width` numbers for each of the samples.
void Units(NodeShapes& node, int64_t units, int64_t width, int64_t samples) {
  Sized(node, 1, {units, width});
  Sized(node, 2, {units, units});
  Sized(node, 3, {units});
  Sized(node, 4, {samples, units});
}

void Rnn(NodeShapes& node) {
  if (!HasFive(node)) return;
  RankIs(node, 0, 2);
  Units(node, SizeAt(node.at(1), 0), SizeAt(node.at(0), 1), SizeAt(node.at(0), 0));
}

void SequenceRnn(NodeShapes& node) {
  if (!HasFive(node)) return;
  RankIs(node, 0, 3);
  const int batch = node.integer("time_major", 0) != 0 ? 1 : 0;
  Units(node, SizeAt(node.at(1), 0), SizeAt(node.at(0), 2), SizeAt(node.at(0), batch));
}

void Svdf(NodeShapes& node) {
  if (!HasFive(node)) return;
  const int64_t filters = SizeAt(node.at(1), 0), rank = node.integer("rank", 0), memory = SizeAt(node.at(2), 1);
  if (rank < 1 || (filters >= 0 && filters % rank != 0)) {
    node.BadParameter(absl::StrCat("rank ", rank), "a divisor of the number of filters");
    return;
  }
  RankIs(node, 0, 2);
  Sized(node, 1, {-1, SizeAt(node.at(0), 1)});
  Sized(node, 2, {filters, -1});
  Sized(node, 3, {filters < 0 ? -1 : filters / rank});
  int64_t kept = -1;
  if (filters < 0 || memory < 0 || __builtin_mul_overflow(filters, memory, &kept)) kept = -1;
  Sized(node, 4, {SizeAt(node.at(0), 0), kept});
}

}  // namespace

ShapeCheck RecurrentCheckOf(absl::string_view op_type) {
  if (op_type == "UNIDIRECTIONAL_SEQUENCE_LSTM") return &Lstm;
  if (op_type == "UNIDIRECTIONAL_SEQUENCE_RNN") return &SequenceRnn;
  if (op_type == "RNN") return &Rnn;
  return op_type == "SVDF" ? &Svdf : nullptr;
}

}  // namespace quantgate
