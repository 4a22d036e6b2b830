// Every graph of tests/data: with all corrections of its report applied, every fault that they name is gone, there are
// no others, and nothing is left that could be corrected.
#include <google/protobuf/io/gzip_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "client/import.h"
#include "tests/rules/corrections/annotated.h"

namespace quantgate {
namespace {

using ::quantgate::testing::CheckFor;
using ::quantgate::testing::Corrected;
using ::quantgate::testing::Faults;

// Under a sanitizer each takes a hundred times as long, and what is said of it is judged without one.
#ifdef QUANTGATE_SANITIZED
constexpr size_t kEvery = 10;
#else
constexpr size_t kEvery = 1;
#endif

std::vector<std::filesystem::path> Files(const std::string& folder, const std::string& extension) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(QUANTGATE_TEST_DATA) + "/../" + folder)) {
    if (entry.path().extension() == extension) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  size_t kept = 0;
  for (size_t i = 0; i < files.size(); i += kEvery) files[kept++] = files[i];
  files.resize(kept);
  return files;
}

v1::Graph ReadCompressed(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  google::protobuf::io::IstreamInputStream stream(&file);
  google::protobuf::io::GzipInputStream plain(&stream);
  v1::Graph graph;
  EXPECT_TRUE(graph.ParseFromZeroCopyStream(&plain)) << path;
  return graph;
}

// What a fault that no correction removes is about.
std::string KindOf(const v1::Finding& finding) {
  const std::string& op = finding.location().op();
  if (!finding.location().subgraph().empty()) return "in bodies of control flow";
  for (const char* family : {"FI", "GS", "CV"}) {
    if (absl::StartsWith(finding.code(), family)) return "about files, structure or coverage";
  }
  for (const char* integer : {"QLinear", "Integer", "MatMulNBits", "QGemm"}) {
    if (absl::StrContains(op, integer)) return "at integer operators";
  }
  return absl::StrContains(finding.observed(), "FLOAT8") ? "about float8" : "others";
}

struct Tally {
  int graphs = 0;
  int with_faults = 0;
  int repaired = 0;  // graphs without a fault afterwards
  int faults = 0;
  int removed = 0;
  int changes = 0;
  std::map<std::string, int> left;  // faults that no correction removes

  void Print(const char* what) const {
    std::printf(
        "%s: %d checks, %d with faults; corrections remove %d of %d faults with %d changes, %d checks then pass\n",
        what, graphs, with_faults, removed, faults, changes, repaired);
    for (const auto& [kind, count] : left) std::printf("  left: %d %s\n", count, kind.c_str());
  }
};

void CheckCorrections(const v1::Graph& graph, const std::string& name, const std::string& target, Tally& tally) {
  ++tally.graphs;
  const v1::Result before = CheckFor(graph, target);
  if (Faults(before) == 0) return;
  ++tally.with_faults;
  tally.faults += Faults(before);
  for (const v1::Correction& correction : before.corrections()) {
    EXPECT_TRUE(correction.proven()) << name;
    tally.changes += correction.changes_size();
  }
  const int named = static_cast<int>(absl::c_count_if(before.findings(), [](const v1::Finding& finding) {
    return testing::IsFault(finding) && !finding.correction().empty();
  }));
  tally.removed += named;
  for (const v1::Finding& finding : before.findings()) {
    if (testing::IsFault(finding) && finding.correction().empty()) ++tally.left[KindOf(finding)];
  }
  if (before.corrections().empty()) return;
  const v1::Result after = CheckFor(Corrected(graph, before), target);
  EXPECT_LE(Faults(after), Faults(before) - named) << name << " for " << target;
  EXPECT_TRUE(after.corrections().empty()) << name << " for " << target << ": " << after.corrections(0).summary();
  tally.repaired += Faults(after) == 0 ? 1 : 0;
}

TEST(Fixtures, AnnotatedGraphs) {
  Tally tally;
  for (const std::filesystem::path& path : Files("data/lowering/graphs", ".gz")) {
    const v1::Graph graph = ReadCompressed(path);
    for (const char* target : {"qnn_htp/V68@2.49", "qnn_htp/V79@2.49"}) {
      CheckCorrections(graph, path.filename(), target, tally);
    }
  }
  tally.Print("tests/data/lowering");
  EXPECT_GT(tally.repaired, 0);
}

TEST(Fixtures, OnnxModels) {
  Tally tally;
  for (const std::filesystem::path& path : Files("data/onnx", ".onnx")) {
    const absl::StatusOr<ImportedModel> model = ImportModel(path);
    if (!model.ok() || !Graph::Build(model->graph).ok()) continue;
    for (const char* target : {"qnn_htp/V68", "qnn_htp/V75"}) {
      v1::Report report;
      CheckOptions options;
      options.targets = {target};
      if (!Check(model->graph, options, testing::RealModules(), report).ok()) continue;
      CheckCorrections(model->graph, path.filename(), target, tally);
    }
  }
  tally.Print("tests/data/onnx");
  EXPECT_GT(tally.removed, 0);
}

}  // namespace
}  // namespace quantgate
