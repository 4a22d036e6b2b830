// Damaged and hostile LiteRT bytes: an answer in bounded time and memory, whatever they are.
#include <sys/resource.h>

#include <random>

#include "absl/strings/match.h"
#include "client/error.h"
#include "client/import.h"
#include "client/tflite/tflite_importer.h"
#include "gtest/gtest.h"
#include "tests/client/files.h"
#include "tests/client/tflite/model.h"
#include "tests/client/time_limit.h"

namespace quantgate {
namespace {

absl::Status Import(const std::string& bytes, const ImportOptions& options = {}) {
  return ImportTflite(bytes, "", options).status();
}

TEST(TfliteHostile, CutAnywhere) {
  const std::string bytes = ReadFile(TfliteData() / "dscnn.int8.tflite");
  for (size_t i = 0; i < 50; ++i) {
    EXPECT_EQ(ErrorCode(Import(bytes.substr(0, bytes.size() * i / 50))), "FI001") << i;
  }
  EXPECT_TRUE(Import(bytes).ok());
  // Wherever the bytes lie in memory.
  for (size_t shift = 1; shift < 16; ++shift) {
    const std::string shifted = std::string(shift, '\0') + bytes;
    EXPECT_TRUE(ImportTflite(absl::string_view(shifted).substr(shift), "", {}).ok());
  }
}

TEST(TfliteHostile, FlippedBytes) {
  std::mt19937 random(1);
  int imported = 0;
  for (const char* name : {"conv1d.int16x8.tflite", "lstm.aeq_dynamic_wi8_afp32.tflite"}) {
    const std::string good = ReadFile(TfliteData() / name);
    for (int round = 0; round < 3000; ++round) {
      std::string bytes = good;
      for (int flips = 1 + static_cast<int>(random() % 8); flips > 0; --flips) {
        bytes[random() % bytes.size()] = static_cast<char>(random());
      }
      const absl::StatusOr<v1::Graph> graph = ImportTflite(bytes, "", {});
      if (graph.ok()) {
        ++imported;
        v1::Graph again;
        EXPECT_TRUE(again.ParseFromString(graph->SerializeAsString()));  // names stayed UTF-8
      } else {
        EXPECT_TRUE(absl::StartsWith(ErrorCode(graph.status()), "FI00")) << graph.status();
      }
    }
  }
  EXPECT_GT(imported, 100);
}

// A file of one subgraph table, listed `copies` times, whose tensors are one table, listed `copies` times.
std::string Shared(int copies, int name_bytes) {
  flatbuffers::FlatBufferBuilder fbb;
  const auto tensor = tflite::CreateTensorDirect(fbb, nullptr, 0, 0, std::string(name_bytes, 'n').c_str());
  const std::vector<flatbuffers::Offset<tflite::Tensor>> tensors(copies, tensor);
  const auto subgraph = tflite::CreateSubGraphDirect(fbb, &tensors);
  const std::vector<flatbuffers::Offset<tflite::SubGraph>> subgraphs(copies, subgraph);
  tflite::FinishModelBuffer(fbb, tflite::CreateModelDirect(fbb, 3, nullptr, &subgraphs));
  return {reinterpret_cast<const char*>(fbb.GetBufferPointer()), fbb.GetSize()};
}

TEST(TfliteHostile, SharedTablesDoNotBecomeLargeStructure) {
  rusage before{}, after{};
  getrusage(RUSAGE_SELF, &before);
  const double start = CpuSeconds();
  // 10,000 tensors with one name of 64 KiB.
  const std::string names = Shared(100, 1 << 16);
  absl::Status status = Import(names);
  EXPECT_EQ(ErrorCode(status), "FI002");
  EXPECT_TRUE(absl::StrContains(status.message(), "bytes")) << status;
  // More tables than any model has: 9,000,000 tensors in 40 KiB.
  EXPECT_EQ(ErrorCode(Import(Shared(3000, 1))), "FI001");
  EXPECT_LT(CpuSeconds() - start, kMaxSeconds);
  getrusage(RUSAGE_SELF, &after);
  EXPECT_LT(after.ru_maxrss - before.ru_maxrss, 512 << 10);  // KiB
}

TEST(TfliteHostile, OperatorsAreLimited) {
  TfliteModel model;
  TfliteSubgraph subgraph;
  subgraph.tensors = {{.name = "x", .shape = {1}}};
  subgraph.operators.assign(1000, {.code = 0, .inputs = {0}, .outputs = {0}});
  model.subgraphs = {subgraph, subgraph};
  const std::string bytes = WriteTflite(model);
  EXPECT_TRUE(Import(bytes, {.max_nodes = 2000}).ok());
  const absl::Status status = Import(bytes, {.max_nodes = 1999});
  EXPECT_EQ(ErrorCode(status), "FI002");
  EXPECT_TRUE(absl::StrContains(status.message(), "1999 operators")) << status;
}

TEST(TfliteHostile, DimensionsAreNeverAllocated) {
  TfliteModel model;
  TfliteSubgraph subgraph;
  constexpr int32_t kHuge = 2147483647;
  subgraph.tensors = {{.name = "w",
                       .type = kTfliteInt8,
                       .shape = {kHuge, kHuge, kHuge},
                       .buffer = 1,
                       .scales = {1, 2},
                       .zero_points = {0, 0}}};
  model.subgraphs = {subgraph};
  model.buffers = {"abc"};
  EXPECT_TRUE(Import(WriteTflite(model)).ok());
}

}  // namespace
}  // namespace quantgate
