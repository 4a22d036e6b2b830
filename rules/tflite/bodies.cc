#include "rules/tflite/bodies.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "rules/engine/render.h"
#include "rules/graph/data_type.h"

namespace quantgate {
namespace {

constexpr absl::string_view kBodyOptions[] = {"then_subgraph_index", "else_subgraph_index", "cond_subgraph_index",
                                              "body_subgraph_index"};

int64_t NumberOf(const v1::Attribute& attribute) {
  return attribute.value_case() == v1::Attribute::kGraph ? attribute.graph() : attribute.i();
}

// The number of a subgraph; 0, which is the model's own graph, where none is stated.
int64_t NumberAt(const Graph& graph, int32_t node, absl::string_view option) {
  const v1::Attribute* stated = graph.attribute(node, option);
  return stated == nullptr ? 0 : NumberOf(*stated);
}

// Null: not there, which is another rule's to say, or the model's own graph.
const v1::Graph* BodyOf(const v1::Graph& model, int64_t number) {
  return number < 1 || number > model.subgraphs_size() ? nullptr : &model.subgraphs(static_cast<int>(number) - 1);
}

// Numbers of the subgraphs that the nodes of one run.
std::vector<int32_t> Called(const v1::Graph& graph, int32_t count) {
  std::vector<bool> names_body(graph.symbols_size() + 1, false);
  for (int i = 0; i < graph.symbols_size(); ++i)
    names_body[i + 1] = absl::c_linear_search(kBodyOptions, graph.symbols(i));
  std::vector<int32_t> called;
  for (const v1::Node& node : graph.nodes()) {
    for (const v1::Attribute& attribute : node.attributes()) {
      if (attribute.name() < 1 || attribute.name() > graph.symbols_size() || !names_body[attribute.name()]) continue;
      const int64_t number = NumberOf(attribute);
      if (number >= 1 && number <= count) called.push_back(static_cast<int32_t>(number));
    }
  }
  return called;
}

// Null where its number counts nothing.
const v1::Value* ValueOf(const v1::Graph& graph, int32_t id) {
  return id < 1 || id > graph.values_size() ? nullptr : &graph.values(id - 1);
}

// Scales and zero points; null: none, or those of a type that stands for its numbers.
const v1::QParams* QParamsOf(const v1::Graph& graph, int32_t id) {
  const v1::Value* value = ValueOf(graph, id);
  if (value == nullptr || !IsInteger(value->dtype()) || value->spec() < 1 || value->spec() > graph.specs_size()) {
    return nullptr;
  }
  const v1::QParams& qparams = graph.specs(value->spec() - 1).qparams();
  return qparams.scales().empty() ? nullptr : &qparams;
}

double ZeroPointOf(const v1::QParams& qparams) { return qparams.zero_points().empty() ? 0 : qparams.zero_points(0); }

// By more than what float32 can hold of a number. NaN differs from nothing: it is another finding.
bool Differ(double a, double b) {
  constexpr double kStep = 1e-6;
  return std::fabs(a - b) > kStep * std::max(std::fabs(a), std::fabs(b));
}

std::string QParamsText(const v1::QParams& qparams) {
  return absl::StrCat("scale ", FormatNumber(qparams.scales(0)), ", zero point ", FormatNumber(ZeroPointOf(qparams)));
}

// What is handed on between two graphs is bytes as they are. "" where both say the same of them, or one says nothing.
struct Difference {
  std::string here, there;
};
Difference Compare(const v1::Graph& here, int32_t given, const v1::Graph& there, int32_t taken) {
  const v1::Value *a = ValueOf(here, given), *b = ValueOf(there, taken);
  if (a == nullptr || b == nullptr) return {};
  if (a->dtype() != b->dtype()) {
    if (a->dtype() == v1::DATA_TYPE_UNSPECIFIED || b->dtype() == v1::DATA_TYPE_UNSPECIFIED) return {};
    return {std::string(DataTypeName(a->dtype())), std::string(DataTypeName(b->dtype()))};
  }
  const v1::QParams *p = QParamsOf(here, given), *q = QParamsOf(there, taken);
  if (p == nullptr || q == nullptr || p->scales_size() > 1 || q->scales_size() > 1) return {};
  if (!Differ(p->scales(0), q->scales(0)) && !Differ(ZeroPointOf(*p), ZeroPointOf(*q))) return {};
  return {QParamsText(*p), QParamsText(*q)};
}

// A body is given the node's inputs from `first` on.
void Takes(NodeShapes& node, const v1::Graph* body, int64_t number, int first) {
  if (body == nullptr) return;
  if (body->inputs_size() != node.num_inputs() - first) {
    node.BadParameter(absl::StrCat("subgraph ", number, " with ", body->inputs_size(), " inputs"),
                      absl::StrCat(node.num_inputs() - first));
    return;
  }
  for (int i = 0; i < body->inputs_size(); ++i) {
    if (!node.given(first + i)) continue;
    const int32_t value = node.graph().input(node.node(), first + i);
    Difference other = Compare(node.graph().message(), value + 1, *body, body->inputs(i));
    if (other.here.empty()) continue;
    node.Conflict(first + i, std::move(other.here), absl::StrCat(other.there, ", as subgraph ", number, " takes it"));
  }
}

// What a body gives are the node's outputs.
void Gives(NodeShapes& node, const v1::Graph* body, int64_t number) {
  if (body == nullptr) return;
  if (body->outputs_size() != node.num_outputs()) {
    node.BadParameter(absl::StrCat("subgraph ", number, " with ", body->outputs_size(), " outputs"),
                      absl::StrCat(node.num_outputs()));
    return;
  }
  for (int i = 0; i < body->outputs_size(); ++i) {
    const int32_t value = node.graph().output(node.node(), i);
    const Difference other = Compare(node.graph().message(), value + 1, *body, body->outputs(i));
    if (other.here.empty()) continue;
    node.BadParameter(absl::StrCat("output ", i, " of ", other.here),
                      absl::StrCat(other.there, ", as subgraph ", number, " gives it"));
  }
}

// A condition is one bool, as a scalar or alone in a list.
void Decides(NodeShapes& node, const v1::Graph* condition) {
  if (condition == nullptr) return;
  if (condition->outputs_size() != 1) {
    node.BadParameter(absl::StrCat("a condition with ", condition->outputs_size(), " outputs"), "1");
    return;
  }
  const v1::Value* value = ValueOf(*condition, condition->outputs(0));
  if (value == nullptr) return;
  if (value->dtype() != v1::DATA_TYPE_BOOL && value->dtype() != v1::DATA_TYPE_UNSPECIFIED) {
    node.BadParameter(absl::StrCat("a condition of ", DataTypeName(value->dtype())), "bool");
  }
  if (!value->has_shape() || value->dims_size() == 0 || value->dims_size() > kMaxRank) return;
  if (value->dims_size() == 1 && (value->dims(0) == 1 || value->dims(0) < 0)) return;
  const absl::Span<const int64_t> dims(value->dims().data(), value->dims_size());
  node.BadParameter(absl::StrCat("a condition of shape ", ShapeText(dims)), "one element");
}

// Once round, what the body gives is what it takes.
void GoesRound(NodeShapes& node, const v1::Graph* body) {
  if (body == nullptr || body->inputs_size() != body->outputs_size()) return;
  for (int i = 0; i < body->outputs_size(); ++i) {
    const Difference other = Compare(*body, body->outputs(i), *body, body->inputs(i));
    if (other.here.empty()) continue;
    node.BadParameter(absl::StrCat("a body whose output ", i, " has ", other.here),
                      absl::StrCat(other.there, ", as its input"));
  }
}

void CheckWhile(const v1::Graph& model, NodeShapes& node) {
  const int64_t condition_number = NumberAt(node.graph(), node.node(), "cond_subgraph_index");
  const int64_t body_number = NumberAt(node.graph(), node.node(), "body_subgraph_index");
  if (condition_number == body_number) {
    node.BadParameter(absl::StrCat("subgraph ", condition_number, " as condition and as body"), "one for each");
    return;
  }
  if (condition_number == 0 || body_number == 0) {
    node.BadParameter("subgraph 0, the model's own graph, as condition or body", "another subgraph");
    return;
  }
  const v1::Graph *condition = BodyOf(model, condition_number), *body = BodyOf(model, body_number);
  Takes(node, condition, condition_number, 0);
  Takes(node, body, body_number, 0);
  Decides(node, condition);
  if (body != nullptr && body->outputs_size() != node.num_inputs()) {
    node.BadParameter(absl::StrCat("a body with ", body->outputs_size(), " outputs"),
                      absl::StrCat(node.num_inputs(), ", as its inputs"));
    return;
  }
  Gives(node, body, body_number);
  GoesRound(node, body);
}

void CheckIf(const v1::Graph& model, NodeShapes& node) {
  if (node.given(0)) {
    const v1::DataType type = node.graph().dtype(node.graph().input(node.node(), 0));
    if (type != v1::DATA_TYPE_BOOL && type != v1::DATA_TYPE_UNSPECIFIED) {
      node.Conflict(0, std::string(DataTypeName(type)), "bool");
    }
    const Shape shape = node.at(0);
    const auto count = shape.is_static() ? CountOf(shape.dims) : absl::nullopt;
    if (count.has_value() && *count != 1) node.Conflict(0, ShapeText(shape.dims), "one element");
  }
  for (const char* branch : {"then_subgraph_index", "else_subgraph_index"}) {
    const int64_t number = NumberAt(node.graph(), node.node(), branch);
    if (number == 0) node.BadParameter(absl::StrCat(branch, " 0, the model's own graph"), "another subgraph");
    Takes(node, BodyOf(model, number), number, 1);
    Gives(node, BodyOf(model, number), number);
  }
}

}  // namespace

SubgraphCalls::SubgraphCalls(const v1::Graph& model) {
  const int32_t count = model.subgraphs_size();
  endless_.assign(count + 1, 0);
  struct Visit {
    int32_t number;
    std::vector<int32_t> called;
    size_t next = 0;
  };
  enum State : uint8_t { kNew, kOpen, kDone };
  std::vector<State> states(count + 1, kNew);
  // Depth first; a subgraph that is met while it is open runs itself, and so does whatever leads there.
  for (int32_t first = 1; first <= count; ++first) {
    if (states[first] != kNew) continue;
    std::vector<Visit> open;
    const auto enter = [&](int32_t number) {
      states[number] = kOpen;
      open.push_back({number, Called(model.subgraphs(number - 1), count)});
    };
    enter(first);
    while (!open.empty()) {
      Visit& visit = open.back();
      if (visit.next == visit.called.size()) {
        const Visit done = std::move(visit);
        open.pop_back();
        states[done.number] = kDone;
        for (int32_t each : done.called) {
          if (endless_[each] != 0) endless_[done.number] = endless_[each];
        }
        continue;
      }
      const int32_t each = visit.called[visit.next++];
      if (states[each] == kOpen) {
        endless_[each] = each;
      } else if (states[each] == kNew) {
        enter(each);
      }
    }
  }
}

bool RunsBodies(absl::string_view op_type) { return op_type == "IF" || op_type == "WHILE"; }

void CheckBodies(const v1::Graph& model, const SubgraphCalls* calls, NodeShapes& node) {
  if (node.graph().op_type(node.node()) == "IF") {
    CheckIf(model, node);
  } else {
    CheckWhile(model, node);
  }
  if (calls == nullptr) return;
  for (const absl::string_view option : kBodyOptions) {
    const int32_t endless = calls->Endless(NumberAt(node.graph(), node.node(), option));
    if (endless == 0) continue;
    node.BadParameter(absl::StrCat("subgraph ", endless, " inside of itself"), "subgraphs that come to an end");
    return;
  }
}

const v1::Graph* BodyAt(const v1::Graph& model, const Graph& graph, int32_t node, absl::string_view option) {
  return BodyOf(model, NumberAt(graph, node, option));
}

}  // namespace quantgate
