// Graphs of every origin with less known of them than their files say, for every backend: whatever a rule looks at may
// be missing. The check ends, and what is not known is not held against the graph.
#include "tests/rules/less_known.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "client/import.h"
#include "rules/check.h"
#include "tests/rules/real_tables.h"
#include "tests/rules/simulator/graph_record.h"

namespace quantgate {
namespace {

using testing::kWaysToKnowLess;

// Under a sanitizer each takes a hundred times as long, and what is said of it is judged without one.
#ifdef QUANTGATE_SANITIZED
constexpr int kRarer = 12;
#else
constexpr int kRarer = 1;
#endif

std::vector<std::filesystem::path> FilesOf(const std::string& folder, size_t every) {
  std::vector<std::filesystem::path> all, some;
  for (const auto& entry : std::filesystem::directory_iterator(QUANTGATE_TEST_DATA "/../data/" + folder)) {
    if (entry.path().extension() != ".md") all.push_back(entry.path());
  }
  std::sort(all.begin(), all.end());
  for (size_t i = 0; i < all.size(); i += every) some.push_back(all[i]);
  return some;
}

v1::Graph Unpacked(const std::filesystem::path& path) {
  gzFile file = gzopen(path.c_str(), "rb");
  std::string bytes;
  char buffer[1 << 14];
  for (int count; file != nullptr && (count = gzread(file, buffer, sizeof(buffer))) > 0;) bytes.append(buffer, count);
  gzclose(file);
  v1::Graph graph;
  EXPECT_TRUE(graph.ParseFromString(bytes)) << path;
  return graph;
}

// The rules by which something is refused, or left to another backend; corrections are not looked for.
std::set<std::string> RefusedOn(const v1::Graph& graph, const std::string& target) {
  CheckOptions options;
  options.corrections = false;
  const v1::Report report = testing::CheckOn(graph, target, options);
  std::set<std::string> refused;
  if (report.results().empty()) return refused;  // said by CheckOn
  for (const v1::Finding& finding : report.results(0).findings()) {
    if (finding.effect() == v1::Finding::REFUSED || finding.effect() == v1::Finding::FALLBACK) {
      refused.insert(finding.code());
    }
  }
  return refused;
}

// By target: of how many graphs nothing is refused when all is known, and is not to be with less.
std::map<std::string, int>& Accepted() {
  static auto* accepted = new std::map<std::string, int>;
  return *accepted;
}

// On each target there was something to compare, where all are drawn.
void ExpectSomethingAccepted() {
  for (const auto& [target, count] : Accepted()) EXPECT_GE(count, kRarer == 1 ? 1 : 0) << target;
  Accepted().clear();
}

// `which` draws what is forgotten.
void KnowLessOf(const v1::Graph& graph, const std::vector<std::string>& targets, int64_t which) {
  for (const std::string& target : targets) {
    SCOPED_TRACE(target);
    const bool accepted = RefusedOn(graph, target).empty();
    Accepted()[target] += accepted ? 1 : 0;
    for (int way = 0; way < kWaysToKnowLess; ++way) {
      v1::Graph less = graph;
      testing::KnowLess(less, way, which);
      std::set<std::string> refused = RefusedOn(less, target);
      // A Shape, or a triangle of ones, is computed beforehand where it is known; what has no shape is not observed.
      for (const char* legitimate : {"CV201", "CV003"}) refused.erase(legitimate);
      // Sizes of run time are something of their own, which QNN does not take, and others take of some operators.
      if (way == testing::kWithoutSizes) refused.erase("GS105");
      const bool is_other =
          way >= testing::kWithoutParameters || (way == testing::kWithoutSizes && absl::StartsWith(target, "qnn_"));
      if (accepted && !is_other) EXPECT_THAT(refused, ::testing::IsEmpty()) << "way " << way;
    }
  }
}

TEST(LessKnown, OfOnnx) {
  int64_t which = 0;
  simulator::ForEachGraphRecord("onnx", 2 * kRarer, [&](const simulator::GraphRecord& record) {
    KnowLessOf(record.graph, {"onnxruntime/cpu", "qnn_htp/SM8650@2.51"}, ++which);
  });
  EXPECT_GT(which, 100 / kRarer);
  ExpectSomethingAccepted();
}

TEST(LessKnown, OfLiteRt) {
  int64_t which = 0;
  for (const char* records : {"litert", "litert_integers"}) {
    simulator::ForEachGraphRecord(records, 3 * kRarer, [&](const simulator::GraphRecord& record) {
      KnowLessOf(record.graph, {"litert/reference", "litert/xnnpack", "qnn_htp/SM8650@2.51"}, ++which);
    });
  }
  EXPECT_GT(which, 100 / kRarer);
  ExpectSomethingAccepted();
}

TEST(LessKnown, OfVela) {
  int64_t which = 0;
  for (const auto& path : FilesOf("ethos_u", 2 * kRarer)) {
    SCOPED_TRACE(path);
    const absl::StatusOr<ImportedModel> model = ImportModel(path.string(), {});
    if (!model.ok()) continue;
    KnowLessOf(model->graph, {"ethos_u/ethos-u55-128", "ethos_u/ethos-u85-256"}, ++which);
  }
  EXPECT_GT(which, 100 / kRarer);
  ExpectSomethingAccepted();
}

TEST(LessKnown, OfPt2e) {
  int64_t which = 0;
  for (const auto& path : FilesOf("lowering/graphs", 13 * kRarer)) {
    SCOPED_TRACE(path);
    const v1::Graph graph = Unpacked(path);
    if (graph.nodes_size() > 60) continue;
    KnowLessOf(graph,
               {"xnnpack", "x86_inductor/avx512_vnni", "qnn_lpai/SM8850", "qnn_htp/SM8350@2.49", "qnn_htp/SM8750@2.49"},
               ++which);
  }
  EXPECT_GT(which, 100 / kRarer);
  ExpectSomethingAccepted();
}

// Whole models: what one node says of its neighbors.
TEST(LessKnown, OfModels) {
  const auto each = [](const char* folder, const std::vector<std::string>& targets) {
    int models = 0;
    for (const auto& path : FilesOf(folder, 1)) {
      if (absl::StartsWith(path.filename().string(), "bad") || std::filesystem::file_size(path) > (1 << 20)) continue;
      SCOPED_TRACE(path);
      const absl::StatusOr<ImportedModel> model = ImportModel(path.string(), {});
      if (!model.ok()) continue;
      constexpr int64_t kDraws = kRarer > 1 ? 1 : 4;
      for (int64_t which = 0; which < kDraws; ++which) KnowLessOf(model->graph, targets, which);
      ++models;
    }
    EXPECT_GT(models, 1) << folder;
  };
  each("onnx", {"onnxruntime/cpu", "qnn_htp/SM8650@2.51", "qnn_htp/SM8350@2.25"});
  each("tflite", {"litert/reference", "litert/xnnpack", "qnn_htp/SM8650@2.51", "ethos_u/ethos-u55-128"});
  ExpectSomethingAccepted();
  // Each target leaves something of these two to another: only that they end.
  each("pt2", {"xnnpack", "x86_inductor/avx512_vnni", "qnn_htp/SM8650@2.49"});
  Accepted().clear();
}

}  // namespace
}  // namespace quantgate
