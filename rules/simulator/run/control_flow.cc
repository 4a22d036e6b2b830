#include "rules/simulator/run/control_flow.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "rules/graph/resolve.h"

namespace quantgate::simulator {
namespace {

constexpr int64_t kMostRounds = 10000;  // of one loop; WorkBudget has those of all

const v1::Graph* BodyOf(const Graph& graph, int32_t node, absl::string_view name) {
  const v1::Attribute* attribute = graph.attribute(node, name);
  if (attribute == nullptr || attribute->value_case() != v1::Attribute::kGraph) return nullptr;
  const int position = attribute->graph();
  if (position < 1 || position > graph.message().subgraphs_size()) return nullptr;
  return &graph.message().subgraphs(position - 1);
}

constexpr absl::string_view kBodies[] = {"then_branch",         "else_branch",         "body",
                                         "then_subgraph_index", "else_subgraph_index", "cond_subgraph_index",
                                         "body_subgraph_index"};

using Captured = std::function<const Tensor*(int32_t)>;

// A body, made ready once and run any number of times.
class Body {
 public:
  static absl::StatusOr<Body> Make(const v1::Graph* message, const Captured& captured, const SimulateOptions& options) {
    if (message == nullptr) return absl::UnimplementedError("a body that is not there");
    absl::StatusOr<Graph> graph = Graph::Build(*message);
    if (!graph.ok()) return graph.status();
    Body body(message, captured, options);
    body.graph_ = std::make_unique<Graph>(*std::move(graph));
    body.resolved_ = std::make_unique<ResolvedGraph>(ResolvedGraph::Resolve(*body.graph_));
    return body;
  }

  size_t num_inputs() const { return static_cast<size_t>(message_->inputs_size()); }

  absl::StatusOr<std::vector<Tensor>> Run(const std::vector<Tensor>& arguments) const {
    if (arguments.size() != num_inputs()) {
      return absl::InvalidArgumentError(
          absl::StrCat(arguments.size(), " values for a body of ", num_inputs(), " inputs"));
    }
    Inputs inputs;
    for (int i = 0; i < message_->inputs_size(); ++i) inputs.tensors[message_->inputs(i) - 1] = arguments[i];
    for (int i = 0; i < message_->values_size(); ++i) {
      const int32_t outer = message_->values(i).captured();
      if (outer < 1) continue;
      const Tensor* tensor = captured_(outer - 1);
      if (tensor == nullptr) return absl::UnimplementedError("a value that a body reads is not computed");
      inputs.tensors[i] = *tensor;
    }
    SimulateOptions options = options_;
    std::vector<Tensor> outputs;
    options.outputs = &outputs;
    const absl::StatusOr<v1::Simulation> simulation = Simulate(*graph_, *resolved_, std::move(inputs), options);
    if (!simulation.ok()) return simulation.status();
    return outputs;
  }

 private:
  Body(const v1::Graph* message, const Captured& captured, const SimulateOptions& options)
      : message_(message), captured_(captured), options_(options) {
    options_.statistics = false;
    options_.on_value = options_.on_reference = nullptr;
    options_.references = nullptr;
    options_.progress = nullptr;
  }

