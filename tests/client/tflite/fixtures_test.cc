// Real quantized models, and what an importer must find in them (written down by LiteRT's own schema reader). Set
// QUANTGATE_TFLITE_FIXTURES to a folder with cases.jsonl, qparams.jsonl and the models to run over another collection.
#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "client/import.h"
#include "gtest/gtest.h"
#include "tests/client/files.h"
#include "tests/client/fixture_imports.h"
#include "tests/client/fixture_lines.h"
#include "tests/client/onnx/model.h"

namespace quantgate {
namespace {

using testing::Field;
using testing::IsClose;
using testing::kMapsDiffer;
using testing::Number;
using testing::Struct;
using testing::Text;

std::filesystem::path Folder() { return testing::FixtureFolder("QUANTGATE_TFLITE_FIXTURES", TfliteData()); }

// "INT8", as the schema writes it.
std::string TypeName(v1::DataType dtype) { return v1::DataType_Name(dtype).substr(10); }

// Details name the tensor of scales and the size of blocks; the scales must be that tensor's.
std::string CompareBlocks(const v1::Graph& graph, const v1::Value& value, const v1::QParams& qparams,
                          const Struct& details) {
  if (qparams.block_sizes().empty()) return "no blocks";
  if (qparams.block_sizes().rbegin()[0] != Number(details, "blockSize")) return "block size";
  const v1::Value& scales = graph.values(static_cast<int>(Number(details, "scales")));
  int64_t count = 1;
  for (int64_t size : scales.dims()) count *= size;
  if (qparams.scales_size() != count) return absl::StrCat("number of scales ", qparams.scales_size());
  const auto [low, high] = std::minmax_element(qparams.scales().begin(), qparams.scales().end());
  if (*low != scales.constant().statistics().min() || *high != scales.constant().statistics().max()) return "scales";
  return qparams.scale_type() == scales.dtype() ? "" : "type of scales";
}

// What differs; empty when the tensor is as the line says.
std::string Compare(const v1::Graph& model, const Struct& line) {
  const int subgraph = static_cast<int>(Number(line, "subgraph"));
  const v1::Graph& graph = subgraph == 0 ? model : model.subgraphs(subgraph - 1);
  const v1::Value& value = graph.values(static_cast<int>(Number(line, "tensor")));
  if (value.name() != Text(line, "name")) return "name " + value.name();
  if (TypeName(value.dtype()) != Text(line, "dtype")) return "dtype " + TypeName(value.dtype());
  // The lists do not know of bytes behind the tables.
  if (!value.has_constant() && Field(line, "const").bool_value()) return "const";
  if (value.spec() == 0) return "no spec";
  const v1::QParams& qparams = graph.specs(value.spec() - 1).qparams();
  if (line.fields().contains("details")) {
    return CompareBlocks(graph, value, qparams, Field(line, "details").struct_value());
  }
  if (qparams.scales_size() != Number(line, "n")) return absl::StrCat("number of scales ", qparams.scales_size());
  const bool per_axis = Field(line, "axis").has_number_value();
  if (per_axis != (qparams.axes_size() == 1)) return "axes";
  if (per_axis && qparams.axes(0) != Number(line, "axis")) return "axis";
  const auto [low, high] = std::minmax_element(qparams.scales().begin(), qparams.scales().end());
  if (!IsClose(qparams.scales(0), Number(line, "scale0"))) return "first scale";
  if (!IsClose(*low, Number(line, "scale_min")) || !IsClose(*high, Number(line, "scale_max"))) return "scales";
  const auto [zp_low, zp_high] = std::minmax_element(qparams.zero_points().begin(), qparams.zero_points().end());
  if (qparams.zero_points_size() != qparams.scales_size()) return "number of zero points";
  return *zp_low == Number(line, "zp_min") && *zp_high == Number(line, "zp_max") ? "" : "zero points";
}

TEST(TfliteFixtures, QParamsAreExtracted) {
  if (kMapsDiffer) GTEST_SKIP() << "reads its cases with protobuf maps, which ThreadSanitizer builds cannot";
  testing::CompareEveryLine(Folder(), "tflite", 50, Compare);
}

struct Counts {
  int tensors = 0;
  int operators = 0;
  std::map<std::string, int> ops;
  std::map<std::string, int> types;
};

void Count(const v1::Graph& graph, Counts& counts) {
  counts.tensors += graph.values_size();
  counts.operators += graph.nodes_size();
  for (const v1::Value& value : graph.values()) ++counts.types[TypeName(value.dtype())];
  for (const v1::Node& node : graph.nodes()) ++counts.ops[SymbolOf(graph, node.op())];
  for (const v1::Graph& subgraph : graph.subgraphs()) Count(subgraph, counts);
}

std::map<std::string, int> Numbers(const Struct& facts, const std::string& name) {
  std::map<std::string, int> numbers;
  for (const auto& [key, value] : Field(facts, name).struct_value().fields()) {
    numbers[key] = static_cast<int>(value.number_value());
  }
  return numbers;
}

// A file imports whole, or says in one line why not, and does so quickly; what is expected of a case decides which.
TEST(TfliteFixtures, EveryFileImportsOrFailsCleanly) {
  if (kMapsDiffer) GTEST_SKIP() << "reads its cases with protobuf maps, which ThreadSanitizer builds cannot";
  testing::ImportEveryFile(Folder(), [](const Struct& line, const absl::StatusOr<ImportedModel>& model) {
    if (!model.ok() || !Field(line, "good").bool_value()) return;
    const std::string file = Text(line, "file");
    const Struct& facts = Field(line, "facts").struct_value();
    Counts counts;
    Count(model->graph, counts);
    EXPECT_EQ(1 + model->graph.subgraphs_size(), Number(facts, "subgraphs")) << file;
    EXPECT_EQ(counts.tensors, Number(facts, "tensors")) << file;
    EXPECT_EQ(counts.operators, Number(facts, "operators")) << file;
    EXPECT_EQ(counts.ops, Numbers(facts, "ops")) << file;
    EXPECT_EQ(counts.types, Numbers(facts, "tensor_types")) << file;
  });
}

}  // namespace
}  // namespace quantgate
