#include "rules/backends/onnxruntime/kernel_call.h"

namespace quantgate::onnxruntime {

void AddInput(const Graph& graph, int32_t node, int i, KernelCall& call) {
  Place place;
  place.node = node;
  const int32_t value = i < graph.num_inputs(node) ? graph.input(node, i) : -1;
  if (value >= 0) place.input = i;
  place.value = value;
  call.Add(value, place);
}

void FillCall(const Graph& graph, int32_t node, KernelCall& call) {
  call.op = graph.op_type(node);
  call.node = node;
  call.fused = false;
  call.inputs.clear();
  call.places.clear();
  call.outputs.clear();
  for (int i = 0; i < graph.num_inputs(node); ++i) AddInput(graph, node, i, call);
  for (int i = 0; i < graph.num_outputs(node); ++i) call.outputs.push_back(graph.output(node, i));
}

}  // namespace quantgate::onnxruntime
