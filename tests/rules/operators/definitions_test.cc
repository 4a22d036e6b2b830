// The table of operator forms against a sample taken from the schemas by version.
#include <gtest/gtest.h>

#include <fstream>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "rules/operators/definition.h"
#include "rules/operators/definition_row.h"
#include "rules/operators/operator.h"

namespace quantgate {
namespace {

std::string Count(int count) { return count == std::numeric_limits<int>::max() ? "*" : absl::StrCat(count); }

const char* KindName(AttributeKind kind) {
  static const char* const kNames[] = {"float", "int",    "string", "tensor", "graph",
                                       "type",  "floats", "ints",   "strings"};
  return kNames[static_cast<int>(kind)];
}

// As the sample writes it.
std::string Form(const std::string& op, int version) {
  const Definition* definition = DefinitionAt(DefinitionsOf(op), version);
  if (definition == nullptr || definition->removed) return "none";
  std::vector<std::string> attributes;
  for (const AttributeDefinition& attribute : definition->attributes) {
    attributes.push_back(absl::StrCat(attribute.name, ":", KindName(attribute.kind), attribute.required ? "!" : ""));
  }
  return absl::StrJoin({Count(definition->inputs.min), Count(definition->inputs.max), Count(definition->outputs.min),
                        Count(definition->outputs.max), attributes.empty() ? "-" : absl::StrJoin(attributes, " ")},
                       "\t");
}

TEST(Definitions, AgreeWithTheSchemas) {
  std::ifstream file(QUANTGATE_TEST_DATA "/data/definitions_onnx.tsv");
  ASSERT_TRUE(file.is_open());
  int rows = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    const std::vector<std::string> fields = absl::StrSplit(line, absl::MaxSplits('\t', 2));
    ASSERT_EQ(fields.size(), 3u) << line;
    EXPECT_EQ(Form(fields[0], std::stoi(fields[1])), fields[2]) << fields[0] << " at " << fields[1];
    ++rows;
  }
  EXPECT_GT(rows, 100);
}

TEST(Definitions, RowsStandInOrderAndBelongToKnownOperators) {
  std::set<std::string> seen;
  for (const absl::Span<const DefinitionRow> table : {OnnxDefinitions(), OnnxContribDefinitions()}) {
    const DefinitionRow* previous = nullptr;
    for (const DefinitionRow& row : table) {
      EXPECT_NE(FindBinding(v1::Graph::ONNX, row.name), nullptr) << row.name;
      if (previous != nullptr && std::string(previous->name) == row.name) {
        EXPECT_LT(previous->since, row.since) << row.name;
      } else {
        EXPECT_TRUE(seen.insert(row.name).second) << row.name << " in two places";
      }
      EXPECT_LE(row.attributes.size(), 64u) << row.name;
      previous = &row;
    }
  }
}

TEST(Definitions, VersionsInBetweenHaveTheRowBefore) {
  const absl::Span<const Definition> rows = DefinitionsOf("DequantizeLinear");
  EXPECT_EQ(DefinitionAt(rows, 9), nullptr);
  EXPECT_EQ(DefinitionAt(rows, 12)->since, 10);
  EXPECT_EQ(DefinitionAt(rows, 18)->since, 13);
  EXPECT_EQ(DefinitionAt(rows, kNewestOpset)->since, rows.back().since);
  EXPECT_TRUE(DefinitionsOf("FusedMagic").empty());
}

TEST(Definitions, ParametersByArgument) {
  const Definition& concat = *DefinitionAt(DefinitionsOf("Concat"), 13);
  EXPECT_EQ(concat.inputs.at(7)->presence, Parameter::kVariadic);
  const Definition& conv = *DefinitionAt(DefinitionsOf("Conv"), 13);
  EXPECT_EQ(conv.inputs.at(1)->presence, Parameter::kRequired);
  EXPECT_EQ(conv.inputs.at(2)->presence, Parameter::kOptional);
  EXPECT_EQ(conv.inputs.at(3), nullptr);
  EXPECT_EQ(conv.attribute("group")->kind, AttributeKind::kInt);
  EXPECT_EQ(conv.attribute("grups"), nullptr);
}

}  // namespace
}  // namespace quantgate
