// Real quantized models, and what an importer must find in them (written down by a tool that is not ours). Set
// QUANTGATE_ONNX_FIXTURES to a folder with cases.jsonl, qparams.jsonl and the models to run over another collection.
#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/match.h"
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

std::filesystem::path Folder() { return testing::FixtureFolder("QUANTGATE_ONNX_FIXTURES", OnnxData()); }

// "INT8", as ONNX writes it.
std::string OnnxTypeName(v1::DataType dtype) {
  return absl::StrReplaceAll(v1::DataType_Name(dtype).substr(10), {{"_", ""}});
}

std::vector<double> Numbers(const v1::Constant& constant) {
  std::vector<double> numbers(constant.reals().begin(), constant.reals().end());
  numbers.insert(numbers.end(), constant.ints().begin(), constant.ints().end());
  return numbers;
}

// What differs; empty when the node is as the line says.
std::string CompareQdq(const v1::Graph& graph, const v1::Node& node, const Struct& line) {
  const v1::Value& data = graph.values(node.inputs(0) - 1);
  if (data.name() != Text(line, "tensor")) return "tensor " + data.name();
  if (data.has_constant() != Field(line, "const").bool_value()) return "const";
  const bool dequantizes = Text(line, "op") == "DequantizeLinear";
  const v1::Value& quantized = dequantizes ? data : graph.values(node.outputs(0) - 1);
  if (OnnxTypeName(quantized.dtype()) != Text(line, "dtype")) return "dtype " + OnnxTypeName(quantized.dtype());
  const v1::Attribute* block = AttributeNamed(graph, node, "block_size");
  if ((block != nullptr ? block->i() : 0) != Number(line, "block_size")) return "block_size";
  const v1::Attribute* axis = AttributeNamed(graph, node, "axis");
  if (Field(line, "axis").has_number_value() && (axis != nullptr ? axis->i() : 1) != Number(line, "axis"))
    return "axis";
  const std::vector<double> scales = Numbers(graph.values(node.inputs(1) - 1).constant());
  if (scales.size() != Number(line, "n")) return "number of scales " + std::to_string(scales.size());
  const auto [low, high] = std::minmax_element(scales.begin(), scales.end());
  if (!IsClose(scales[0], Number(line, "scale0"))) return "first scale";
  if (!IsClose(*low, Number(line, "scale_min")) || !IsClose(*high, Number(line, "scale_max"))) return "scales";
  std::vector<double> zero_points = {0};
  if (node.inputs_size() > 2 && node.inputs(2) != 0) {
    zero_points = Numbers(graph.values(node.inputs(2) - 1).constant());
    if (zero_points.size() != scales.size()) return "number of zero points";
  }
  const auto [zp_low, zp_high] = std::minmax_element(zero_points.begin(), zero_points.end());
  if (*zp_low != Number(line, "zp_min") || *zp_high != Number(line, "zp_max")) return "zero points";
  return "";
}

std::string CompareMatMulNBits(const v1::Graph& graph, const v1::Node& node, const Struct& line) {
  for (const std::string name : {"bits", "block_size", "K", "N"}) {
    const v1::Attribute* attribute = AttributeNamed(graph, node, name);
    if (attribute == nullptr || attribute->i() != Number(line, name)) return name;
  }
  const bool has_zero_points = node.inputs_size() > 3 && node.inputs(3) != 0;
  if (has_zero_points != Field(line, "zero_points").bool_value()) return "zero_points";
  const int64_t blocks = std::ceil(Number(line, "K") / Number(line, "block_size"));
  const v1::Value& scales = graph.values(node.inputs(2) - 1);
  if (scales.constant().reals_size() != blocks * Number(line, "N")) return "number of scales";
  return "";
}

std::string Compare(const v1::Graph& graph, const Struct& line) {
  const v1::Node& node = NodeNamed(graph, Text(line, "node"));
  std::string op = Text(line, "op");
  if (line.fields().contains("domain") && !Text(line, "domain").empty()) op = Text(line, "domain") + "::" + op;
  if (op == "MatMulNBits") op = "com.microsoft::MatMulNBits";
  if (SymbolOf(graph, node.op()) != op) return "operator " + SymbolOf(graph, node.op());
  if (line.fields().contains("scale0")) return CompareQdq(graph, node, line);
  if (line.fields().contains("K")) return CompareMatMulNBits(graph, node, line);
  return "";
}

TEST(OnnxFixtures, QParamsAreExtracted) {
  if (kMapsDiffer) GTEST_SKIP() << "reads its cases with protobuf maps, which ThreadSanitizer builds cannot";
  testing::CompareEveryLine(Folder(), "onnx", 50, Compare);
}

// A file imports, or says in one line why not, and does so quickly; what is expected of a case decides which.
TEST(OnnxFixtures, EveryFileImportsOrFailsCleanly) {
  if (kMapsDiffer) GTEST_SKIP() << "reads its cases with protobuf maps, which ThreadSanitizer builds cannot";
  testing::ImportEveryFile(Folder(), [](const Struct& line, const absl::StatusOr<ImportedModel>& model) {
    const std::string file = Text(line, "file");
    bool unreadable = false;
    for (const auto& expected : Field(line, "expect").list_value().values()) {
      const std::string kind = Text(expected.struct_value(), "class");
      unreadable |= kind == "file-integrity" || kind == "limit";
    }
    if (!absl::StrContains(file, "bitflips")) {
      EXPECT_EQ(!model.ok(), unreadable) << file << " " << model.status();
    }
    if (!model.ok()) return;
    std::string bytes;
    v1::Graph again;
    EXPECT_TRUE(model->graph.SerializeToString(&bytes) && again.ParseFromString(bytes)) << file;
  });
}

}  // namespace
}  // namespace quantgate
