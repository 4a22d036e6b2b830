// A constant means the same whether its elements are listed or are bytes: the model files of the repository, taken in
// both ways.
#include <gtest/gtest.h>

#include <filesystem>

#include "absl/strings/match.h"
#include "client/import.h"
#include "client/report/json.h"
#include "rules/check.h"
#include "rules/graph/digest.h"
#include "rules/graph/elements.h"
#include "tests/client/files.h"
#include "tests/rules/real_tables.h"

namespace quantgate {
namespace {

int CountPacked(const v1::Graph& graph) {
  int packed = 0;
  for (const v1::Value& value : graph.values()) packed += IsPacked(value) ? 1 : 0;
  for (const v1::Graph& body : graph.subgraphs()) packed += CountPacked(body);
  return packed;
}

void ListAll(v1::Graph& graph) {
  for (v1::Value& value : *graph.mutable_values()) ListElements(value);
  for (v1::Graph& body : *graph.mutable_subgraphs()) ListAll(body);
}

std::string ReportOn(const v1::Graph& graph) {
  CheckOptions options;
  options.targets = {"qnn_htp/SM8650@2.51", "onnxruntime/cpu", "xnnpack", "openvino"};
  v1::Report report;
  const absl::Status status = Check(graph, options, testing::RealModules(), report);
  const absl::StatusOr<std::string> json = ToJson(report);
  return status.ok() && json.ok() ? *json : status.ToString();
}

// Under a sanitizer each file takes a hundred times as long.
#ifdef QUANTGATE_SANITIZED
constexpr int kEvery = 5;
#else
constexpr int kEvery = 1;
#endif

TEST(PackedConstants, AreTheSameToEveryRule) {
  int seen = 0, files = 0, packed = 0;
  for (const auto& entry : std::filesystem::directory_iterator(OnnxData())) {
    if (!absl::EndsWith(entry.path().string(), ".onnx") || seen++ % kEvery != 0) continue;
    const absl::StatusOr<ImportedModel> listed = ImportModel(entry.path().string());
    ImportOptions options;
    options.pack_from = 1;
    absl::StatusOr<ImportedModel> bytes = ImportModel(entry.path().string(), options);
    ASSERT_EQ(listed.status(), bytes.status()) << entry.path();
    if (!listed.ok()) continue;
    SCOPED_TRACE(entry.path().string());
    ++files;
    packed += CountPacked(bytes->graph);
    EXPECT_EQ(CountPacked(listed->graph), 0);
    EXPECT_EQ(GraphDigest(bytes->graph), GraphDigest(listed->graph));
    EXPECT_EQ(ReportOn(bytes->graph), ReportOn(listed->graph));
    ListAll(bytes->graph);
    EXPECT_EQ(bytes->graph.SerializeAsString(), listed->graph.SerializeAsString());
  }
  EXPECT_GT(files, 50 / kEvery);
  EXPECT_GT(packed, kEvery == 1 ? 900 : 0);
}

}  // namespace
}  // namespace quantgate
