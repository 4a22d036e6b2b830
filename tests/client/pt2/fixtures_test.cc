// Real exported programs, and what an importer must find in them (written down by torch). Set QUANTGATE_PT2_FIXTURES to
// a folder with cases.jsonl, qparams.jsonl and the models to run over another collection.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "client/import.h"
#include "tests/client/files.h"
#include "tests/client/fixture_imports.h"
#include "tests/client/fixture_lines.h"
#include "tests/client/onnx/model.h"

namespace quantgate {
namespace {

using testing::Field;
using testing::kMapsDiffer;
using testing::Struct;
using testing::Text;

std::filesystem::path Folder() { return testing::FixtureFolder("QUANTGATE_PT2_FIXTURES", Pt2Data()); }

// Operands of quantize and dequantize nodes; scale and zero point of a tensor are operands where they are computed.
const std::map<std::string, int>& Operands() {
  static const auto& operands =
      *new std::map<std::string, int>{{"input", 0}, {"scales", 1}, {"zero_points", 2}, {"scale", 1}, {"zero_point", 2}};
  return operands;
}

// What differs; empty when the node is as the line says.
std::string Compare(const v1::Graph& graph, const Struct& line) {
  const v1::Node* node = &NodeNamed(graph, Text(line, "node"));
  // Lists name a node with several results by the first of them.
  if (SymbolOf(graph, node->op()) == "operator.getitem") {
    for (const v1::Node& other : graph.nodes()) {
      if (other.outputs(0) == node->inputs(0)) node = &other;
    }
  }
  if (!absl::StrContains(SymbolOf(graph, node->op()), Text(line, "target"))) return "operator";
  for (const auto& [key, value] : line.fields()) {
    if (key == "file" || key == "node" || key == "target") continue;
    if (const auto operand = Operands().find(key);
        operand != Operands().end() && value.kind_case() == google::protobuf::Value::kStringValue) {
      if (node->inputs_size() <= operand->second) return key;
      if (graph.values(node->inputs(operand->second) - 1).name() != value.string_value()) return key;
      continue;
    }
    const v1::Attribute* attribute = AttributeNamed(graph, *node, key);
    if (attribute == nullptr) return key + " is missing";
    if (key == "dtype") {
      const v1::DataType expected = value.number_value() == 1 ? v1::DATA_TYPE_UINT8 : v1::DATA_TYPE_INT8;
      if (attribute->dtype() != expected) return key;
    } else if ((attribute->value_case() == v1::Attribute::kF ? attribute->f() : static_cast<double>(attribute->i())) !=
               value.number_value()) {
      return key;
    }
  }
  return "";
}

TEST(Pt2Fixtures, QParamsAreExtracted) {
  if (kMapsDiffer) GTEST_SKIP() << "reads its cases with protobuf maps, which ThreadSanitizer builds cannot";
  testing::CompareEveryLine(Folder(), "pt2", 30, Compare);
}

// A file imports whole, or says in one line why not, and does so quickly.
TEST(Pt2Fixtures, EveryFileImportsOrFailsCleanly) {
  if (kMapsDiffer) GTEST_SKIP() << "reads its cases with protobuf maps, which ThreadSanitizer builds cannot";
  testing::ImportEveryFile(Folder(), [](const Struct& line, const absl::StatusOr<ImportedModel>& model) {
    if (!model.ok() || !Field(line, "good").bool_value()) return;
    std::map<std::string, int> expected, found;
    for (const auto& [op, count] : Field(Field(line, "facts").struct_value(), "ops").struct_value().fields()) {
      expected[op] = static_cast<int>(count.number_value());
    }
    for (const v1::Node& node : model->graph.nodes()) {
      const std::string op = SymbolOf(model->graph, node.op());
      // The file itself has no nodes that take results apart.
      if (op != "operator.getitem") ++found[absl::StrCat("torch.ops.", op)];
    }
    EXPECT_EQ(found, expected) << Text(line, "file");
  });
}

}  // namespace
}  // namespace quantgate
