#include "rules/backends/onnxruntime/kernel_call.h"

namespace quantgate::onnxruntime {

namespace {

v1::DataType TypeOf(const std::vector<v1::DataType>& types, int32_t value) {
  return value < 0 ? v1::DATA_TYPE_UNSPECIFIED : types[value];
}

}  // namespace

void KernelCall::Clear() {
  turned = false;
  inputs.clear();
  places.clear();
  types.clear();
  outputs.clear();
  output_types.clear();
}

void AddInput(const Graph& graph, const std::vector<v1::DataType>& types, int32_t node, int i, KernelCall& call) {
  Place place;
  place.node = node;
  const int32_t value = i < graph.num_inputs(node) ? graph.input(node, i) : -1;
  if (value >= 0) place.input = i;
  place.value = value;
  call.Add(value, place, TypeOf(types, value));
}

void FillCall(const Graph& graph, const std::vector<v1::DataType>& types, int32_t node, KernelCall& call) {
  call.op = graph.op_type(node);
  call.node = node;
  call.fused = false;
  call.Clear();
  for (int i = 0; i < graph.num_inputs(node); ++i) AddInput(graph, types, node, i, call);
  for (int i = 0; i < graph.num_outputs(node); ++i) {
    call.AddOutput(graph.output(node, i), TypeOf(types, graph.output(node, i)));
  }
}

}  // namespace quantgate::onnxruntime
