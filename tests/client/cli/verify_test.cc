#include "client/cli/verify.h"

#include <functional>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace quantgate {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr absl::string_view kKinds[] = {"rank", "static"};

db::ConstraintTable GoodTable() {
  const db::ElementType u8{v1::DATA_TYPE_UINT8, true};
  db::OpConstraints op;
  op.op = "Conv2d";
  op.rows = {{"INT8", 1, {{"in[0]", {u8}}, {"out[0]", {u8}}}}, {"INT8", 2, {{"in[0]", {u8}}}}};
  op.items = {{"All", "in[0]", 1, {{"rank", {{"max", "4"}}}}}, {"All", "in[1]", 1, {{"static", {}}, {"rank", {}}}}};
  return {"qnn_htp", "2.25.0", "", {op}};
}

TEST(CheckTable, CountsAGoodTable) {
  const TableCheck check = CheckTable(GoodTable(), kKinds);
  EXPECT_EQ(check.ops, 1);
  EXPECT_EQ(check.rows, 2);
  EXPECT_EQ(check.items, 2);
  EXPECT_EQ(check.not_encoded, 0);
  EXPECT_THAT(check.problems, IsEmpty());
}

struct Fault {
  std::function<void(db::OpConstraints&)> make;
  int not_encoded;
  const char* problem;
};
class FaultTest : public testing::TestWithParam<Fault> {};
TEST_P(FaultTest, IsNamedWithItsPlace) {
  db::ConstraintTable table = GoodTable();
  GetParam().make(table.ops[0]);
  const TableCheck check = CheckTable(table, kKinds);
  EXPECT_EQ(check.not_encoded, GetParam().not_encoded);
  EXPECT_THAT(check.problems, ElementsAre(GetParam().problem));
}
INSTANTIATE_TEST_SUITE_P(
    Faults, FaultTest,
    testing::Values(
        Fault{[](auto& op) { op.items[0].predicates.clear(); }, 1, "Conv2d/All/in[0]/item 1: has no predicate"},
        Fault{[](auto& op) { op.items[1].predicates[1].kind = "rnak"; }, 1,
              "Conv2d/All/in[1]/item 1: nothing evaluates 'rnak'"},
        Fault{[](auto& op) { op.items[1].port = "in[0]"; }, 0, "Conv2d/All/in[0]/item 1: occurs twice"},
        Fault{[](auto& op) { op.rows[1].ordinal = 1; }, 0, "Conv2d/row 1: occurs twice"},
        Fault{[](auto& op) { op.rows[1].ports.clear(); }, 0, "Conv2d/INT8/row 2: names no port"},
        Fault{[](auto& op) { op.rows[1].ports[0].types.clear(); }, 0, "Conv2d/INT8/row 2: in[0] takes no type"},
        Fault{[](auto& op) { op.rows[0].ports[1].port = "in[0]"; }, 0, "Conv2d/INT8/row 1: in[0] occurs twice"}));

TEST(CheckTable, SummaryItemsAreReadButNotCounted) {
  db::ConstraintTable table = GoodTable();
  table.ops[0].items.push_back({"All", "in[0]", 1, {{"rnak", {}}}});
  table.ops[0].items.back().summary = true;
  const TableCheck check = CheckTable(table, kKinds);
  EXPECT_EQ(check.items, 2);
  EXPECT_EQ(check.not_encoded, 1);
  EXPECT_THAT(check.problems, ElementsAre("Conv2d/All/in[0]/item 1 (summary): nothing evaluates 'rnak'"));
}

TEST(CheckDefinitions, CountsPortsAndParametersAndFindsDoubles) {
  db::OpDefinition conv;
  conv.op = "Conv2d";
  conv.inputs = {{.name = "in[0]"}, {.name = "in[1]"}};
  conv.parameters = {{.name = "stride"}};
  conv.outputs = {{.name = "out[0]"}};
  const TableCheck good = CheckDefinitions({conv});
  EXPECT_EQ(good.ops, 1);
  EXPECT_EQ(good.items, 4);
  EXPECT_THAT(good.problems, IsEmpty());
  conv.parameters.push_back({.name = "stride"});
  conv.inputs[1].name = "";
  EXPECT_THAT(CheckDefinitions({conv}).problems,
              ElementsAre("Conv2d/input : has no name", "Conv2d/parameter stride: occurs twice"));
}

}  // namespace
}  // namespace quantgate
