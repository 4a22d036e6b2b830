#include <algorithm>

#include "CLI/CLI.hpp"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/cli/commands.h"
#include "client/cli/overwrite.h"
#include "client/import.h"
#include "client/report/json.h"
#include "client/report/layout.h"
#include "google/protobuf/struct.pb.h"
#include "rules/graph/graph.h"
#include "rules/graph/sharing/sharing.h"

namespace quantgate {
namespace {

// ["n"] for a value, ["a", "n"] for an edge.
void AddPlace(const v1::Graph& graph, SpecPlace place, google::protobuf::ListValue& places) {
  google::protobuf::ListValue& names = *places.add_values()->mutable_list_value();
  names.add_values()->set_string_value(graph.values(place.value).name());
  if (place.is_edge()) names.add_values()->set_string_value(graph.nodes(place.node).name());
}

absl::StatusOr<std::string> GroupsJson(const google::protobuf::ListValue& list, const std::string& why) {
  google::protobuf::Value error;
  error.set_null_value(google::protobuf::NULL_VALUE);
  if (!why.empty()) error.set_string_value(why);
  const absl::StatusOr<std::string> list_text = ToJsonLine(list);
  const absl::StatusOr<std::string> error_text = ToJsonLine(error);
  if (!list_text.ok()) return list_text.status();
  if (!error_text.ok()) return error_text.status();
  return absl::StrCat("{\"groups\": ", *list_text, ", \"error\": ", *error_text, "}\n");
}

absl::StatusOr<std::string> GroupsJson(const v1::Graph& graph, const SharingGroups& groups) {
  google::protobuf::ListValue list;
  for (int32_t id = 0; id < groups.num_groups(); ++id) {
    google::protobuf::ListValue& places = *list.add_values()->mutable_list_value();
    for (const int32_t entry : groups.group(id)) AddPlace(graph, groups.annotations.place(entry), places);
  }
  return GroupsJson(list, groups.error ? SharingErrorText(groups.annotations, *groups.error) : "");
}

std::string GroupsText(const Graph& graph, const SharingGroups& groups) {
  std::string text;
  for (int32_t id = 0; id < groups.num_groups(); ++id) {
    const std::string members = absl::StrJoin(groups.group(id), ", ", [&](std::string* out, int32_t entry) {
      absl::StrAppend(out, SpecPlaceName(graph, groups.annotations.place(entry)));
    });
    absl::StrAppend(&text, id, "  ", Printable(members), "\n");
  }
  if (groups.error)
    absl::StrAppend(&text, "error: ", Printable(SharingErrorText(groups.annotations, *groups.error)), "\n");
  if (text.empty()) text = "nothing is annotated\n";
  return text;
}

// `overwrites`: the file's weights are where the output is to be, so nothing may be written.
absl::StatusOr<std::string> GroupsOf(const std::string& path, const OutputFlags& flags, bool& overwrites) {
  const absl::StatusOr<ImportedModel> model = ImportModel(path);
  if (!model.ok()) return model.status();
  absl::Status kept = CheckOverwrites("--output", flags.output, WeightFiles(path, model->graph));
  overwrites = !kept.ok();
  if (overwrites) return kept;
  const absl::StatusOr<Graph> graph = Graph::Build(model->graph);
  if (!graph.ok()) return graph.status();
  const SharingGroups groups = ComputeSharingGroups(*graph);
  return flags.format == "json" ? GroupsJson(model->graph, groups) : GroupsText(*graph, groups);
}

// One model is an object; several are an array of them, in the order in which they were given: one that cannot be read
// has its place, and the reason.
int RunGroups(const std::vector<std::string>& paths, const OutputFlags& flags) {
  for (const std::string& path : paths) {
    if (absl::Status status = CheckOverwrites("--output", flags.output, {{path, "a graph that is read"}}); !status.ok())
      return Fail(status);
  }
  const bool json = flags.format == "json";
  const bool several = paths.size() > 1;
  int exit_code = 0;
  bool any = false;
  std::string text = several && json ? "[" : "";
  for (const std::string& path : paths) {
    bool overwrites = false;
    absl::StatusOr<std::string> groups = GroupsOf(path, flags, overwrites);
    if (!groups.ok()) {
      exit_code = std::max(exit_code, Fail(groups.status()));
      if (overwrites) return exit_code;
      if (!json) continue;
      groups = GroupsJson(google::protobuf::ListValue(), Printable(groups.status().message()));
      if (!groups.ok()) return Fail(groups.status());
    } else {
      any = true;
    }
    if (several && json && &path != &paths.front()) text += ",";
    if (several && !json) absl::StrAppend(&text, Printable(path), ":\n");
    text += *groups;
  }
  if (!any) return exit_code;  // the errors have said it all
  return Finish(flags, several && json ? text + "]\n" : text, exit_code);
}

}  // namespace

void AddGroupsCommand(CLI::App& app, Run* run) {
  CLI::App* command = app.add_subcommand("groups", "Show which annotated edges and values will share one observer");
  auto models = std::make_shared<std::vector<std::string>>();
  command->add_option("MODEL", *models, "Annotated graphs (quantgate.v1.Graph); recognized by content")->required();
  const auto flags = AddOutputFlags(*command, {"format", "output"});
  command->footer(
      "The groups are those of torchao's prepare_pt2e, in its order; the first member's spec makes the observer of "
      "all. Of several graphs one that cannot be read has an error in the place of its groups; the exit code is 2.\n"
      "Examples:\n"
      "  quantgate groups annotated.pb\n"
      "  quantgate groups annotated.pb another.pb --format json");
  command->callback([models, flags, run] { *run = [models, flags] { return RunGroups(*models, *flags); }; });
}

}  // namespace quantgate
