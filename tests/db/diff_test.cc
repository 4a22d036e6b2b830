#include "db/diff.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "db/database.h"
#include "db/table_text.h"

namespace quantgate::db {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

// "in[0]=UFIXED_POINT_8|INT_32 out[0]=INT_32"
DtypeRow Row(const std::string& configuration, const std::string& text, ArchRange archs = {}) {
  DtypeRow row;
  row.configuration = configuration;
  row.archs = archs;
  for (absl::string_view word : absl::StrSplit(text, ' ')) {
    const std::pair<std::string, std::string> cell = absl::StrSplit(word, '=');
    PortTypes port{cell.first, {}};
    for (absl::string_view name : absl::StrSplit(cell.second, '|')) port.types.push_back(*ElementTypeFromName(name));
    row.ports.push_back(port);
  }
  return row;
}

Item Rank(const std::string& configuration, const std::string& port, const std::string& max) {
  Item item;
  item.configuration = configuration;
  item.port = port;
  item.predicates = {{"rank", {{"max", max}}}};
  return item;
}

ConstraintTable Table(std::vector<OpConstraints> ops) { return {"toy", "1.0", "", std::move(ops)}; }

TEST(DiffTables, OfEqualTablesIsEmpty) {
  const auto table = Table({{"A", {Row("INT8", "in[0]=UFIXED_POINT_8|INT_32")}, {Rank("All", "in[0]", "4")}}});
  EXPECT_TRUE(DiffTables(table, table).empty());
}

TEST(DiffTables, TellsOperators) {
  const auto diff = DiffTables(Table({{"Old", {}, {}}, {"Same", {}, {}}}), Table({{"New", {}, {}}, {"Same", {}, {}}}));
  EXPECT_THAT(diff.ops_added, ElementsAre("New"));
  EXPECT_THAT(diff.ops_removed, ElementsAre("Old"));
  EXPECT_THAT(diff.ops, IsEmpty());
}

TEST(DiffTables, RowsWrittenDifferentlyAreTheSame) {
  const auto before = Table({{"A", {Row("All", "in[0]=UFIXED_POINT_8|INT_32 out[0]=BOOL_8")}, {}}});
  const auto after = Table({{"A",
                             {Row("INT8", "in[0..m]=UFIXED_POINT_8 out[0]=BOOL_8 axis=UINT_32"),
                              Row("OTHERS", "in[0..m]=INT_32 out[0]=BOOL_8 axis=UINT_32")},
                             {}}});
  EXPECT_TRUE(DiffTables(before, after).empty());
}

TEST(DiffTables, TellsRowsByConfiguration) {
  const auto before = Table({{"A", {Row("All", "in[0]=UFIXED_POINT_8|INT_32"), Row("All", "in[0]=BOOL_8")}, {}}});
  const auto after = Table({{"A", {Row("INT8", "in[0]=UFIXED_POINT_8"), Row("INT16", "in[0]=UFIXED_POINT_16")}, {}}});
  const auto diff = DiffTables(before, after);
  ASSERT_THAT(diff.ops, SizeIs(1));
  const auto& configurations = diff.ops[0].configurations;
  ASSERT_THAT(configurations, SizeIs(2));
  EXPECT_EQ(configurations[0].configuration, "All");
  ASSERT_THAT(configurations[0].rows, SizeIs(2));
  EXPECT_EQ(configurations[0].rows[0].kind, RowChange::kNarrowed);
  EXPECT_EQ(configurations[0].rows[0].combinations, 2);
  EXPECT_EQ(configurations[0].rows[0].remaining, 1);
  EXPECT_EQ(configurations[0].rows[1].kind, RowChange::kRemoved);
  EXPECT_EQ(configurations[1].configuration, "INT16");
  EXPECT_EQ(configurations[1].rows[0].kind, RowChange::kAdded);
  EXPECT_EQ(RowText(configurations[1].rows[0].row), "in[0]=UFIXED_POINT_16");
}

TEST(DiffTables, TellsRowsThatReachOtherArchs) {
  const auto before = Table({{"A", {Row("All", "in[0]=BOOL_8", {73, 0})}, {}}});
  const auto wider = Table({{"A", {Row("All", "in[0]=BOOL_8", {68, 0})}, {}}});
  const auto diff = DiffTables(before, wider);
  ASSERT_THAT(diff.ops, SizeIs(1));
  EXPECT_EQ(ArchText(diff.ops[0].configurations[0].rows[0].row.archs), "V68 and later");
  EXPECT_FALSE(DiffTables(wider, before).empty());
}

TEST(DiffTables, PairsAConditionThatChanges) {
  const std::vector<DtypeRow> rows = {Row("INT8", "in[0]=UFIXED_POINT_8"), Row("INT16", "in[0]=UFIXED_POINT_16")};
  const auto before = Table({{"A", rows, {Rank("All", "in[0]", "4")}}});
  const auto after = Table({{"A", rows, {Rank("INT8", "in[0]", "5"), Rank("INT16", "in[0]", "5")}}});
  const auto diff = DiffTables(before, after);
  ASSERT_THAT(diff.ops, SizeIs(1));
  ASSERT_THAT(diff.ops[0].configurations, SizeIs(1));
  const auto& change = diff.ops[0].configurations[0];
  EXPECT_EQ(change.configuration, "All");  // the same in both
  ASSERT_THAT(change.conditions, SizeIs(1));
  EXPECT_EQ(change.conditions[0].before, "rank max=4");
  EXPECT_EQ(change.conditions[0].after, "rank max=5");
}

TEST(DiffTables, KeepsConfigurationsApart) {
  const std::vector<DtypeRow> rows = {Row("INT8", "in[0]=UFIXED_POINT_8"), Row("INT16", "in[0]=UFIXED_POINT_16")};
  const auto before = Table({{"A", rows, {Rank("All", "in[0]", "4")}}});
  const auto after = Table({{"A", rows, {Rank("INT8", "in[0]", "4")}}});
  const auto diff = DiffTables(before, after);
  ASSERT_THAT(diff.ops, SizeIs(1));
  ASSERT_THAT(diff.ops[0].configurations, SizeIs(1));
  EXPECT_EQ(diff.ops[0].configurations[0].configuration, "INT16");
  EXPECT_EQ(diff.ops[0].configurations[0].conditions[0].after, "");
}

TEST(DiffTables, ConditionsOfANewConfigurationAreNew) {
  const auto before = Table({{"A", {Row("All", "in[0]=UFIXED_POINT_8")}, {Rank("All", "in[0]", "5")}}});
  const auto after = Table({{"A",
                             {Row("INT8", "in[0]=UFIXED_POINT_8"), Row("FP16", "in[0]=FLOAT_16")},
                             {Rank("INT8", "in[0]", "5"), Rank("FP16", "in[0]", "4")}}});
  const auto diff = DiffTables(before, after);
  ASSERT_THAT(diff.ops, SizeIs(1));
  ASSERT_THAT(diff.ops[0].configurations, SizeIs(1));
  const auto& change = diff.ops[0].configurations[0];
  EXPECT_EQ(change.configuration, "FP16");
  ASSERT_THAT(change.conditions, SizeIs(1));
  EXPECT_EQ(change.conditions[0].before, "");
  EXPECT_EQ(change.conditions[0].after, "rank max=4");
}

TEST(DiffTables, PairsOnlyConditionsOfOneShape) {
  const std::vector<DtypeRow> rows = {Row("INT8", "in[0]=UFIXED_POINT_8")};
  Item before = Rank("All", "in[0]", "4");
  before.predicates = {{"symmetric", {{"when_type", "INT_32"}}}};
  Item after = before;
  after.predicates = {{"symmetric", {{"when_encoding", "block"}}}, {"symmetric", {{"when_type", "INT_64"}}}};
  const auto diff = DiffTables(Table({{"A", rows, {before}}}), Table({{"A", rows, {after}}}));
  ASSERT_THAT(diff.ops, SizeIs(1));
  const auto& conditions = diff.ops[0].configurations[0].conditions;
  ASSERT_THAT(conditions, SizeIs(2));
  EXPECT_EQ(conditions[0].before, "");
  EXPECT_EQ(conditions[1].before, "symmetric when_type=INT_32");
  EXPECT_EQ(conditions[1].after, "symmetric when_type=INT_64");
}

TEST(ArchText, SaysWhom) {
  EXPECT_EQ(ArchText({}), "");
  EXPECT_EQ(ArchText({73, 0}), "V73 and later");
  EXPECT_EQ(ArchText({0, 75}), "up to V75");
  EXPECT_EQ(ArchText({73, 75}), "V73 to V75");
}

TEST(DiffTables, OfTheShippedTables) {
  const auto database = Database::OpenDefault();
  ASSERT_TRUE(database.ok()) << database.status();
  const auto before = (*database)->LoadTable("qnn_htp", "2.13.0");
  const auto after = (*database)->LoadTable("qnn_htp", "2.25.0");
  ASSERT_TRUE(before.ok() && after.ok());
  EXPECT_TRUE(DiffTables(*after, *after).empty());
  const auto diff = DiffTables(*before, *after);
  EXPECT_EQ(diff.before, "qnn_htp@2.13.0");
  EXPECT_EQ(diff.ops_added.size() + before->ops.size(), diff.ops_removed.size() + after->ops.size());
  EXPECT_THAT(diff.ops_added, testing::Contains("RmsNorm"));
  const auto conv =
      std::find_if(diff.ops.begin(), diff.ops.end(), [](const OpChange& op) { return op.op == "Conv2d"; });
  ASSERT_NE(conv, diff.ops.end());
  std::vector<std::string> arch_gates;
  for (const ConfigurationChange& configuration : conv->configurations) {
    for (const ConditionChange& change : configuration.conditions) {
      if (change.after.find("min_arch") != std::string::npos) arch_gates.push_back(change.after);
    }
  }
  EXPECT_THAT(arch_gates, testing::Contains("min_arch arch=79 when_encoding=block_expansion"));
}

}  // namespace
}  // namespace quantgate::db
