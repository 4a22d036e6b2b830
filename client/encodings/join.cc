#include "client/encodings/join.h"

#include <utility>

#include "absl/container/flat_hash_map.h"
#include "client/encodings/geometry.h"
#include "client/text.h"

namespace quantgate::encodings {
namespace {

class Joiner {
 public:
  explicit Joiner(v1::Graph* graph) : graph_(*graph), consumers_(*graph), known_values_(graph->values_size()) {
    ids_.reserve(graph->values_size());
    for (int32_t i = 0; i < graph->values_size(); ++i) {
      if (!graph->values(i).name().empty()) ids_.emplace(graph->values(i).name(), i + 1);
    }
  }

  void Add(ReadEncoding encoding, v1::Encoding* facts) {
    const int32_t value = encoding.name.empty() ? 0 : ValueOf(ToUtf8(encoding.name));
    if (encoding.has_spec) {
      const bool known = value > 0 && value <= known_values_;
      Lay(known ? &graph_.values(value - 1) : nullptr, known ? consumers_.ChannelAxis(value) : -1, encoding);
      *graph_.add_specs() = std::move(encoding.spec);
      encoding.facts.set_spec(graph_.specs_size());
      if (value > 0 && graph_.values(value - 1).spec() == 0)
        graph_.mutable_values(value - 1)->set_spec(graph_.specs_size());
    }
    encoding.facts.set_value(value);
    *facts = std::move(encoding.facts);
  }

 private:
  int32_t ValueOf(const std::string& name) {
    const auto [it, added] = ids_.emplace(name, graph_.values_size() + 1);
    if (added) {
      v1::Value& value = *graph_.add_values();
      value.set_name(name);
      value.set_foreign(true);
    }
    return it->second;
  }

  v1::Graph& graph_;
  const Consumers consumers_;
  const int32_t known_values_;
  absl::flat_hash_map<std::string, int32_t> ids_;
};

}  // namespace

void Join(ReadFile file, v1::Graph* graph) {
  v1::EncodingsFile& facts = *graph->mutable_encodings_file();
  facts = std::move(file.file);
  Joiner joiner(graph);
  for (ReadEncoding& encoding : file.encodings) joiner.Add(std::move(encoding), facts.add_encodings());
  if (graph->stage() == v1::STAGE_ANNOTATED && facts.encodings_size() > 0) graph->set_stage(v1::STAGE_CALIBRATED);
}

v1::Graph Alone(ReadFile file) {
  v1::Graph graph;
  graph.set_origin(v1::Graph::ONNX);
  graph.set_stage(v1::STAGE_CALIBRATED);
  Join(std::move(file), &graph);
  graph.mutable_encodings_file()->set_alone(true);
  return graph;
}

}  // namespace quantgate::encodings
