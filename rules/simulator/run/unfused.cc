#include "rules/simulator/run/unfused.h"

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "rules/backends/onnxruntime/fusion.h"
#include "rules/engine/context.h"
#include "rules/onnx/element_types.h"

namespace quantgate::simulator {
namespace {

// QLinearConv and its like: no optimizer is asked what computes them.
bool IsWrittenKernel(absl::string_view op) {
  absl::ConsumePrefix(&op, "com.microsoft::");
  return absl::StartsWith(op, "QLinear") || op == "QGemm";
}

Unfused WrittenKernels(const Graph& graph) {
  Unfused written;
  written.profile = FindProfile("onnxruntime");
  written.nodes.resize(graph.num_nodes());
  for (int32_t node = 0; node < graph.num_nodes(); ++node) written.nodes[node] = IsWrittenKernel(graph.op_type(node));
  return written;
}

}  // namespace

Unfused UnfusedOf(const Graph& graph, const ResolvedGraph& resolved, const Profile& profile) {
  if (profile.name == "onnxruntime/no-fusion") return WrittenKernels(graph);
  Unfused unfused;
  // The types of a body are those of the model around it, which is not here.
  const bool is_model = graph.origin() == v1::Graph::ONNX && !graph.message().opset_imports().empty();
  if (profile.family != Family::kOnnxRuntime || !is_model || graph.quantizers().empty()) return unfused;
  const CheckContext context(graph, resolved);
  const std::vector<v1::DataType> types = ElementTypes(context);
  unfused.profile = FindProfile("onnxruntime/no-fusion");
  unfused.nodes.resize(graph.num_nodes());
  onnxruntime::Group group;
  for (int32_t node = 0; node < graph.num_nodes(); ++node) {
    onnxruntime::FindGroup(graph, types, /*pairs=*/{}, node, group);
    // A weight that the runtime quantizes by itself is floats here.
    unfused.nodes[node] = group.kind == onnxruntime::Group::kInFloat || group.own_weight;
  }
  return unfused;
}

}  // namespace quantgate::simulator