  const v1::Graph* message_;
  const Captured& captured_;
  SimulateOptions options_;
  std::unique_ptr<Graph> graph_;
  std::unique_ptr<ResolvedGraph> resolved_;
};

absl::StatusOr<bool> Truth(const Tensor& tensor) {
  if (tensor.type != v1::DATA_TYPE_BOOL || tensor.data.size() != 1) {
    return absl::InvalidArgumentError("a condition that is not one truth value");
  }
  return tensor.data[0] != std::byte{0};
}

absl::StatusOr<std::vector<Tensor>> Copies(absl::Span<const Tensor* const> arguments) {
  std::vector<Tensor> values;
  for (const Tensor* argument : arguments) {
    if (argument == nullptr) return absl::UnimplementedError("a value that is omitted");
    values.push_back(*argument);
  }
  return values;
}

absl::StatusOr<std::vector<Tensor>> RunBranch(const Graph& graph, int32_t node,
                                              absl::Span<const Tensor* const> arguments, const Captured& captured,
                                              const SimulateOptions& options) {
  if (arguments.empty() || arguments[0] == nullptr) return absl::InvalidArgumentError("its condition is not there");
  const absl::StatusOr<bool> yes = Truth(*arguments[0]);
  if (!yes.ok()) return yes.status();
  const v1::Graph* branch = BodyOf(graph, node, *yes ? "then_branch" : "else_branch");
  if (branch == nullptr) branch = BodyOf(graph, node, *yes ? "then_subgraph_index" : "else_subgraph_index");
  const absl::StatusOr<Body> body = Body::Make(branch, captured, options);
  if (!body.ok()) return body.status();
  const absl::StatusOr<std::vector<Tensor>> values = Copies(arguments.subspan(1));
  return values.ok() ? body->Run(*values) : values;
}

// Whether another round is computed.
absl::Status NextRound(int64_t round, const SimulateOptions& options) {
  if (round == kMostRounds) return absl::UnimplementedError(absl::StrCat("a loop of more than ", round, " rounds"));
  if (options.work == nullptr || options.work->NextRound()) return absl::OkStatus();
  return absl::UnimplementedError("loops of more than a million rounds in all");
}

// LiteRT: two bodies on the same values.
absl::StatusOr<std::vector<Tensor>> RunWhile(const Graph& graph, int32_t node,
                                             absl::Span<const Tensor* const> arguments, const Captured& captured,
                                             const SimulateOptions& options) {
  const absl::StatusOr<Body> condition = Body::Make(BodyOf(graph, node, "cond_subgraph_index"), captured, options);
  const absl::StatusOr<Body> body = Body::Make(BodyOf(graph, node, "body_subgraph_index"), captured, options);
  if (!condition.ok()) return condition.status();
  if (!body.ok()) return body.status();
  absl::StatusOr<std::vector<Tensor>> values = Copies(arguments);
  for (int64_t round = 0; values.ok(); ++round) {
    const absl::StatusOr<std::vector<Tensor>> again = condition->Run(*values);
    if (!again.ok()) return again.status();
    if (again->size() != 1) return absl::InvalidArgumentError("a condition with several results");
    const absl::StatusOr<bool> goes_on = Truth((*again)[0]);
    if (!goes_on.ok()) return goes_on.status();
    if (!*goes_on) break;
    if (absl::Status status = NextRound(round, options); !status.ok()) return status;
    values = body->Run(*values);
  }
  return values;
}

// Equal shapes, one behind the other along a new first axis.
absl::StatusOr<Tensor> Stacked(const std::vector<Tensor>& slices) {
  if (slices.empty()) return absl::UnimplementedError("a loop without a round, whose results have no shape");
  Tensor all;
  all.type = slices[0].type;
  all.dims = slices[0].dims;
  all.dims.insert(all.dims.begin(), static_cast<int64_t>(slices.size()));
  if (absl::Status status = Allocate(all.dims, all); !status.ok()) return status;
  size_t at = 0;
  for (const Tensor& slice : slices) {
    if (slice.dims != slices[0].dims || slice.type != all.type) {
      return absl::InvalidArgumentError("results of rounds that have different shapes");
    }
    std::copy(slice.data.begin(), slice.data.end(), all.data.begin() + static_cast<int64_t>(at));
    at += slice.data.size();
  }
  return all;
}

// ONNX: (rounds, condition, values...) to (values..., what each round gives...).
absl::StatusOr<std::vector<Tensor>> RunLoop(const Graph& graph, int32_t node, absl::Span<const Tensor* const> arguments,
                                            const Captured& captured, const SimulateOptions& options) {
  const absl::StatusOr<Body> body = Body::Make(BodyOf(graph, node, "body"), captured, options);
  if (!body.ok()) return body.status();
  std::optional<int64_t> rounds;
  bool goes_on = true;
  if (!arguments.empty() && arguments[0] != nullptr) {
    const absl::StatusOr<std::vector<int64_t>> count = ToInt64(*arguments[0]);
    if (!count.ok() || count->size() != 1) return absl::InvalidArgumentError("rounds that are not one integer");
    rounds = (*count)[0];
  }
  if (arguments.size() > 1 && arguments[1] != nullptr) {
    const absl::StatusOr<bool> given = Truth(*arguments[1]);
    if (!given.ok()) return given.status();
    goes_on = *given;
  }
  absl::StatusOr<std::vector<Tensor>> values = Copies(arguments.subspan(std::min<size_t>(2, arguments.size())));
  if (!values.ok()) return values;
  std::vector<std::vector<Tensor>> given(std::max<size_t>(graph.num_outputs(node), values->size()) - values->size());
  int64_t given_bytes = 0;
  for (int64_t round = 0; goes_on && (!rounds.has_value() || round < *rounds); ++round) {
    if (absl::Status status = NextRound(round, options); !status.ok()) return status;
    std::vector<Tensor> in(2);
    in[0].type = v1::DATA_TYPE_INT64;
    in[1].type = v1::DATA_TYPE_BOOL;
    for (Tensor& scalar : in) {
      if (absl::Status status = Allocate({}, scalar); !status.ok()) return status;
    }
    std::memcpy(in[0].data.data(), &round, sizeof(round));
    in[1].data[0] = std::byte{1};
    in.insert(in.end(), values->begin(), values->end());
    absl::StatusOr<std::vector<Tensor>> out = body->Run(in);
    if (!out.ok()) return out.status();
    if (out->size() != 1 + values->size() + given.size()) {
      return absl::InvalidArgumentError(absl::StrCat("a body with ", out->size(), " results"));
    }
    const absl::StatusOr<bool> next = Truth((*out)[0]);
    if (!next.ok()) return next.status();
    goes_on = *next;
    for (size_t i = 0; i < values->size(); ++i) (*values)[i] = std::move((*out)[1 + i]);
    for (size_t i = 0; i < given.size(); ++i) {
      Tensor& slice = (*out)[1 + values->size() + i];
      given_bytes += static_cast<int64_t>(slice.data.size());
      given[i].push_back(std::move(slice));
    }
    if (given_bytes > options.max_bytes) {
      return absl::ResourceExhaustedError(absl::StrCat("the results of ", round + 1, " rounds take ", given_bytes,
                                                       " bytes, where ", options.max_bytes, " are allowed"));
    }
  }
  for (const std::vector<Tensor>& slices : given) {
    absl::StatusOr<Tensor> stacked = Stacked(slices);
    if (!stacked.ok()) return stacked.status();
    values->push_back(*std::move(stacked));
  }
  return values;
}

}  // namespace

bool IsControlFlow(const Graph& graph, int32_t node) {
  const absl::string_view op = graph.op_type(node);
  switch (graph.origin()) {
    case v1::Graph::ONNX:
      return op == "If" || op == "Loop";
    case v1::Graph::TFLITE:
      return op == "IF" || op == "WHILE";
    default:
      return false;
  }
}

std::vector<int32_t> CapturedValues(const Graph& graph, int32_t node) {
  std::vector<int32_t> captured;
  for (const absl::string_view name : kBodies) {
    const v1::Graph* body = BodyOf(graph, node, name);
    if (body == nullptr) continue;
    for (const v1::Value& value : body->values()) {
      if (value.captured() > 0 && value.captured() <= graph.num_values()) captured.push_back(value.captured() - 1);
    }
  }
  return captured;
}

absl::StatusOr<std::vector<Tensor>> RunControlFlow(const Graph& graph, int32_t node,
                                                   absl::Span<const Tensor* const> arguments, const Captured& captured,
                                                   const SimulateOptions& options) {
  const absl::string_view op = graph.op_type(node);
  if (op == "WHILE") return RunWhile(graph, node, arguments, captured, options);
  if (op == "Loop") return RunLoop(graph, node, arguments, captured, options);
  return RunBranch(graph, node, arguments, captured, options);
}

}  // namespace quantgate::simulator
