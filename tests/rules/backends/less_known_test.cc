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
#include <utility>
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

// Of graphs, on some targets.
class Comparison {
 public:
  explicit Comparison(const std::vector<std::string>& targets) : targets_(targets) {}

  // What is forgotten is another thing of each graph.
  void Of(const v1::Graph& graph) {
    ++graphs_;
    for (const std::string& target : targets_) {
      SCOPED_TRACE(target);
      const bool accepted = RefusedOn(graph, target).empty();
      accepted_[target] += accepted ? 1 : 0;
      for (int way = 0; way < kWaysToKnowLess; ++way) Compare(graph, target, way, accepted);
    }
  }

  int graphs() const { return graphs_; }

  // On each target there was something to compare, where all are drawn.
  void ExpectSomethingAccepted() const {
    for (const auto& [target, count] : accepted_) EXPECT_GE(count, kRarer == 1 ? 1 : 0) << target;
  }

 private:
  void Compare(v1::Graph graph, const std::string& target, int way, bool accepted) const {
    testing::KnowLess(graph, way, graphs_);
    std::set<std::string> refused = RefusedOn(graph, target);
    // A Shape, or a triangle of ones, is computed beforehand where it is known; what has no shape is not observed.
    for (const char* legitimate : {"CV201", "CV003"}) refused.erase(legitimate);
    // Sizes of run time are something of their own, which QNN does not take, and others take of some operators.
    if (way == testing::kWithoutSizes) refused.erase("GS105");
    const bool is_other =
        way >= testing::kWithoutParameters || (way == testing::kWithoutSizes && absl::StartsWith(target, "qnn_"));
    if (accepted && !is_other) EXPECT_THAT(refused, ::testing::IsEmpty()) << "way " << way;
  }

  const std::vector<std::string> targets_;
  std::map<std::string, int> accepted_;  // by target: graphs of which nothing is refused when all is known
  int graphs_ = 0;
};

void OfRecords(const std::vector<std::string>& names, int every, Comparison comparison) {
  for (const std::string& name : names) {
    simulator::ForEachGraphRecord(name, every, [&](const auto& record) { comparison.Of(record.graph); });
  }
  EXPECT_GT(comparison.graphs(), 100 / kRarer);
  comparison.ExpectSomethingAccepted();
}

void OfFiles(const std::string& folder, size_t every, v1::Graph (*read)(const std::filesystem::path&),
             Comparison comparison) {
  constexpr int kMostNodes = 60;
  for (const auto& path : FilesOf(folder, every)) {
    SCOPED_TRACE(path);
    const v1::Graph graph = read(path);
    if (graph.nodes_size() > 0 && graph.nodes_size() <= kMostNodes) comparison.Of(graph);
  }
  EXPECT_GT(comparison.graphs(), 100 / kRarer);
  comparison.ExpectSomethingAccepted();
}

// Without nodes: it cannot be imported.
v1::Graph Imported(const std::filesystem::path& path) {
  absl::StatusOr<ImportedModel> model = ImportModel(path.string(), {});
  return model.ok() ? std::move(model->graph) : v1::Graph();
}

TEST(LessKnown, OfOnnx) { OfRecords({"onnx"}, 2 * kRarer, Comparison({"onnxruntime/cpu", "qnn_htp/SM8650@2.51"})); }

TEST(LessKnown, OfLiteRt) {
  OfRecords({"litert", "litert_integers"}, 3 * kRarer,
            Comparison({"litert/reference", "litert/xnnpack", "qnn_htp/SM8650@2.51"}));
}

TEST(LessKnown, OfVela) {
  OfFiles("ethos_u", 2 * kRarer, Imported, Comparison({"ethos_u/ethos-u55-128", "ethos_u/ethos-u85-256"}));
}

TEST(LessKnown, OfPt2e) {
  OfFiles("lowering/graphs", 13 * kRarer, Unpacked,
          Comparison({"xnnpack", "x86_inductor/avx512_vnni", "qnn_lpai/SM8850", "qnn_htp/SM8350@2.49",
                      "qnn_htp/SM8750@2.49"}));
}

// Whole models: what one node says of its neighbors.
TEST(LessKnown, OfModels) {
  const auto each = [](const char* folder, const std::vector<std::string>& targets) {
    Comparison comparison(targets);
    for (const auto& path : FilesOf(folder, 1)) {
      if (absl::StartsWith(path.filename().string(), "bad") || std::filesystem::file_size(path) > (1 << 20)) continue;
      SCOPED_TRACE(path);
      const v1::Graph graph = Imported(path);
      constexpr int kDraws = kRarer > 1 ? 1 : 4;
      for (int draw = 0; draw < kDraws && graph.nodes_size() > 0; ++draw) comparison.Of(graph);
    }
    EXPECT_GT(comparison.graphs(), 1) << folder;
    return comparison;
  };
  each("onnx", {"onnxruntime/cpu", "qnn_htp/SM8650@2.51", "qnn_htp/SM8350@2.25"}).ExpectSomethingAccepted();
  each("tflite", {"litert/reference", "litert/xnnpack", "qnn_htp/SM8650@2.51", "ethos_u/ethos-u55-128"})
      .ExpectSomethingAccepted();
  // Each target leaves something of these two to another: only that they end.
  each("pt2", {"xnnpack", "x86_inductor/avx512_vnni", "qnn_htp/SM8650@2.49"});
}

}  // namespace
}  // namespace quantgate
