#include <algorithm>
#include <limits>
#include <optional>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/onnx/defined.h"
#include "rules/soundness/rules.h"
#include "rules/tflite/argument_counts.h"
#include "rules/tflite/optional_inputs.h"

namespace quantgate {
namespace {

constexpr RuleInfo kArgumentCount = {
    "GS011",
    "argument-count",
    v1::Finding::UNSOUND,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject}: {observed}; expected {allowed}",
    "Arguments are told apart by position alone. A node with too few, too many or a hole where one is required does "
    "not say what it computes.",
    "Connect every required input, name every required output, and no more of both than the operator has.",
    "Conv without a weight fires it, and so does Conv with 4 inputs, a LiteRT MEAN without axes or an If of one output "
    "with a branch of two; Conv without a bias does not.",
};

std::string Range(const Parameters& parameters) {
  if (parameters.min == parameters.max) return absl::StrCat(parameters.min);
  if (parameters.max == std::numeric_limits<int>::max()) return absl::StrCat("at least ", parameters.min);
  return absl::StrCat(parameters.min, " to ", parameters.max);
}

// Scales that are left out are qparams-missing's.
bool IsScale(const Graph& graph, int32_t node, int argument) {
  const Binding* binding = graph.binding(node);
  return binding != nullptr && ArgumentAt(*binding, argument).role == ArgRole::kScale;
}

void CheckInputs(const Graph& graph, int32_t node, const Definition& definition, FindingSink& sink) {
  const Parameters& parameters = definition.inputs;
  const int count = graph.num_inputs(node);
  Place place;
  place.node = node;
  if ((count < parameters.min && !IsScale(graph, node, count)) || (count > parameters.max && !definition.open)) {
    sink.Add(kArgumentCount, place, absl::StrCat(count, count == 1 ? " input" : " inputs"), Range(parameters));
  }
  for (int i = 0; i < count; ++i) {
    if (graph.input(node, i) >= 0) continue;
    const Parameter* parameter = parameters.at(i);
    if (parameter == nullptr || parameter->presence == Parameter::kOptional || IsScale(graph, node, i)) continue;
    // One of many cannot be left out either; what runtimes do in domains of their own is theirs.
    if (parameter->presence == Parameter::kVariadic && definition.open) continue;
    place.input = i;
    sink.Add(kArgumentCount, place, "left out", absl::StrCat("a tensor: ", graph.op_type(node), " requires it"));
  }
}

// What a required output makes has a name, whether somebody reads it or not.
void CheckOutputNames(const Graph& graph, int32_t node, const Definition& definition, FindingSink& sink) {
  Place place;
  place.node = node;
  for (int i = 0; i < graph.num_outputs(node); ++i) {
    if (graph.output(node, i) >= 0) continue;
    const Parameter* parameter = definition.outputs.at(i);
    if (parameter == nullptr || parameter->presence == Parameter::kOptional) continue;
    if (parameter->presence == Parameter::kVariadic && definition.open) continue;
    place.output = i;
    sink.Add(kArgumentCount, place, "without a name", "a name, which the definition does not let be left out");
  }
}

void CheckOutputs(const Graph& graph, int32_t node, const Definition& definition, FindingSink& sink) {
  const Parameters& parameters = definition.outputs;
  const int count = graph.num_outputs(node);
  CheckOutputNames(graph, node, definition, sink);
  if (count >= parameters.min && (count <= parameters.max || definition.open)) return;
  Place place;
  place.node = node;
  sink.Add(kArgumentCount, place, absl::StrCat(count, count == 1 ? " output" : " outputs"), Range(parameters));
}

// What a body has to take and to give, by the arguments of its node. False: no operator with bodies.
bool BodyCounts(const Graph& graph, int32_t node, int64_t opset, int& inputs, int& outputs) {
  const absl::string_view op_type = graph.op_type(node);
  inputs = graph.num_inputs(node);
  outputs = graph.num_outputs(node);
  if (op_type == "If") {
    inputs = 0;  // branches see the tensors around them
  } else if (op_type == "Loop") {
    inputs = std::max(inputs, 2);  // number and condition may be left out; the body has them
    ++outputs;                     // the next condition
  } else if (op_type == "Scan") {
    if (opset < 9) --inputs;  // lengths of the sequences
  } else {
    return false;
  }
  return true;
}

void CheckBodies(const Graph& graph, int32_t node, int64_t opset, FindingSink& sink) {
  int inputs = 0;
  int outputs = 0;
  if (!BodyCounts(graph, node, opset, inputs, outputs)) return;
  Place place;
  place.node = node;
  for (const v1::Attribute& attribute : graph.node(node).attributes()) {
    if (attribute.value_case() != v1::Attribute::kGraph) continue;
    const v1::Graph& body = graph.message().subgraphs(attribute.graph() - 1);
    const auto check = [&](int count, int expected, const char* what) {
      if (count == expected) return;
      sink.Add(kArgumentCount, place, absl::StrCat(graph.symbol(attribute.name()), " has ", count, what),
               absl::StrCat(expected, ", by the arguments of the node"));
    };
    check(body.inputs_size(), inputs, body.inputs_size() == 1 ? " input" : " inputs");
    check(body.outputs_size(), outputs, body.outputs_size() == 1 ? " output" : " outputs");
  }
}

void AddLeftOut(const Graph& graph, int32_t node, int input, FindingSink& sink) {
  Place place;
  place.node = node;
  place.input = input;
  sink.Add(kArgumentCount, place, "left out", absl::StrCat("a tensor: ", graph.op_type(node), " requires it"));
}

std::string Wanted(const CountRange& count) {
  if (count.least == count.most) return absl::StrCat(count.least);
  if (count.most == std::numeric_limits<int>::max()) return absl::StrCat("at least ", count.least);
  return absl::StrCat(count.least, count.least + count.step == count.most ? " or " : " to ", count.most);
}

// Kernels write every output that they have.
void CheckOutputsGiven(const Graph& graph, int32_t node, FindingSink& sink) {
  Place place;
  place.node = node;
  for (int i = 0; i < graph.num_outputs(node); ++i) {
    if (graph.output(node, i) >= 0) continue;
    place.output = i;
    sink.Add(kArgumentCount, place, "left out", "a tensor");
  }
}

void CheckCounts(const Graph& graph, int32_t node, const ArgumentCounts& counts, FindingSink& sink) {
  Place place;
  place.node = node;
  if (const int count = graph.num_inputs(node); !counts.inputs.Has(count)) {
    sink.Add(kArgumentCount, place, absl::StrCat(count, count == 1 ? " input" : " inputs"), Wanted(counts.inputs));
  }
  if (const int count = graph.num_outputs(node); !counts.outputs.Has(count)) {
    sink.Add(kArgumentCount, place, absl::StrCat(count, count == 1 ? " output" : " outputs"), Wanted(counts.outputs));
  }
}

// LiteRT has no operator sets: the kernel says how many arguments there are and which place may be empty. Without a
// kernel, what the canonical operator cannot do without must be there.
void CheckTflite(const Graph& graph, int32_t node, FindingSink& sink) {
  for (int i = 0; i < graph.num_inputs(node); ++i) {
    if (graph.input(node, i) < 0 && !MayBeLeftOut(graph.op_type(node), i)) AddLeftOut(graph, node, i, sink);
  }
  if (const std::optional<ArgumentCounts> counts = ArgumentCountsOf(graph, node)) {
    CheckCounts(graph, node, *counts, sink);
    CheckOutputsGiven(graph, node, sink);
    return;
  }
  const Binding* binding = graph.binding(node);
  if (binding == nullptr) return;
  for (int i = graph.num_inputs(node); i < static_cast<int>(binding->arguments.size()); ++i) {
    const Argument& argument = binding->arguments[i];
    if (argument.role != ArgRole::kData || argument.variadic) continue;
    if (binding->op->inputs[argument.port].optional) continue;
    AddLeftOut(graph, node, i, sink);
  }
}

bool IsGiven(const Graph& graph, int32_t node, int argument) {
  for (int i = 0; i < graph.num_inputs(node); ++i) {
    if (graph.argument(node, i) == argument && graph.input(node, i) >= 0) return true;
  }
  return false;
}

// ATen's schemas say what there must be, as far as the operator tables follow them: operands come first, in their
// order, and one of a canonical operator that cannot do without is a tensor, but for these. Programs have plain numbers
// as the operands `self` and `other` too.
void CheckAten(const Graph& graph, int32_t node, FindingSink& sink) {
  const absl::string_view op_type = graph.op_type(node);
  const Binding* binding = graph.binding(node);
  if (binding == nullptr || !absl::StartsWith(op_type, "aten.")) return;
  if (op_type == "aten.pow.Scalar" || op_type == "aten.remainder.Scalar_Tensor") return;
  const auto needs = [&](size_t position) {
    if (position >= binding->arguments.size()) return false;
    const Argument& argument = binding->arguments[position];
    if (argument.role != ArgRole::kData || argument.variadic || argument.of_output) return false;
    const Port& port = binding->op->inputs[argument.port];
    if (position == 0) return !port.optional && !port.variadic;
    const bool operand = absl::EndsWith(op_type, ".Tensor") && binding->op->inputs.size() == 2;
    return !port.optional && !port.variadic && (operand || port.role == PortRole::kWeight);
  };
  constexpr const char* kNumbers[] = {"self", "other"};
  for (int position = 0; position < 2; ++position) {
    if (!needs(static_cast<size_t>(position)) || IsGiven(graph, node, position)) continue;
    if (graph.attribute(node, kNumbers[position]) == nullptr) AddLeftOut(graph, node, position, sink);
  }
}

void CheckArgumentCount(const CheckContext& context, FindingSink& sink) {
  const Graph& graph = context.graph();
  if (graph.origin() == v1::Graph::TFLITE) {
    for (int32_t node = 0; node < graph.num_nodes(); ++node) CheckTflite(graph, node, sink);
  }
  // In a live graph PyTorch itself has checked them.
  if (graph.origin() == v1::Graph::PT2E && context.model().format_version() != 0) {
    for (int32_t node = 0; node < graph.num_nodes(); ++node) CheckAten(graph, node, sink);
  }
  const std::vector<DefinedOp>& ops = context.Once(DefinedOps);
  if (ops.empty()) return;
  const int64_t opset = OnnxOpset(context.model());
  for (int32_t node = 0; node < graph.num_nodes(); ++node) {
    const Definition* definition = ops[graph.node(node).op()].current;
    if (definition == nullptr || definition->removed) continue;
    CheckInputs(graph, node, *definition, sink);
    CheckOutputs(graph, node, *definition, sink);
    CheckBodies(graph, node, opset, sink);
  }
}

}  // namespace

Rule ArgumentCount() { return {&kArgumentCount, &CheckArgumentCount}; }

}  // namespace quantgate
