#include "client/pt2/pt2_importer.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "client/error.h"
#include "client/pt2/archive.h"
#include "client/pt2/graph_importer.h"
#include "client/pt2/json.h"
#include "client/pt2/payloads.h"
#include "client/pt2/schema.h"
#include "client/pt2/versions.h"
#include "client/text.h"

namespace quantgate {
namespace {

using pt2::Archive;
using pt2::InMember;
using pt2::Json;

// A program of 50,000 nodes with its stack traces.
constexpr int64_t kMaxProgramBytes = int64_t{128} << 20;

// What a zip archive without archive_format is.
const char* OtherArchive(const Archive& archive) {
  bool pickle = false;
  for (const std::string& name : archive.names()) {
    if (absl::EndsWith(name, "/constants.pkl")) return "is a TorchScript archive: save it with torch.export instead";
    if (name == "serialized_exported_program.json") {
      return "is an exported program of PyTorch before 2.8, whose weights are pickled: save it again with a newer one";
    }
    pickle |= absl::EndsWith(name, "/data.pkl");
  }
  return pickle ? "is a PyTorch checkpoint (torch.save), a pickle, which is never read"
                : "is a zip archive, but no exported program: it has no member archive_format";
}

// A short member; "" when there is none or it cannot be read.
std::string ShortText(Archive* archive, const std::string& name) {
  const Archive::Member* member = archive->Find(name);
  if (member == nullptr) return "";
  const absl::StatusOr<std::string> text = archive->Read(*member, 64);
  return text.ok() ? *text : "";
}

// Folder that everything is in, with its slash.
absl::StatusOr<std::string> FindRoot(Archive* archive) {
  constexpr absl::string_view kFormat = "/archive_format";
  for (const std::string& name : archive->names()) {
    if (!absl::EndsWith(name, kFormat) || name.find('/') != name.size() - kFormat.size()) continue;
    const std::string format = ShortText(archive, name);
    if (format != "pt2") {
      return UnreadableFile(absl::StrCat(ToUtf8(name), ": says '", absl::Utf8SafeCEscape(format), "', not 'pt2'"));
    }
    return name.substr(0, name.size() - kFormat.size() + 1);
  }
  return UnreadableFile(OtherArchive(*archive));
}

// Names of the programs in models/, "model" first, which is what torch.export.load takes.
std::vector<std::string> ProgramNames(const Archive& archive, const std::string& root) {
  const std::string folder = absl::StrCat(root, "models/");
  std::vector<std::string> names;
  for (absl::string_view name : archive.names()) {
    if (!absl::ConsumePrefix(&name, folder) || !absl::ConsumeSuffix(&name, ".json")) continue;
    if (!name.empty() && !absl::StrContains(name, '/')) names.emplace_back(name);
  }
  std::sort(names.begin(), names.end(),
            [](const auto& a, const auto& b) { return std::pair(a != "model", a) < std::pair(b != "model", b); });
  return names;
}

absl::Status ImportProgram(Archive* archive, const std::string& root, const std::string& name,
                           const ImportOptions& options, int64_t* nodes_left, v1::Graph* graph) {
  const std::string path = absl::StrCat(root, "models/", name, ".json");
  absl::StatusOr<std::string> text = archive->Read(*archive->Find(path), kMaxProgramBytes);
  if (!text.ok()) return text.status();
  const absl::StatusOr<pt2::JsonDocument> json = pt2::JsonDocument::Parse(*std::move(text));
  if (!json.ok()) return InMember(path, json.status());
  const Json* version = pt2::FindObject(&json->root(), "schema_version");
  const std::optional<int64_t> major = pt2::IntegerOf(pt2::Find(version, "major"));
  if (major != pt2::kSchemaMajor) {
    return InMember(
        path, UnreadableFile(absl::StrCat("has schema version ", major.has_value() ? absl::StrCat(*major) : "none",
                                          "; this version reads ", pt2::kSchemaMajor)));
  }
  const Json* module = pt2::FindObject(&json->root(), "graph_module");
  const Json* source = pt2::FindObject(module, "graph");
  if (source == nullptr) return InMember(path, UnreadableFile("has no graph_module with a graph"));
  const Json* signature = pt2::FindObject(module, "signature");
  if (signature == nullptr) return InMember(path, UnreadableFile("has no graph_module with a signature"));

  absl::StatusOr<pt2::Payloads> payloads = pt2::Payloads::Open(archive, root, name, options.max_weight_bytes);
  if (!payloads.ok()) return payloads.status();
  graph->set_name(ToUtf8(name));
  graph->set_format_version(*major);
  graph->set_producer(absl::StrCat("pytorch ", ToUtf8(pt2::FindText(&json->root(), "torch_version"))));
  if (const Json* opsets = pt2::FindObject(&json->root(), "opset_version")) {
    for (const auto& opset : opsets->GetObject()) {
      v1::OpsetImport& import = *graph->add_opset_imports();
      import.set_domain(ToUtf8(pt2::TextOf(&opset.name)));
      import.set_version(pt2::IntegerOf(&opset.value).value_or(0));
    }
  }
  pt2::ProgramContext program{*payloads, *nodes_left, options.max_subgraph_depth};
  absl::Status status = pt2::GraphImporter(&program, graph).Import(*source, signature);
  *nodes_left = program.nodes_left;
  return status.ok() ? status : InMember(path, status);
}

// Nothing is extracted here, but other tools do that: names that lead out of their folder are facts. They stand as
// values of another graph, whose data would be there.
void AddPathsThatLeave(const Archive& archive, v1::Graph* graph) {
  constexpr int kMaxListed = 16;
  int listed = 0;
  for (const std::string& name : archive.names()) {
    if (!pt2::LeavesFolder(name) || ++listed > kMaxListed) continue;
    v1::Value& value = *graph->add_values();
    value.set_name(ToUtf8(name));
    value.set_foreign(true);
    value.mutable_constant()->set_stored_bytes(-1);
    value.mutable_constant()->mutable_external()->set_location(ToUtf8(name));
    value.mutable_constant()->mutable_external()->set_status(v1::ExternalData::OUTSIDE_MODEL_FOLDER);
  }
}

}  // namespace

absl::StatusOr<v1::Graph> ImportPt2(absl::string_view bytes, const ImportOptions& options) {
  absl::StatusOr<Archive> archive = Archive::Open(bytes);
  if (!archive.ok()) return archive.status();
  const absl::StatusOr<std::string> root = FindRoot(&*archive);
  if (!root.ok()) return root.status();
  if (absl::Status status = pt2::CheckVersions(&*archive, *root); !status.ok()) return status;
  const std::string member = ShortText(&*archive, absl::StrCat(*root, "byteorder"));
  const absl::string_view order = absl::StripAsciiWhitespace(member);
  if (!order.empty() && order != "little") {
    return UnreadableFile(absl::StrCat("has numbers in the byte order '", ToUtf8(order), "'; only 'little' is read"));
  }
  const std::vector<std::string> names = ProgramNames(*archive, *root);
  if (names.empty()) return UnreadableFile(absl::StrCat("has no program: ", ToUtf8(*root), "models/*.json is missing"));
  constexpr size_t kMaxPrograms = 64;
  if (names.size() > kMaxPrograms) {
    return BeyondLimit(absl::StrCat("has ", names.size(), " programs; the limit is ", kMaxPrograms));
  }
  v1::Graph graph;
  int64_t nodes_left = options.max_nodes;
  for (const std::string& name : names) {
    v1::Graph* target = name == names[0] ? &graph : graph.add_subgraphs();
    absl::Status status = ImportProgram(&*archive, *root, name, options, &nodes_left, target);
    if (!status.ok()) return status;
  }
  AddPathsThatLeave(*archive, &graph);
  return graph;
}

}  // namespace quantgate
