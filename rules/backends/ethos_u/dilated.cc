#include "rules/backends/ethos_u/dilated.h"

#include <vector>

#include "absl/strings/string_view.h"
#include "rules/graph/data_type.h"

namespace quantgate::ethos_u {
namespace {

// The sizes that are not 1.
std::vector<int64_t> Squeezed(const Graph& graph, int32_t value) {
  std::vector<int64_t> sizes;
  for (const int64_t size : graph.value(value).dims()) {
    if (size != 1) sizes.push_back(size);
  }
  return sizes;
}

// What reads the node's output and nothing else does; -1: none, or several.
int32_t ReaderOf(const Graph& graph, int32_t node) {
  const int32_t output = graph.num_outputs(node) == 1 ? graph.output(node, 0) : -1;
  if (output < 0 || graph.uses(output).size() != 1) return -1;
  return graph.uses(output)[0].node;
}

// What writes the node's data, and has no other reader.
int32_t WriterOf(const Graph& graph, int32_t node) {
  const int32_t input = graph.num_inputs(node) > 0 ? graph.input(node, 0) : -1;
  const int32_t writer = input < 0 ? -1 : graph.producer(input);
  return writer >= 0 && ReaderOf(graph, writer) == node ? writer : -1;
}

bool IsConvolution(const Graph& graph, int32_t node) {
  const absl::string_view op = graph.op_type(node);
  if (op != "CONV_2D" && op != "DEPTHWISE_CONV_2D") return false;
  const int32_t data = graph.num_inputs(node) > 0 ? graph.input(node, 0) : -1;
  if (data < 0 || !IsInteger(graph.dtype(data)) || graph.value_spec(data) < 0) return false;
  // Longer ones are not taken together with dilation.
  return graph.int_attribute(node, "stride_w", 1) <= 3 && graph.int_attribute(node, "stride_h", 1) <= 3;
}

bool OnlyMovesOnes(const Graph& graph, int32_t node) {
  const absl::string_view op = graph.op_type(node);
  if ((op != "RESHAPE" && op != "EXPAND_DIMS" && op != "SQUEEZE") || graph.num_inputs(node) == 0) return false;
  if (graph.num_outputs(node) != 1 || graph.input(node, 0) < 0 || graph.output(node, 0) < 0) return false;
  return Squeezed(graph, graph.input(node, 0)) == Squeezed(graph, graph.output(node, 0));
}

using Step = int32_t (*)(const Graph& graph, int32_t node);

// The next node, over one that only moves axes of size 1.
int32_t Next(const Graph& graph, int32_t node, Step step) {
  const int32_t next = step(graph, node);
  return next >= 0 && OnlyMovesOnes(graph, next) ? step(graph, next) : next;
}

bool Leads(const Graph& graph, int32_t node, Step step, absl::string_view end) {
  const int32_t convolution = Next(graph, node, step);
  if (convolution < 0 || !IsConvolution(graph, convolution)) return false;
  const int32_t last = Next(graph, convolution, step);
  return last >= 0 && graph.op_type(last) == end;
}

}  // namespace

bool IsMergedIntoConvolution(const Graph& graph, int32_t node) {
  if (graph.op_type(node) == "SPACE_TO_BATCH_ND") return Leads(graph, node, ReaderOf, "BATCH_TO_SPACE_ND");
  return graph.op_type(node) == "BATCH_TO_SPACE_ND" && Leads(graph, node, WriterOf, "SPACE_TO_BATCH_ND");
}

}  // namespace quantgate::ethos_u
