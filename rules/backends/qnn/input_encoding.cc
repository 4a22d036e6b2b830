#include "rules/backends/qnn/input_encoding.h"

#include <cstdint>
#include <numeric>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "rules/backends/shared_encoding.h"
#include "rules/graph/quantizer.h"
#include "rules/operators/op_id.h"

namespace quantgate::qnn {
namespace {

bool SameEncoding(const Operand& a, const Operand& b) {
  return a.type == b.type && a.quant_min == b.quant_min && a.quant_max == b.quant_max;
}

// All empty where no tensor can be read otherwise than it is written.
struct TensorEncodings {
  std::vector<int32_t> source;                             // by value: what identities pass on as it, itself for others
  std::vector<const Operand*> written;                     // by source; null: no node writes it quantized
  absl::flat_hash_map<int32_t, const Operand*> read_with;  // by source, where several are stated; few graphs have one
};

// Whether what nodes compute has more than one type and range.
bool HasSeveralEncodings(const ResolvedGraph& resolved) {
  const Operand* first = nullptr;
  const auto is_other = [&first](const Operand& operand) {
    if (!operand.quantized || operand.is_static) return false;
    if (first == nullptr) first = &operand;
    return !SameEncoding(*first, operand);
  };
  return absl::c_any_of(resolved.unlike_ops(), [&](int32_t number) {
    const ResolvedOp& op = resolved.ops()[number];
    return absl::c_any_of(resolved.inputs(op), is_other) || absl::c_any_of(resolved.outputs(op), is_other);
  });
}

// The values that a sigmoid writes get no Convert.
absl::flat_hash_set<int32_t> NoteWritten(const ResolvedGraph& resolved, TensorEncodings& encodings) {
  absl::flat_hash_set<int32_t> by_sigmoid;
  for (const ResolvedOp& op : resolved.ops()) {
    if (IsIdentity(resolved, op) && !resolved.inputs(op)[0].quantized && !resolved.outputs(op)[0].quantized) {
      encodings.source[resolved.outputs(op)[0].edge_value] = encodings.source[resolved.inputs(op)[0].edge_value];
    }
    for (const Operand& output : resolved.outputs(op)) {
      if (!output.quantized || output.edge_value < 0 || encodings.read_with.contains(output.edge_value)) continue;
      encodings.written[output.edge_value] = &output;
      if (op.op != nullptr && op.op->id == OpId::kSigmoid) by_sigmoid.insert(output.edge_value);
    }
  }
  return by_sigmoid;
}

// Of a converted graph: what is read behind a Dequantize is the input that its Quantize reads, or what its node leaves
// open and each reader quantizes for itself. ExecuTorch folds the Quantize nodes in their order, so that the last one's
// encoding stands.
void NoteQuantizedByReaders(const Graph& graph, const ResolvedGraph& resolved, TensorEncodings& encodings) {
  const auto read_by = [&graph](int32_t quantize) {
    return IsQuantize(graph, quantize) ? QuantizerInputsOf(graph, quantize).data : -1;
  };
  std::vector<int32_t> quantizes(graph.num_values(), 0);
  for (const int32_t node : graph.quantizers()) {
    if (const int32_t data = read_by(node); data >= 0) ++quantizes[data];
  }
  const auto left_open = [&](int32_t quantize) {
    const int32_t data = read_by(quantize);
    if (data < 0 || IsDequantize(graph, graph.producer(data))) return -1;
    return graph.is_graph_input(data) || quantizes[data] > 1 ? data : -1;
  };
  for (const int32_t node : graph.quantizers()) {
    if (const int32_t tensor = left_open(node); tensor >= 0) {
      encodings.read_with[tensor] = resolved.quantizer(node);
    } else if (IsDequantize(graph, node) && graph.num_outputs(node) > 0 && graph.output(node, 0) >= 0) {
      const int32_t stored = QuantizerInputsOf(graph, node).data;
      const int32_t tensor = stored < 0 ? -1 : left_open(graph.producer(stored));
      if (tensor >= 0) encodings.source[graph.output(node, 0)] = tensor;
    }
  }
}

TensorEncodings EncodingsOfTensors(const CheckContext& context) {
  TensorEncodings encodings;
  const Graph& graph = context.graph();
  const ResolvedGraph& resolved = context.resolved();
  if (graph.origin() != v1::Graph::PT2E || !HasSeveralEncodings(resolved)) return encodings;
  encodings.source.resize(graph.num_values());
  std::iota(encodings.source.begin(), encodings.source.end(), 0);
  encodings.written.assign(graph.num_values(), nullptr);
  NoteQuantizedByReaders(graph, resolved, encodings);
  const absl::flat_hash_set<int32_t> by_sigmoid = NoteWritten(resolved, encodings);
  absl::flat_hash_set<int32_t> several;
  for (const ResolvedOp& op : resolved.ops()) {
    for (const Operand& input : resolved.inputs(op)) {
      if (!input.quantized || input.edge_value < 0 || input.is_static || input.static_chain) continue;
      const int32_t source = encodings.source[input.edge_value];
      const Operand* written = encodings.written[source];
      if (written != nullptr && !by_sigmoid.contains(source)) continue;
      const Operand* first =
          encodings.read_with.try_emplace(source, written != nullptr ? written : &input).first->second;
      if (!SameEncoding(*first, input)) several.insert(source);
    }
  }
  absl::erase_if(encodings.read_with, [&](const auto& reading) { return !several.contains(reading.first); });
  return encodings;
}

}  // namespace

const Operand* ReadingOf(const CheckContext& context, const Operand& operand) {
  const TensorEncodings& encodings = context.Once(EncodingsOfTensors);
  if (encodings.read_with.empty() || !operand.quantized || operand.edge_value < 0) return nullptr;
  const auto reading = encodings.read_with.find(encodings.source[operand.edge_value]);
  return reading == encodings.read_with.end() || SameEncoding(*reading->second, operand) ? nullptr : reading->second;
}

const Operand* OtherWriting(const CheckContext& context, const Operand& operand) {
  const TensorEncodings& encodings = context.Once(EncodingsOfTensors);
  if (encodings.written.empty() || !operand.quantized || operand.edge_value < 0) return nullptr;
  const Operand* writing = encodings.written[encodings.source[operand.edge_value]];
  return writing == nullptr || SameEncoding(*writing, operand) ? nullptr : writing;
}

bool AnyReadsOtherEncoding(const CheckContext& context) { return !context.Once(EncodingsOfTensors).written.empty(); }

bool ReadsOtherEncoding(const CheckContext& context, const ResolvedOp& op) {
  return absl::c_any_of(context.resolved().inputs(op), [&](const Operand& input) {
    return ReadingOf(context, input) != nullptr || OtherWriting(context, input) != nullptr;
  });
}

std::vector<Operand> InputsAsRead(const CheckContext& context, const ResolvedOp& op) {
  const absl::Span<const Operand> stated = context.resolved().inputs(op);
  const auto is_other = [&](const Operand& input) { return ReadingOf(context, input) != nullptr; };
  if (absl::c_none_of(stated, is_other)) return {};
  std::vector<Operand> inputs(stated.begin(), stated.end());
  for (Operand& input : inputs) {
    if (const Operand* reading = ReadingOf(context, input); reading != nullptr) input = EncodedAs(input, *reading);
  }
  return inputs;
}

}  // namespace quantgate::qnn
