#include "client/cli/overwrite.h"

#include <filesystem>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "client/same_file.h"

namespace quantgate {
namespace {

void AddLocations(const v1::Graph& graph, absl::flat_hash_set<std::string>& locations) {
  for (const v1::Value& value : graph.values()) {
    const std::string& location = value.constant().external().location();
    if (!location.empty()) locations.insert(location);
  }
  for (const v1::Graph& subgraph : graph.subgraphs()) AddLocations(subgraph, locations);
}

}  // namespace

absl::Status CheckOverwrites(absl::string_view flag, const std::string& path, const std::vector<KeptFile>& kept) {
  for (const KeptFile& file : kept) {
    if (IsSameFile(path, file.path)) {
      return absl::InvalidArgumentError(absl::StrCat(flag, " ", path, " would overwrite ", file.what));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckOutputs(const std::vector<OutputFile>& outputs, std::vector<KeptFile> kept) {
  for (const OutputFile& output : outputs) {
    if (absl::Status status = CheckOverwrites(output.flag, output.path, kept); !status.ok()) return status;
    kept.push_back({output.path, output.what});
  }
  return absl::OkStatus();
}

std::vector<KeptFile> WeightFiles(const std::string& path, const v1::Graph& graph) {
  if (graph.origin() == v1::Graph::PT2E) return {};  // locations are of members of an archive
  absl::flat_hash_set<std::string> locations;
  AddLocations(graph, locations);
  std::vector<KeptFile> files;
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  for (const std::string& location : locations) files.push_back({(folder / location).string(), "the model's weights"});
  return files;
}

}  // namespace quantgate
