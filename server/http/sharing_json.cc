#include "server/http/sharing_json.h"

#include <nlohmann/json.hpp>

#include "rules/graph/graph.h"
#include "rules/graph/sharing/sharing.h"

namespace quantgate::server {

absl::StatusOr<std::string> SharingGroupsJson(const v1::Graph& graph) {
  const absl::StatusOr<Graph> built = Graph::Build(graph);
  if (!built.ok()) return built.status();
  const SharingGroups groups = ComputeSharingGroups(*built);
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (int32_t id = 0; id < groups.num_groups(); ++id) {
    if (groups.group(id).size() < 2) continue;
    nlohmann::ordered_json members = nlohmann::ordered_json::array();
    for (const int32_t entry : groups.group(id)) {
      const SpecPlace place = groups.annotations.place(entry);
      members.push_back({{"value", place.value + 1}, {"node", place.is_edge() ? place.node + 1 : 0}});
    }
    list.push_back(std::move(members));
  }
  return nlohmann::ordered_json({{"groups", std::move(list)}}).dump();
}

}  // namespace quantgate::server
