#include "rules/corrections/apply.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "rules/corrections/names.h"
#include "rules/corrections/numbers.h"
#include "rules/corrections/spec_editor.h"
#include "rules/corrections/stored_specs.h"
#include "rules/engine/render.h"

namespace quantgate {
namespace {

using corrections::Names;
using corrections::SpecAt;
using corrections::SpecEditor;
using corrections::StoredSpecs;

// Takes the references of a graph's spec to names, for readers without the graph.
v1::Spec ByName(const Graph& graph, const v1::Spec& spec) {
  v1::Spec named = spec;
  const auto name = [&](v1::EdgeRef& reference) {
    if (reference.value() > 0) reference.set_value_name(graph.value(reference.value() - 1).name());
    if (reference.consumer() > 0) reference.set_consumer_name(NodeName(graph, reference.consumer() - 1));
    reference.clear_value();
    reference.clear_consumer();
  };
  if (named.has_shared_with()) name(*named.mutable_shared_with());
  for (v1::EdgeRef& reference : *named.mutable_derived_from()) name(reference);
  named.set_observer_name(std::string(graph.symbol(named.observer())));
  named.clear_observer();
  return named;
}

absl::Status Unknown(absl::string_view what, absl::string_view name) {
  return absl::NotFoundError(
      absl::StrCat("the graph has no ", what, " '", name, "', or several; is it the one that was checked?"));
}

class Applier {
 public:
  // `pattern` and `stored` are of the unchanged graph.
  Applier(const Graph& pattern, const StoredSpecs& stored, v1::Graph& graph)
      : pattern_(pattern), stored_(stored), graph_(graph), names_(graph), editor_(graph) {
    for (int i = 0; i < graph.symbols_size(); ++i) symbols_.emplace(graph.symbols(i), i + 1);
  }

  // Puts the spec where the change says, which is `place` then.
  absl::Status Apply(const v1::Change& change, SpecPlace& place) {
    if (absl::Status status = PlaceOf(change.location(), place); !status.ok()) return status;
    int32_t spec = 0;
    if (change.has_after()) {
      v1::Spec after = change.after();
      if (absl::Status status = ById(after); !status.ok()) return status;
      spec = editor_.Intern(after);
    }
    editor_.Set(place, spec);
    return absl::OkStatus();
  }

 private:
  absl::Status PlaceOf(const v1::Location& location, SpecPlace& place) {
    if (location.has_input()) {
      place.node = names_.Node(location.node());
      if (place.node < 0) return Unknown("node", location.node());
      const v1::Node& node = graph_.nodes(place.node);
      if (location.input() < 0 || location.input() >= node.inputs_size() || node.inputs(location.input()) == 0) {
        return Unknown("input of node", absl::StrCat(location.node(), ", ", location.input()));
      }
      place.value = node.inputs(location.input()) - 1;
      if (stored_.empty()) return absl::OkStatus();
      // Called as the reader sees it: this edge alone. The tensor for all is called as it is written.
      const bool edge = location.value() == graph_.values(place.value).name() && stored_.ReadAs(place.value) >= 0;
      return edge ? absl::OkStatus() : StoredPlace(pattern_.producer(place.value), location, place);
    }
    place.value = names_.Value(location.value());
    if (place.value < 0) return Unknown("tensor", location.value());
    if (stored_.empty()) return absl::OkStatus();
    const absl::Span<const Use> uses = pattern_.uses(place.value);
    return StoredPlace(uses.empty() ? -1 : uses[0].node, location, place);
  }

  absl::Status StoredPlace(int32_t quantizer, const v1::Location& location, SpecPlace& place) {
    place = {quantizer < 0 ? -1 : stored_.Of(quantizer), -1};
    return place.value < 0 ? Unknown("quantized tensor", location.value()) : absl::OkStatus();
  }

