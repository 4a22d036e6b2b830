#include "rules/corrections/names.h"

#include "absl/strings/str_cat.h"

namespace quantgate::corrections {

Names::Names(const v1::Graph& graph) : graph_(graph) {
  nodes_.reserve(graph.nodes_size());
  values_.reserve(graph.values_size());
  const auto add = [](Map& map, std::string name, int32_t id) {
    const auto [found, inserted] = map.emplace(std::move(name), id);
    if (!inserted) found->second = -1;
  };
  for (int32_t i = 0; i < graph.nodes_size(); ++i) add(nodes_, NodeName(i), i);
  for (int32_t i = 0; i < graph.values_size(); ++i) {
    // A value of another graph may have the name of one of this.
    if (!graph.values(i).foreign() && !graph.values(i).name().empty()) add(values_, graph.values(i).name(), i);
  }
}

std::string Names::NodeName(int32_t node) const {
  const std::string& name = graph_.nodes(node).name();
  return name.empty() ? absl::StrCat("#", node) : name;
}

int32_t Names::Find(const Map& map, absl::string_view name) {
  const auto found = map.find(name);
  return found == map.end() ? -1 : found->second;
}

}  // namespace quantgate::corrections
