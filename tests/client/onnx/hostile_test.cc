// Damaged and hostile ONNX bytes: an answer in bounded time and memory, whatever they are.
#include <sys/resource.h>

#include <random>

#include "absl/strings/match.h"
#include "client/error.h"
#include "client/import.h"
#include "client/onnx/onnx_importer.h"
#include "gtest/gtest.h"
#include "tests/client/files.h"
#include "tests/client/onnx/model.h"
#include "tests/client/time_limit.h"

namespace quantgate {
namespace {

absl::Status Import(const std::string& bytes, const ImportOptions& options = {}) {
  return ImportOnnx(bytes, "", options).status();
}

TEST(OnnxHostile, CutAnywhere) {
  for (const char* name : {"tiny.qdq_u8s8.onnx", "tiny.qdq_a16w4.onnx"}) {
    const std::string bytes = ReadFile(OnnxData() / name);
    const TempFolder folder;
    for (size_t i = 0; i < 50; ++i) {
      const absl::Status status = ImportModel(folder.Write("m.onnx", bytes.substr(0, bytes.size() * i / 50))).status();
      EXPECT_EQ(ErrorCode(status), "FI001") << name << " at " << i << "/50";
    }
    EXPECT_EQ(ErrorCode(Import(bytes.substr(0, bytes.size() - 1))), "FI001");
    EXPECT_TRUE(Import(bytes).ok());
  }
}

TEST(OnnxHostile, FlippedBytes) {
  const std::string good = ReadFile(OnnxData() / "tiny.qdq_u8s8.onnx");
  std::mt19937 random(1);
  int imported = 0;
  for (int round = 0; round < 2000; ++round) {
    std::string bytes = good;
    for (int flips = 1 + static_cast<int>(random() % 16); flips > 0; --flips) {
      bytes[random() % bytes.size()] = static_cast<char>(random());
    }
    const absl::StatusOr<v1::Graph> graph = ImportOnnx(bytes, "");
    if (graph.ok()) {
      ++imported;
      v1::Graph again;
      EXPECT_TRUE(again.ParseFromString(graph->SerializeAsString()));  // names stayed UTF-8
    } else {
      EXPECT_TRUE(absl::StartsWith(ErrorCode(graph.status()), "FI00")) << graph.status();
    }
  }
  EXPECT_GT(imported, 0);
}

TEST(OnnxHostile, TwoGigabytesClaimedInAHundredBytes) {
  // graph { initializer { raw_data: <2^31-1 bytes> } }, all lengths lying.
  const std::string claim = "\xff\xff\xff\xff\x07";
  const std::string bytes = "\x08\x0a\x3a" + claim + "\x2a" + claim + "\x4a" + claim + std::string(80, 'x');
  const absl::Status status = Import(bytes);
  EXPECT_EQ(ErrorCode(status), "FI001");
  EXPECT_TRUE(absl::StrContains(status.message(), "claims 2147483647 bytes")) << status;
}

TEST(OnnxHostile, NestingIsLimited) {
  EXPECT_EQ(ErrorCode(ImportModel((OnnxData() / "bad.nesting60.onnx").string()).status()), "FI002");
  const auto nested = [](int depth) {
    onnx::ModelProto model = EmptyModel();
    onnx::GraphProto* graph = model.mutable_graph();
    for (int i = 0; i < depth; ++i) {
      onnx::AttributeProto* attribute = AddNode(graph, "If", "if", {"c"}, {"y"})->add_attribute();
      attribute->set_type(onnx::AttributeProto::GRAPH);
      graph = attribute->mutable_g();
    }
    return model.SerializeAsString();
  };
  EXPECT_TRUE(Import(nested(16)).ok());
  EXPECT_EQ(ErrorCode(Import(nested(17))), "FI002");
}

TEST(OnnxHostile, HundredThousandNodesAreFastAndTheLimitHolds) {
  onnx::ModelProto model = EmptyModel();
  constexpr int kNodes = 100'000;
  for (int i = 0; i < kNodes; ++i) {
    // A ring.
    AddNode(model.mutable_graph(), "Relu", "n", {"v" + std::to_string(i)}, {"v" + std::to_string((i + 1) % kNodes)});
  }
  const std::string bytes = model.SerializeAsString();
  const double start = CpuSeconds();
  EXPECT_TRUE(Import(bytes).ok());
  EXPECT_LT(CpuSeconds() - start, kMaxSeconds);
  const absl::Status status = Import(bytes, {.max_nodes = kNodes - 1});
  EXPECT_EQ(ErrorCode(status), "FI002");
  EXPECT_TRUE(absl::StrContains(status.message(), "99999 nodes")) << status;
}

TEST(OnnxHostile, SmallFileDoesNotBecomeLargeStructure) {
  // 32 MB of empty attributes in one node would be 3 GB of objects.
  std::string node;
  for (int i = 0; i < 16 << 20; ++i) node.append("\x2a\0", 2);
  std::string bytes = "\x08\x0a\x3a";
  const auto length = [](size_t n) {
    std::string varint;
    for (; n >= 128; n >>= 7) varint += static_cast<char>((n & 127) | 128);
    return varint + static_cast<char>(n);
  };
  const std::string graph = "\x0a" + length(node.size()) + node;
  bytes += length(graph.size()) + graph;
  rusage before{}, after{};
  getrusage(RUSAGE_SELF, &before);
  const absl::Status status = Import(bytes);
  getrusage(RUSAGE_SELF, &after);
  EXPECT_EQ(ErrorCode(status), "FI002");
  EXPECT_TRUE(absl::StrContains(status.message(), "bytes in memory")) << status;
  EXPECT_LT(after.ru_maxrss - before.ru_maxrss, 64 << 10);  // KiB
}

TEST(OnnxHostile, DimensionsAreNeverAllocated) {
  onnx::ModelProto model = EmptyModel();
  onnx::GraphProto* graph = model.mutable_graph();
  AddTensor(graph, "w", onnx::TensorProto::INT8, {int64_t{1} << 40, 1})->set_raw_data("abc");
  onnx::TensorProto* scale = AddTensor(graph, "s", onnx::TensorProto::FLOAT, {int64_t{1} << 40});
  scale->add_float_data(1);
  AddNode(graph, "DequantizeLinear", "dq", {"w", "s"}, {"y"})->add_attribute()->set_name("axis");
  EXPECT_TRUE(Import(model.SerializeAsString()).ok());
}

}  // namespace
}  // namespace quantgate
