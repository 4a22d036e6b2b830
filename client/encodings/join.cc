#include "client/encodings/join.h"

#include <deque>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "client/encodings/geometry.h"
#include "client/text.h"

namespace quantgate::encodings {
namespace {

// The main graph or the body of a control-flow node.
struct Scope {
  Scope(v1::Graph* of, const Scope* around) : graph(*of), outer(around), consumers(*of) {}

  v1::Graph& graph;
  const Scope* outer;  // null: the main graph
  const Consumers consumers;
};

class Joiner {
 public:
  Joiner(const v1::EncodingsFile& file, v1::Graph* graph) : file_(file) {
    file_.clear_problems();
    Enter(graph, nullptr);
    *graph->mutable_encodings_file()->mutable_problems() = file.problems();
  }

  // Branches may have tensors of one name; the encoding is for each of them.
  void Add(const ReadEncoding& encoding) {
    Places places = encoding.name.empty() ? Places{{&scopes_.front(), 0}} : PlacesOf(ToUtf8(encoding.name));
    for (const Place& place : places) Put(encoding, place);
  }

  void SetStage(v1::Stage stage) {
    for (Scope& scope : scopes_) scope.graph.set_stage(stage);
  }

  // What a body takes from the graphs around it is there as it is here.
  void PassToCaptures() {
    for (Scope& scope : scopes_) {
      if (scope.outer == nullptr) continue;
      for (v1::Value& value : *scope.graph.mutable_values()) {
        const int32_t captured = value.captured();
        if (value.spec() != 0 || captured < 1 || captured > scope.outer->graph.values_size()) continue;
        const int32_t spec = scope.outer->graph.values(captured - 1).spec();
        if (spec < 1 || spec > scope.outer->graph.specs_size()) continue;
        *scope.graph.add_specs() = scope.outer->graph.specs(spec - 1);
        value.set_spec(scope.graph.specs_size());
      }
    }
  }

 private:
  struct Place {
    Scope* scope;
    int32_t value;  // id there; 0: the entry has no name
  };
  using Places = absl::InlinedVector<Place, 1>;

  // Graphs around others come before them.
  void Enter(v1::Graph* graph, const Scope* outer) {
    Scope& scope = scopes_.emplace_back(graph, outer);
    *graph->mutable_encodings_file() = file_;
    for (int32_t i = 0; i < graph->values_size(); ++i) {
      const v1::Value& value = graph->values(i);
      if (value.name().empty() || value.captured() > 0) continue;
      Places& places = places_[value.name()];
      // Of several tensors of one name in one graph the first has it.
      if (places.empty() || places.back().scope != &scope) places.push_back({&scope, i + 1});
    }
    for (v1::Graph& body : *graph->mutable_subgraphs()) Enter(&body, &scope);
  }

  const Places& PlacesOf(const std::string& name) {
    Places& places = places_[name];
    if (places.empty()) {
      v1::Graph& graph = scopes_.front().graph;
      v1::Value& value = *graph.add_values();
      value.set_name(name);
      value.set_foreign(true);
      places.push_back({&scopes_.front(), graph.values_size()});
    }
    return places;
  }

  static void Put(ReadEncoding encoding, const Place& place) {
    v1::Graph& graph = place.scope->graph;
    v1::Value* value = place.value > 0 ? graph.mutable_values(place.value - 1) : nullptr;
    if (encoding.has_spec) {
      const bool known = value != nullptr && !value->foreign();
      Lay(known ? value : nullptr, known ? place.scope->consumers.ChannelAxis(place.value) : -1, encoding);
      *graph.add_specs() = std::move(encoding.spec);
      encoding.facts.set_spec(graph.specs_size());
      if (value != nullptr && value->spec() == 0) value->set_spec(graph.specs_size());
    }
    encoding.facts.set_value(place.value);
    *graph.mutable_encodings_file()->add_encodings() = std::move(encoding.facts);
  }

  v1::EncodingsFile file_;  // without what is said once, of the whole file
  std::deque<Scope> scopes_;
  absl::flat_hash_map<std::string, Places> places_;
};

}  // namespace

void Join(const ReadFile& file, v1::Graph* graph) {
  Joiner joiner(file.file, graph);
  for (const ReadEncoding& encoding : file.encodings) joiner.Add(encoding);
  joiner.PassToCaptures();
  if (graph->stage() == v1::STAGE_ANNOTATED && !file.encodings.empty()) joiner.SetStage(v1::STAGE_CALIBRATED);
}

v1::Graph Alone(const ReadFile& file) {
  v1::Graph graph;
  graph.set_origin(v1::Graph::ONNX);
  graph.set_stage(v1::STAGE_CALIBRATED);
  Join(file, &graph);
  graph.mutable_encodings_file()->set_alone(true);
  return graph;
}

}  // namespace quantgate::encodings
