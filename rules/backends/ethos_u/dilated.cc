#include "rules/backends/ethos_u/dilated.h"

#include <vector>

#include "absl/strings/string_view.h"
#include "rules/backends/ethos_u/used.h"
#include "rules/graph/data_type.h"

namespace quantgate::ethos_u {
namespace {

// What reads the node's output as its data, and nothing else does; -1: none, or several.
int32_t ReaderOf(const CheckContext& context, int32_t node) {
  const Graph& graph = context.graph();
  const int32_t output = graph.num_outputs(node) == 1 ? graph.output(node, 0) : -1;
  const int32_t reader = output < 0 ? -1 : context.Once(ReadersOf)[output].sole();
  return reader >= 0 && graph.input(reader, 0) == output ? reader : -1;
}

// What writes the node's data, and has no other reader.
int32_t WriterOf(const CheckContext& context, int32_t node) {
  const Graph& graph = context.graph();
  const int32_t input = graph.num_inputs(node) > 0 ? graph.input(node, 0) : -1;
  const int32_t writer = input < 0 ? -1 : graph.producer(input);
  return writer >= 0 && ReaderOf(context, writer) == node ? writer : -1;
}

bool IsConvolution(const Graph& graph, int32_t node) {
  const absl::string_view op = graph.op_type(node);
  if (op != "CONV_2D" && op != "DEPTHWISE_CONV_2D") return false;
  const int32_t data = graph.num_inputs(node) > 0 ? graph.input(node, 0) : -1;
  if (data < 0 || !IsInteger(graph.dtype(data)) || graph.value_spec(data) < 0) return false;
  // An activation is an operator of its own behind it.
  const v1::Attribute* activation = graph.attribute(node, "fused_activation_function");
  if (activation != nullptr && activation->s() != "NONE") return false;
  // Longer ones are not taken together with dilation.
  return graph.int_attribute(node, "stride_w", 1) <= 3 && graph.int_attribute(node, "stride_h", 1) <= 3;
}

// The sizes that are not 1.
std::vector<int64_t> Squeezed(const Graph& graph, int32_t value) {
  std::vector<int64_t> sizes;
  for (const int64_t size : graph.value(value).dims()) {
    if (size != 1) sizes.push_back(size);
  }
  return sizes;
}

using Step = int32_t (*)(const CheckContext& context, int32_t node);

// The next node, over one that only moves axes of size 1.
int32_t Next(const CheckContext& context, int32_t node, Step step) {
  const int32_t next = step(context, node);
  return next >= 0 && OnlyMovesOnes(context.graph(), next) ? step(context, next) : next;
}

bool Leads(const CheckContext& context, int32_t node, Step step, absl::string_view end) {
  const int32_t convolution = Next(context, node, step);
  if (convolution < 0 || !IsConvolution(context.graph(), convolution)) return false;
  const int32_t last = Next(context, convolution, step);
  return last >= 0 && context.graph().op_type(last) == end;
}

}  // namespace

bool OnlyMovesOnes(const Graph& graph, int32_t node) {
  const absl::string_view op = graph.op_type(node);
  if ((op != "RESHAPE" && op != "EXPAND_DIMS" && op != "SQUEEZE") || graph.num_inputs(node) == 0) return false;
  if (graph.num_outputs(node) != 1 || graph.input(node, 0) < 0 || graph.output(node, 0) < 0) return false;
  return Squeezed(graph, graph.input(node, 0)) == Squeezed(graph, graph.output(node, 0));
}

bool IsMergedIntoConvolution(const CheckContext& context, int32_t node) {
  const absl::string_view op = context.graph().op_type(node);
  if (op == "SPACE_TO_BATCH_ND") return Leads(context, node, ReaderOf, "BATCH_TO_SPACE_ND");
  return op == "BATCH_TO_SPACE_ND" && Leads(context, node, WriterOf, "SPACE_TO_BATCH_ND");
}

std::vector<int32_t> InsideDilated(const CheckContext& context) {
  const Graph& graph = context.graph();
  std::vector<int32_t> inside;
  for (int32_t first = 0; first < graph.num_nodes(); ++first) {
    if (graph.op_type(first) != "SPACE_TO_BATCH_ND" || !IsMergedIntoConvolution(context, first)) continue;
    for (int32_t node = first; graph.op_type(node) != "BATCH_TO_SPACE_ND"; node = ReaderOf(context, node)) {
      inside.push_back(graph.output(node, 0));
    }
  }
  return inside;
}

}  // namespace quantgate::ethos_u
