// Damaged and hostile .pt2 bytes: an answer in bounded time and memory, whatever they are.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <optional>
#include <random>

#include "absl/strings/match.h"
#include "absl/strings/str_replace.h"
#include "client/error.h"
#include "client/import.h"
#include "client/pt2/pt2_importer.h"
#include "tests/client/files.h"
#include "tests/client/pt2/archive.h"
#include "tests/client/time_limit.h"

namespace quantgate {
namespace {

absl::Status StatusOf(const std::string& bytes, const ImportOptions& options = {}) {
  return ImportPt2(bytes, options).status();
}

std::string Good() { return ReadFile(Pt2Data() / "tinycnn.xnnpack_pc.pt2"); }

// Text of an error, code first.
std::string ErrorOf(const absl::Status& status) { return ErrorCode(status) + ": " + std::string(status.message()); }

TEST(Pt2Hostile, CutAnywhere) {
  const std::string bytes = Good();
  ASSERT_TRUE(StatusOf(bytes).ok());
  for (size_t i = 0; i < 50; ++i) EXPECT_EQ(ErrorCode(StatusOf(bytes.substr(0, bytes.size() * i / 50))), "FI001") << i;
  EXPECT_EQ(ErrorCode(StatusOf(bytes.substr(0, bytes.size() - 20))), "FI001");
  EXPECT_EQ(ErrorCode(StatusOf(bytes.substr(20))), "FI001");
}

TEST(Pt2Hostile, FlippedBytes) {
  std::mt19937 random(1);
  const std::string good = Good();
  int imported = 0;
  for (int round = 0; round < 2000; ++round) {
    std::string bytes = good;
    for (int flips = 1 + static_cast<int>(random() % 4); flips > 0; --flips) {
      bytes[random() % bytes.size()] = static_cast<char>(random());
    }
    const absl::StatusOr<v1::Graph> graph = ImportPt2(bytes, {});
    imported += graph.ok() ? 1 : 0;
    if (!graph.ok()) {
      EXPECT_TRUE(absl::StartsWith(ErrorCode(graph.status()), "FI00")) << graph.status();
      EXPECT_FALSE(absl::StrContains(graph.status().message(), '\n'));
    }
  }
  EXPECT_GT(imported, 0);
}

// Bytes of the program's text instead of those of the archive, whose checksums would find them.
TEST(Pt2Hostile, FlippedText) {
  std::mt19937 random(1);
  Program program;
  program.inputs = Tensor("x");
  program.specs = UserInput("x");
  program.outputs = Tensor("y");
  program.nodes = NodeJson("torch.ops.aten.relu.default", Argument("self", Tensor("x")), Tensor("y"), "y");
  program.tensors = absl::StrCat("\"x\": ", MetaJson(7, {2}), ", \"y\": ", MetaJson(7, {2}));
  Members members = program.Files();
  const std::string text = program.Json();
  ASSERT_TRUE(StatusOf(Zip(members)).ok());
  int imported = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string& changed = members["m/models/model.json"] = text;
    changed[random() % changed.size()] = static_cast<char>(random());
    const absl::StatusOr<v1::Graph> graph = ImportPt2(Zip(members), {});
    imported += graph.ok() ? 1 : 0;
    if (graph.ok()) {
      v1::Graph again;
      EXPECT_TRUE(again.ParseFromString(graph->SerializeAsString()));  // names stayed UTF-8
    } else {
      EXPECT_EQ(ErrorCode(graph.status()), "FI001") << graph.status();
    }
  }
  EXPECT_GT(imported, 100);
}

TEST(Pt2Hostile, Expansion) {
  Members members = Program().Files();
  members["m/zeros"] = std::string(size_t{8} << 20, '\0');
  EXPECT_TRUE(absl::StartsWith(ErrorOf(StatusOf(Zip(members))), "FI002: its member 'm/zeros' expands "));
  EXPECT_TRUE(StatusOf(Zip(members, ZIP_CM_STORE)).ok());
}

TEST(Pt2Hostile, OtherArchives) {
  const auto error = [](const Members& members) { return ErrorOf(StatusOf(Zip(members))); };
  EXPECT_TRUE(absl::StrContains(error({{"a.txt", "a"}}), "no exported program"));
  EXPECT_TRUE(absl::StrContains(error({{"m/data.pkl", "a"}}), "checkpoint"));
  EXPECT_TRUE(absl::StrContains(error({{"m/data.pkl", "a"}, {"m/constants.pkl", "a"}}), "TorchScript"));
  EXPECT_TRUE(absl::StrContains(error({{"serialized_exported_program.json", "{}"}}), "before 2.8"));
  EXPECT_TRUE(absl::StrContains(error({{"m/archive_format", "pt3"}}), "'pt3'"));
  EXPECT_TRUE(absl::StrContains(error({{"m/archive_format", "pt2\n"}}), "says 'pt2\\n', not 'pt2'"));
  Members members = Program().Files();
  members.erase("m/models/model.json");
  EXPECT_TRUE(absl::StrContains(error(members), "has no program"));
  members["m/byteorder"] = "big";
  EXPECT_TRUE(absl::StrContains(error(members), "byte order"));
}

// What torch.export.load accepts and refuses of them.
TEST(Pt2Hostile, VersionsOfTheArchive) {
  const auto error = [](const std::string& member, const std::optional<std::string>& text) {
    Members members = Program().Files();
    members.erase(member);
    if (text) members[member] = *text;
    return ErrorOf(StatusOf(Zip(members)));
  };
  EXPECT_EQ(error("m/archive_version", "0"), "OK: ");
  EXPECT_EQ(error("m/archive_version", "99"),
            "FI001: m/archive_version: has archive version '99'; this version reads '0'");
  EXPECT_EQ(error("m/archive_version", "0\n"),
            "FI001: m/archive_version: has archive version '0\\n'; this version reads '0'");
  for (const char* version : {"", "abc", "00", " 0", "1"}) {
    EXPECT_TRUE(absl::StartsWith(error("m/archive_version", version), "FI001: m/archive_version: has")) << version;
  }
  EXPECT_TRUE(absl::StartsWith(error("m/archive_version", std::nullopt), "FI001: m/archive_version: is missing"));
  for (const char* version : {"1", "3\n", " 10", "+6", "6x"}) EXPECT_EQ(error("m/.data/version", version), "OK: ");
  for (const char* version : {"", "abc", "0", "11", "-1", "-", "99999999999999999999"}) {
    EXPECT_TRUE(absl::StartsWith(error("m/.data/version", version), "FI001: m/.data/version: is version '")) << version;
  }
  EXPECT_TRUE(absl::StartsWith(error("m/.data/version", std::nullopt), "FI001: m/.data/version: is missing"));
  EXPECT_TRUE(absl::StartsWith(error("m/archive_version", std::string(65, '0')), "FI002: "));
  Members older = Program().Files();
  older["m/version"] = older["m/.data/version"];
  older.erase("m/.data/version");
  EXPECT_TRUE(StatusOf(Zip(older)).ok());
  older["m/version"] = "11";
  EXPECT_TRUE(absl::StartsWith(ErrorOf(StatusOf(Zip(older))), "FI001: m/version: is version '11'"));
}

TEST(Pt2Hostile, ProgramsThatDoNotHold) {
  const auto error = [](const std::string& json) {
    Members members = Program().Files();
    members["m/models/model.json"] = json;
    return ErrorOf(StatusOf(Zip(members)));
  };
  const std::string version = R"("schema_version": {"major": 8})";
  EXPECT_TRUE(absl::StartsWith(error("{\"a\": "), "FI001: m/models/model.json: is no JSON"));
  EXPECT_TRUE(absl::StartsWith(error("[]"), "FI001: m/models/model.json: has schema version none"));
  EXPECT_TRUE(absl::StrContains(error("{" + version + ", " + version + "}"), "the key 'schema_version' twice"));
  EXPECT_TRUE(absl::StrContains(error("{\"a\": \"\xe9\"}"), "encoding"));
  EXPECT_TRUE(absl::StrContains(error("{" + version + "}"), "no graph_module"));
  const std::string empty = "{" + version + R"(, "graph_module": {"graph": {})";
  EXPECT_TRUE(absl::StrContains(error(empty + "}}"), "no graph_module with a signature"));
  EXPECT_TRUE(absl::StrContains(error(empty + R"(, "signature": {}}})"), "lacks its inputs"));
  Program program;
  program.nodes = "{}";
  EXPECT_TRUE(absl::StrContains(error(program.Json()), "node 0: lacks its target"));
  program.nodes = NodeJson("torch.ops.aten.relu.default", R"({"name": "self"})", "", "relu");
  EXPECT_TRUE(absl::StrContains(error(program.Json()), "node 'relu': argument 0 has no value"));
  program.nodes = NodeJson("torch.ops.aten.relu.default", "", "", "relu");
  EXPECT_EQ(ErrorCode(StatusOf(program.Bytes(), {.max_nodes = 0})), "FI002");
}

TEST(Pt2Hostile, Depth) {
  Program program;
  std::string inner = program.Graph();
  for (int i = 0; i < 20; ++i) {
    program.nodes =
        NodeJson("torch.ops.higher_order.cond",
                 Argument("", absl::StrCat(R"({"as_graph": {"name": "b", "graph": )", inner, "}}")), "", "n");
    inner = program.Graph();
  }
  EXPECT_TRUE(absl::StrContains(ErrorOf(StatusOf(program.Bytes())), "bodies within bodies"));
  Members members = Program().Files();
  members["m/models/model.json"] = std::string(1 << 20, '[');
  EXPECT_EQ(ErrorCode(StatusOf(Zip(members, ZIP_CM_STORE))), "FI002");
}

// Texts that ask for much memory, and weights that many tensors share.
TEST(Pt2Hostile, Amounts) {
  rusage before{}, after{};
  getrusage(RUSAGE_SELF, &before);
  const double start = CpuSeconds();
  Members members = Program().Files();
  std::string& text = members["m/models/model.json"];
  text = "[";
  while (text.size() < (size_t{20} << 20)) text += "[],";
  EXPECT_EQ(ErrorCode(StatusOf(Zip(members, ZIP_CM_STORE))), "FI002");

  // A thousand parameters, each a view of 2^40 elements of one byte.
  Program shared;
  shared.members["weight_0"] = std::string(1, 'w');
  for (int i = 0; i < 1000; ++i) {
    const std::string name = absl::StrCat("p", i);
    absl::StrAppend(&shared.inputs, i == 0 ? "" : ",", Tensor(name));
    absl::StrAppend(&shared.specs, i == 0 ? "" : ",", Parameter(name, name));
    const std::string meta = MetaJson(2, {int64_t{1} << 40}, {0});
    absl::StrAppend(&shared.tensors, i == 0 ? "" : ",", "\"", name, "\": ", meta);
    absl::StrAppend(&shared.weights, i == 0 ? "" : ",", "\"", name, "\": ", Payload("weight_0", meta));
  }
  EXPECT_TRUE(StatusOf(shared.Bytes()).ok());
  EXPECT_LT(CpuSeconds() - start, 2 * kMaxSeconds);
  getrusage(RUSAGE_SELF, &after);
#ifdef NDEBUG
  EXPECT_LT(after.ru_maxrss - before.ru_maxrss, 512 << 10);  // KiB
#endif
}

}  // namespace
}  // namespace quantgate