  absl::Status ById(v1::Spec& spec) {
    if (!spec.observer_name().empty()) {
      const auto [found, inserted] = symbols_.emplace(spec.observer_name(), graph_.symbols_size() + 1);
      if (inserted) graph_.add_symbols(spec.observer_name());
      spec.set_observer(found->second);
      spec.clear_observer_name();
    }
    const auto resolve = [&](v1::EdgeRef& reference) {
      const int32_t value = names_.Value(reference.value_name());
      const int32_t consumer = reference.consumer_name().empty() ? -1 : names_.Node(reference.consumer_name());
      if (value < 0 || (consumer < 0 && !reference.consumer_name().empty())) {
        return Unknown("place", absl::StrCat(reference.value_name(), " ", reference.consumer_name()));
      }
      reference.Clear();
      reference.set_value(value + 1);
      reference.set_consumer(consumer + 1);
      return absl::OkStatus();
    };
    if (spec.has_shared_with()) {
      if (absl::Status status = resolve(*spec.mutable_shared_with()); !status.ok()) return status;
    }
    for (v1::EdgeRef& reference : *spec.mutable_derived_from()) {
      if (absl::Status status = resolve(reference); !status.ok()) return status;
    }
    return absl::OkStatus();
  }

  const Graph& pattern_;
  const StoredSpecs& stored_;
  v1::Graph& graph_;
  const Names names_;
  SpecEditor editor_;
  absl::flat_hash_map<std::string, int32_t> symbols_;
};

using Changes = std::vector<const v1::Change*>;

// Puts the specs of `changes` into `graph`, where those of stored tensors are lifted then. `pattern` and `stored` are
// of the unchanged graph. Returns the places, in order.
absl::StatusOr<std::vector<SpecPlace>> ApplyLifted(const Changes& changes, const Graph& pattern,
                                                   const StoredSpecs& stored, v1::Graph& graph) {
  stored.Lift(graph);
  Applier applier(pattern, stored, graph);
  std::vector<SpecPlace> places;
  for (const v1::Change* change : changes) {
    if (absl::Status status = applier.Apply(*change, places.emplace_back()); !status.ok()) return status;
  }
  return places;
}

absl::Status Apply(const Changes& changes, v1::Graph& graph) {
  const v1::Graph before = graph;  // what Graph refers to must not change
  absl::StatusOr<Graph> pattern = Graph::Build(before);
  if (!pattern.ok()) return pattern.status();
  const StoredSpecs stored(*pattern, ResolvedGraph::Resolve(*pattern));
  const absl::StatusOr<std::vector<SpecPlace>> places = ApplyLifted(changes, *pattern, stored, graph);
  if (places.ok()) stored.Lower(graph);
  return places.status();
}

Changes AllOf(const v1::Result& result) {
  Changes all;
  for (const v1::Correction& correction : result.corrections()) {
    for (const v1::Change& change : correction.changes()) all.push_back(&change);
  }
  return all;
}

v1::Spec SpecOrNone(const v1::Graph& graph, int32_t spec) { return spec > 0 ? graph.specs(spec - 1) : v1::Spec(); }

// Tensors and edges that carry their specs themselves and carry others in `after`.
void CompareSpecs(const v1::Graph& before, const v1::Graph& after, std::vector<TensorChange>& changes) {
  for (int32_t i = 0; i < before.values_size(); ++i) {
    const int32_t old_spec = before.values(i).spec();
    const int32_t new_spec = after.values(i).spec();
    if (old_spec == new_spec) continue;
    changes.push_back({i, {}, -1, -1, SpecOrNone(before, old_spec), SpecOrNone(after, new_spec)});
  }
  for (int32_t n = 0; n < before.nodes_size(); ++n) {
    for (int i = 0; i < after.nodes(n).input_specs_size(); ++i) {
      const int32_t value = before.nodes(n).inputs(i) - 1;
      const int32_t old_spec = SpecAt(before, {value, n});
      const int32_t new_spec = SpecAt(after, {value, n});
      if (value >= 0 && old_spec != new_spec) {
        changes.push_back({value, {}, n, -1, SpecOrNone(before, old_spec), SpecOrNone(after, new_spec)});
      }
    }
  }
}

// Kernels of LiteRT add a bias to sums of products as it is stored: whatever the file says, that is what it stood for.
void CountInProducts(const Graph& graph, const ResolvedGraph& resolved, std::vector<TensorChange>& changes) {
  absl::flat_hash_map<int32_t, TensorChange*> change_of;
  for (TensorChange& change : changes) {
    if (graph.is_constant(change.value) && change.before.dtype() == change.after.dtype()) {
      change_of[change.value] = &change;
    }
  }
  for (const ResolvedOp& op : resolved.ops()) {
    if (op.op == nullptr || (op.op->traits & kAccumulates) == 0) continue;
    const auto spec_of = [&](PortRole role) -> std::pair<int32_t, const v1::Spec*> {
      for (const Operand& operand : resolved.inputs(op)) {
        if (!operand.present || operand.edge_value < 0 || op.op->inputs[operand.port].role != role) continue;
        const int32_t spec = graph.value_spec(operand.edge_value);
        return {operand.edge_value, spec < 0 ? nullptr : &graph.message().specs(spec)};
      }
      return {-1, nullptr};
    };
    const auto bias = change_of.find(spec_of(PortRole::kBias).first);
    const v1::Spec* input = spec_of(PortRole::kActivation).second;
    const v1::Spec* weight = spec_of(PortRole::kWeight).second;
    if (bias == change_of.end() || input == nullptr || weight == nullptr) continue;
    if (std::optional<v1::QParams> product = corrections::ProductOf(*input, *weight, /*bias_axis=*/0)) {
      *bias->second->before.mutable_qparams() = *std::move(product);
    }
  }
}

}  // namespace

absl::Status ApplyChanges(const google::protobuf::RepeatedPtrField<v1::Change>& changes, v1::Graph& graph) {
  Changes all;
  for (const v1::Change& change : changes) all.push_back(&change);
  return Apply(all, graph);
}

absl::Status ApplyCorrections(const v1::Result& result, v1::Graph& graph) { return Apply(AllOf(result), graph); }

absl::StatusOr<std::vector<TensorChange>> ChangedTensors(const v1::Result& result, const v1::Graph& graph) {
  absl::StatusOr<Graph> pattern = Graph::Build(graph);
  if (!pattern.ok()) return pattern.status();
  const ResolvedGraph resolved = ResolvedGraph::Resolve(*pattern);
  const StoredSpecs stored(*pattern, resolved);
  v1::Graph changed = graph;
  const absl::StatusOr<std::vector<SpecPlace>> places = ApplyLifted(AllOf(result), *pattern, stored, changed);
  if (!places.ok()) return places.status();
  std::vector<TensorChange> changes;
  if (stored.empty()) {
    CompareSpecs(graph, changed, changes);
    if (graph.origin() == v1::Graph::TFLITE) CountInProducts(*pattern, resolved, changes);
  } else {
    changes = stored.Changed(changed);
  }
  absl::flat_hash_map<std::pair<int32_t, int32_t>, int32_t> correction_of;  // by value and reader
  size_t next = 0;
  for (int i = 0; i < result.corrections_size(); ++i) {
    for (int c = 0; c < result.corrections(i).changes_size(); ++c) {
      const SpecPlace place = (*places)[next++];
      correction_of[{place.value, place.node}] = i;
    }
  }
  for (TensorChange& change : changes) change.correction = correction_of[{change.value, change.reader}];
  return changes;
}

v1::Change corrections::MakeChange(const Graph& graph, const v1::Graph& pool, SpecPlace place, int32_t before,
                                   int32_t after) {
  v1::Change change;
  v1::Location& location = *change.mutable_location();
  const int32_t node = place.is_edge() ? place.node : graph.producer(place.value);
  if (node >= 0) {
    location.set_node(NodeName(graph, node));
    location.set_op(std::string(graph.op_type(node)));
    const v1::SourceLine& line = graph.node(node).source_line();
    if (line.file() > 0) {
      location.set_source_line(line.line() > 0 ? absl::StrCat(graph.symbol(line.file()), ":", line.line())
                                               : std::string(graph.symbol(line.file())));
    }
  }
  location.set_value(graph.value(place.value).name());
  if (place.is_edge()) {
    for (int i = 0; i < graph.num_inputs(node); ++i) {
      if (graph.input(node, i) != place.value) continue;
      location.set_input(i);
      break;
    }
  } else if (node >= 0) {
    location.set_output(graph.output_index(place.value));
  }
  if (before > 0) *change.mutable_before() = ByName(graph, pool.specs(before - 1));
  if (after > 0) *change.mutable_after() = ByName(graph, pool.specs(after - 1));
  return change;
}

}  // namespace quantgate
