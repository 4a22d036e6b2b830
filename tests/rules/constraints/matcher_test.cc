// Matching of dtype rows, configurations and architectures. Pitfall tests are named after the defects of an existing
// validator that they guard against.
#include "rules/constraints/matcher.h"

#include <cstdlib>
#include <set>
#include <string>

#include "absl/strings/match.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/rules/constraints/fixture.h"
#include "tests/rules/count_allocations.h"

namespace quantgate {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

TableMatcher Compile(std::vector<db::ConstraintTable> tables, std::vector<db::OpDefinition> definitions = {}) {
  absl::StatusOr<TableMatcher> matcher = TableMatcher::Compile(tables, definitions);
  if (!matcher.ok()) {
    ADD_FAILURE() << matcher.status();
    std::abort();
  }
  return *std::move(matcher);
}

MatchResult Match(const TableMatcher& matcher, const TestOp& op, Hardware hardware = 73) {
  MatchResult result;
  matcher.Match(op.view(), hardware, result);
  return result;
}

std::vector<std::string> Codes(const MatchResult& result) {
  std::vector<std::string> codes;
  for (const Violation& violation : result.violations) codes.push_back(violation.rule->code);
  return codes;
}

bool IsPort(PortRef port, PortRef::Kind kind, int index) { return port.kind == kind && port.index == index; }

db::OpConstraints Conv2d() {
  db::OpConstraints conv;
  conv.op = "Conv2d";
  conv.rows = {
      MakeRow("INT8", 1, "in[0]=UFIXED_POINT_8 in[1]=UFIXED_POINT_8 in[2]=SFIXED_POINT_32 out[0]=UFIXED_POINT_8"),
      MakeRow("INT8", 2, "in[0]=UFIXED_POINT_8 in[1]=SFIXED_POINT_8 in[2]=SFIXED_POINT_32 out[0]=UFIXED_POINT_8"),
      MakeRow("INT16", 3, "in[0]=UFIXED_POINT_16 in[1]=SFIXED_POINT_8 in[2]=SFIXED_POINT_32 out[0]=UFIXED_POINT_16"),
      MakeRow("INT16", 4, "in[0]=UFIXED_POINT_16 in[1]=SFIXED_POINT_16 in[2]=SFIXED_POINT_32 out[0]=UFIXED_POINT_16",
              {73, 0}),
      MakeRow("FP16", 5, "in[0]=FLOAT_16 in[1]=FLOAT_16 in[2]=FLOAT_16 out[0]=FLOAT_16"),
  };
  conv.items = {MakeItem("All", "in[0]", {"rank min=4 max=4"}),
                MakeItem("INT8", "in[1]",
                         {"encoding_axis axis=-1 when_encoding=per_channel", "symmetric when_encoding=per_channel"}),
                MakeItem("INT8", "in[2]", {"symmetric when_type=SFIXED_POINT_32"})};
  return conv;
}

db::OpDefinition Conv2dDefinition() {
  db::OpDefinition definition;
  definition.op = "Conv2d";
  definition.inputs = {{"in[0]", true}, {"in[1]", true}, {"in[2]", false}};
  definition.outputs = {{"out[0]", true}};
  return definition;
}

TestOp ConvOp(const char* input, const char* weight, const char* bias, const char* output) {
  TestOp op("Conv2d");
  op.Input(0, input).Input(1, weight).Output(0, output);
  if (bias != nullptr) op.Input(2, bias);
  op.Shape(op.in(0), {1, 8, 8, 3}).Shape(op.in(1), {3, 3, 3, 2}).Shape(op.out(0), {1, 8, 8, 2});
  return op;
}

TEST(TableMatcherTest, ConformingOperator) {
  const TableMatcher matcher = Compile({MakeTable({Conv2d()})}, {Conv2dDefinition()});
  EXPECT_TRUE(matcher.HasOp("Conv2d"));
  EXPECT_FALSE(matcher.HasOp("Conv3d"));
  const MatchResult result =
      Match(matcher, ConvOp("UFIXED_POINT_8", "SFIXED_POINT_8", "SFIXED_POINT_32", "UFIXED_POINT_8"));
  EXPECT_TRUE(result.known_op);
  EXPECT_THAT(result.violations, IsEmpty());
  EXPECT_THAT(result.unjudged, IsEmpty());
}

TEST(TableMatcherTest, ConformingOperatorAllocatesNothing) {
  if (!kCountsAllocations) GTEST_SKIP() << "operator new is ThreadSanitizer's own";
  const TableMatcher matcher = Compile({MakeTable({Conv2d()})}, {Conv2dDefinition()});
  TestOp conv = ConvOp("UFIXED_POINT_8", "SFIXED_POINT_8", "SFIXED_POINT_32", "UFIXED_POINT_8");
  conv.PerChannel(conv.in(1), 3, {0.1, 0.2}, {0, 0});
  const BackendOp op = conv.view();
  MatchResult result;
  const int64_t before = allocations;
  matcher.Match(op, 73, result);
  EXPECT_EQ(allocations, before);
  EXPECT_THAT(result.violations, IsEmpty());
  EXPECT_THAT(result.unjudged, IsEmpty());
}

TEST(TableMatcherTest, UnknownOperator) {
  const TableMatcher matcher = Compile({MakeTable({Conv2d()})});
  const MatchResult result = Match(matcher, TestOp("NonZero"));
  EXPECT_FALSE(result.known_op);
  EXPECT_THAT(Codes(result), ElementsAre("CV101"));
  EXPECT_EQ(result.violations[0].observed, "NonZero, which the backend does not have");
  EXPECT_EQ(result.violations[0].allowed, "one of its 1 operators");
}

TEST(TableMatcherTest, OneDifferingPortNamesItAndMergesTheRows) {
  const TableMatcher matcher = Compile({MakeTable({Conv2d()})}, {Conv2dDefinition()});
  const MatchResult result =
      Match(matcher, ConvOp("UFIXED_POINT_8", "SFIXED_POINT_16", "SFIXED_POINT_32", "UFIXED_POINT_8"));
  ASSERT_THAT(Codes(result), ElementsAre("DT101"));
  const Violation& violation = result.violations[0];
  EXPECT_TRUE(IsPort(violation.port, PortRef::kInput, 1));
  EXPECT_EQ(violation.observed, "in[1]: INT16 quantized (SFIXED_POINT_16)");
  EXPECT_EQ(violation.allowed, "in[1]: UFIXED_POINT_8 or SFIXED_POINT_8 (Conv2d/INT8/row 1)");
  EXPECT_EQ(violation.row, "Conv2d/INT8/row 1");
}

TEST(TableMatcherTest, SeveralDifferingPortsListTheRows) {
  const TableMatcher matcher = Compile({MakeTable({Conv2d()})}, {Conv2dDefinition()});
  // Row 4 is the closest on V73; on V68 it does not exist and row 3 is.
  const TestOp op = ConvOp("UFIXED_POINT_16", "SFIXED_POINT_16", "UFIXED_POINT_8", "FLOAT_32");
  MatchResult result = Match(matcher, op, 73);
  ASSERT_THAT(Codes(result), ElementsAre("DT101"));
  EXPECT_EQ(result.violations[0].port.kind, PortRef::kOp);
  EXPECT_EQ(result.violations[0].observed, "in[2]: UINT8 quantized (UFIXED_POINT_8), out[0]: FLOAT32 (FLOAT_32)");
  EXPECT_EQ(result.violations[0].allowed, "in[2]: SFIXED_POINT_32, out[0]: UFIXED_POINT_16 (Conv2d/INT16/row 4)");
  result = Match(matcher, op, 68);
  ASSERT_THAT(Codes(result), ElementsAre("DT101"));
  EXPECT_EQ(result.violations[0].row, "Conv2d/INT16/row 3");
}

TEST(TableMatcherTest, AtMostThreeClosestRows) {
  db::OpConstraints op;
  op.op = "Op";
  for (int i = 1; i <= 5; ++i) op.rows.push_back(MakeRow("INT8", i, "in[0]=UFIXED_POINT_8 out[0]=UFIXED_POINT_8"));
  const MatchResult result = Match(Compile({MakeTable({op})}), TestOp().Input(0, "FLOAT_32").Output(0, "FLOAT_32"));
  ASSERT_THAT(result.violations, SizeIs(1));
  EXPECT_EQ(result.violations[0].allowed,
            "in[0]: UFIXED_POINT_8, out[0]: UFIXED_POINT_8 (Op/INT8/row 1); or in[0]: UFIXED_POINT_8, out[0]: "
            "UFIXED_POINT_8 (Op/INT8/row 2); or in[0]: UFIXED_POINT_8, out[0]: UFIXED_POINT_8 (Op/INT8/row 3)");
}

TEST(TableMatcherTest, RowOfALaterArchIsAnArchGate) {
  const TableMatcher matcher = Compile({MakeTable({Conv2d()})}, {Conv2dDefinition()});
  const TestOp op = ConvOp("UFIXED_POINT_16", "SFIXED_POINT_16", "SFIXED_POINT_32", "UFIXED_POINT_16");
  EXPECT_THAT(Match(matcher, op, 73).violations, IsEmpty());
  const MatchResult result = Match(matcher, op, 68);
  ASSERT_THAT(Codes(result), ElementsAre("DT102"));
  EXPECT_EQ(result.violations[0].observed, "V68");
  EXPECT_EQ(result.violations[0].allowed, "V73 or later");
  EXPECT_EQ(result.violations[0].row, "Conv2d/INT16/row 4");
}

TEST(TableMatcherTest, TheNearestOfSeveralArchs) {
  const auto needed = [](const std::vector<db::ArchRange>& archs, int arch) {
    db::OpConstraints op;
    op.op = "Op";
    for (size_t i = 0; i < archs.size(); ++i) {
      op.rows.push_back(MakeRow("INT8", static_cast<int>(i) + 1, "in[0]=UFIXED_POINT_8", archs[i]));
    }
    return Match(Compile({MakeTable({op})}), TestOp().Input(0, "UFIXED_POINT_8"), arch).violations.at(0).allowed;
  };
  EXPECT_EQ(needed({{73, 73}}, 68), "V73");
  EXPECT_EQ(needed({{73, 75}}, 79), "V73 to V75");
  EXPECT_EQ(needed({{75, 0}, {73, 74}}, 68), "V73 or later");
  EXPECT_EQ(needed({{0, 66}, {68, 69}, {79, 0}}, 73), "V79 or later");
  EXPECT_EQ(needed({{0, 66}, {68, 69}}, 73), "V68 to V69");
}

// A row of floats for every arch is not what a SoC without floats lacks an arch for.
TEST(TableMatcherTest, RowsOfFloatsHaveNoPartInAnArchGate) {
  db::OpConstraints op;
  op.op = "Op";
  op.rows = {MakeRow("FP16", 1, "in[0]=FLOAT_16"), MakeRow("INT8", 1, "in[0]=UFIXED_POINT_8", {73, 0})};
  const MatchResult result =
      Match(Compile({MakeTable({op})}), TestOp().Input(0, "UFIXED_POINT_16"), Hardware(68, 68, /*has_float=*/false));
  ASSERT_THAT(Codes(result), ElementsAre("DT102"));
  EXPECT_EQ(result.violations[0].allowed, "V73 or later");
}

TEST(TableMatcherTest, RowOfEarlierArchs) {
  db::OpConstraints op;
  op.op = "Op";
  op.rows = {MakeRow("INT8", 1, "in[0]=UFIXED_POINT_8", {0, 69})};
  const TableMatcher matcher = Compile({MakeTable({op})});
  EXPECT_THAT(Codes(Match(matcher, TestOp().Input(0, "UFIXED_POINT_8"), 69)), IsEmpty());
  EXPECT_EQ(Match(matcher, TestOp().Input(0, "UFIXED_POINT_8"), 73).violations.at(0).allowed, "V69 or earlier");
  // No row at all is for the arch: still the gate, not a dtype mismatch with rows that do not exist.
  EXPECT_THAT(Codes(Match(matcher, TestOp().Input(0, "FLOAT_32"), 73)), ElementsAre("DT102"));
}

TEST(TableMatcherTest, ItemsAreLimitedToTheirArchs) {
  db::OpConstraints op = Conv2d();
  op.items[0].archs = {75, 0};
  const TableMatcher matcher = Compile({MakeTable({op})});
  TestOp conv = ConvOp("UFIXED_POINT_8", "SFIXED_POINT_8", nullptr, "UFIXED_POINT_8");
  conv.Shape(conv.in(0), {8, 8, 3});
  EXPECT_THAT(Codes(Match(matcher, conv, 73)), IsEmpty());
  EXPECT_THAT(Codes(Match(matcher, conv, 75)), ElementsAre("GS103"));
}

// An HTP may have the kernels of a later arch: `archs` speaks of them, `min_arch` of the arch.
TEST(TableMatcherTest, KernelsOfALaterArch) {
  db::OpConstraints constraints = Conv2d();
  constraints.items.push_back(MakeItem("INT16", "in[1]", {"min_arch arch=75 when_type=SFIXED_POINT_16"}));
  const TableMatcher matcher = Compile({MakeTable({constraints})}, {Conv2dDefinition()});
  const TestOp op = ConvOp("UFIXED_POINT_16", "SFIXED_POINT_16", "SFIXED_POINT_32", "UFIXED_POINT_16");
  EXPECT_THAT(Codes(Match(matcher, op, {68, 75, true})), ElementsAre("DT105"));
  EXPECT_THAT(Codes(Match(matcher, op, {75, 68, true})), ElementsAre("DT102"));
  EXPECT_THAT(Codes(Match(matcher, op, {75, 75, true})), IsEmpty());
}

TEST(TableMatcherTest, WithoutFloatsTheRowsOfFloatConfigurationsAreNotThere) {
  db::OpConstraints constraints;
  constraints.op = "Op";
  constraints.rows = {MakeRow("FP16", 1, "in[0]=FLOAT_32 out[0]=FLOAT_32"),
                      MakeRow("INT8", 2, "in[0]=UFIXED_POINT_8 out[0]=FLOAT_32"),
                      MakeRow("OTHERS", 3, "in[0]=INT_32 out[0]=FLOAT_32"),
                      MakeRow("FP16", 4, "in[0]=FLOAT_16 out[0]=FLOAT_16", {75, 0})};
  const TableMatcher matcher = Compile({MakeTable({constraints})});
  const auto codes = [&](const char* in, const char* out, Hardware hardware) {
    return Codes(Match(matcher, TestOp().Input(0, in).Output(0, out), hardware));
  };
  const Hardware with = {73, 73, true};
  const Hardware without = {73, 73, false};
  EXPECT_THAT(codes("FLOAT_32", "FLOAT_32", with), IsEmpty());
  EXPECT_THAT(codes("FLOAT_32", "FLOAT_32", without), ElementsAre("DT106"));
  EXPECT_THAT(codes("UFIXED_POINT_8", "FLOAT_32", without), IsEmpty());
  EXPECT_THAT(codes("INT_32", "FLOAT_32", without), IsEmpty());
  // A row that is not there for want of kernels, either: validation refuses floats before kernels are looked for.
  EXPECT_THAT(codes("FLOAT_16", "FLOAT_16", with), ElementsAre("DT102"));
  EXPECT_THAT(codes("FLOAT_16", "FLOAT_16", without), ElementsAre("DT106"));
  // Rows that are not there are not among the closest, nor among those that a correction may choose.
  const MatchResult mismatch = Match(matcher, TestOp().Input(0, "FLOAT_32").Output(0, "INT_32"), without);
  ASSERT_THAT(Codes(mismatch), ElementsAre("DT101"));
  EXPECT_THAT(mismatch.violations[0].allowed, Not(HasSubstr("FP16")));
  const TestOp op = TestOp().Input(0, "FLOAT_32").Output(0, "FLOAT_32");
  EXPECT_THAT(matcher.Rows(op.view(), with), SizeIs(3));
  EXPECT_THAT(matcher.Rows(op.view(), without), SizeIs(2));
}

TEST(TableMatcherTest, UnknownTypeIsNotJudged) {
  const TableMatcher matcher = Compile({MakeTable({Conv2d()})}, {Conv2dDefinition()});
  TestOp op = ConvOp("UFIXED_POINT_8", "SFIXED_POINT_8", "SFIXED_POINT_32", "UFIXED_POINT_8");
  op.in(1).type = {};
  MatchResult result = Match(matcher, op);
  EXPECT_THAT(result.violations, IsEmpty());
  ASSERT_THAT(result.unjudged, SizeIs(1));
  EXPECT_STREQ(result.unjudged[0].rule->code, "DT101");
  EXPECT_TRUE(IsPort(result.unjudged[0].port, PortRef::kInput, 1));
  EXPECT_THAT(result.unjudged[0].reason, HasSubstr("in[1] is not known"));
  // A number that the enum does not have is unknown as well, not the type whose code it happens to share.
  op.in(1).type.type = static_cast<v1::DataType>(v1::DATA_TYPE_INT8 + 32);
  EXPECT_THAT(Match(matcher, op).unjudged, SizeIs(1));
  // What is known already decides: no row has a float output next to an 8-bit input.
  op.Output(0, "FLOAT_16");
  EXPECT_THAT(Codes(Match(matcher, op)), ElementsAre("DT101"));
}

TEST(TableMatcherTest, OperatorWithoutRowsIsNotJudgedByType) {
  db::OpConstraints op;
  op.op = "Op";
  op.items = {MakeItem("All", "in[0]", {"rank max=4"})};
  TestOp bad;
  bad.Input(0, "FLOAT_32").Shape(bad.in(0), {1, 1, 1, 1, 1});
  const MatchResult result = Match(Compile({MakeTable({op})}), bad);
  EXPECT_THAT(Codes(result), ElementsAre("GS103"));
  ASSERT_THAT(result.unjudged, SizeIs(1));
  EXPECT_THAT(result.unjudged[0].reason, HasSubstr("no dtype rows"));
}

TEST(TableMatcherTest, ExtraPortIsRefusedUnlessTheDefinitionHasIt) {
  db::OpConstraints op;
  op.op = "Op";
  op.rows = {MakeRow("INT8", 1, "in[0]=UFIXED_POINT_8 out[0]=UFIXED_POINT_8")};
  const TestOp given = TestOp().Input(0, "UFIXED_POINT_8").Input(1, "UFIXED_POINT_8").Output(0, "UFIXED_POINT_8");
  MatchResult result = Match(Compile({MakeTable({op})}), given);
  ASSERT_THAT(Codes(result), ElementsAre("DT101"));
  EXPECT_TRUE(IsPort(result.violations[0].port, PortRef::kInput, 1));
  EXPECT_EQ(result.violations[0].allowed, "in[1]: nothing (Op/INT8/row 1)");

  db::OpDefinition definition;
  definition.op = "Op";
  definition.inputs = {{"in[0]", true}, {"in[1]", false}};
  result = Match(Compile({MakeTable({op})}, {definition}), given);
  EXPECT_THAT(result.violations, IsEmpty());
  ASSERT_THAT(result.unjudged, SizeIs(1));
  EXPECT_THAT(result.unjudged[0].reason, HasSubstr("no dtype row says anything of in[1]"));
}

TEST(TableMatcherTest, MoreThan64RowsAndAnyOrder) {
  db::OpConstraints op;
  op.op = "Op";
  for (int i = 1; i <= 300; ++i) {
    op.rows.push_back(MakeRow("OTHERS", i, i == 300 ? "in[0]=INT_32 out[0]=FLOAT_32" : "in[0]=INT_32 out[0]=INT_32"));
  }
  const TableMatcher matcher = Compile({MakeTable({op})});
  EXPECT_THAT(Match(matcher, TestOp().Input(0, "INT_32").Output(0, "FLOAT_32")).violations, IsEmpty());
  EXPECT_THAT(Match(matcher, TestOp().Input(0, "INT_32").Output(0, "FLOAT_16")).violations, SizeIs(1));
}

TEST(TableMatcherTest, TypesOfOneTableKeepToItsOwnItems) {
  // An integer table and a float table of one backend: the float table's limits do not bind integer rows.
  db::OpConstraints integer, floating;
  integer.op = floating.op = "Op";
  integer.rows = {MakeRow("All", 1, "in[0]=UFIXED_POINT_8")};
  floating.rows = {MakeRow("All", 1, "in[0]=FLOAT_16")};
  floating.items = {MakeItem("All", "in[0]", {"rank max=3"})};
  const TableMatcher matcher = Compile({MakeTable({integer}), MakeTable({floating})});
  for (const char* type : {"UFIXED_POINT_8", "FLOAT_16"}) {
    TestOp op;
    op.Input(0, type).Shape(op.in(0), {1, 1, 1, 1});
    EXPECT_THAT(Match(matcher, op).violations, SizeIs(type[0] == 'F' ? 1 : 0)) << type;
  }
}

TEST(TableMatcherTest, ItemsWithoutAFittingRowAreThoseOfTheActivationWidth) {
  const TableMatcher matcher = Compile({MakeTable({Conv2d()})});
  TestOp op = ConvOp("UFIXED_POINT_8", "SFIXED_POINT_8", "SFIXED_POINT_32", "FLOAT_32");
  op.Shape(op.in(0), {8, 8, 3}).Qparams(op.in(2), {0.1}, {5});
  EXPECT_THAT(Codes(Match(matcher, op)), ElementsAre("DT101", "GS103", "QS101"));
  // 16-bit activations: the 8-bit items do not apply, those for all do.
  TestOp wide = ConvOp("UFIXED_POINT_16", "SFIXED_POINT_8", "SFIXED_POINT_32", "FLOAT_32");
  wide.Shape(wide.in(0), {8, 8, 3}).Qparams(wide.in(2), {0.1}, {5});
  EXPECT_THAT(Codes(Match(matcher, wide)), ElementsAre("DT101", "GS103"));
  // A width without a configuration: those for all.
  TestOp other = ConvOp("INT_32", "SFIXED_POINT_8", nullptr, "UFIXED_POINT_8");
  other.Shape(other.in(0), {8, 8, 3});
  EXPECT_THAT(Codes(Match(matcher, other)), ElementsAre("DT101", "GS103"));
}

TEST(TableMatcherTest, TheSameThingIsSaidOnce) {
  db::OpConstraints op;
  op.op = "Op";
  op.rows = {MakeRow("INT8", 1, "in[0]=SFIXED_POINT_8")};
  op.items = {MakeItem("INT8", "in[0]", {"symmetric", "symmetric when_type=SFIXED_POINT_8"}),
              MakeItem("All", "in[0]", {"symmetric"}, 2)};
  const TableMatcher matcher = Compile({MakeTable({op})});
  TestOp bad;
  bad.Input(0, "SFIXED_POINT_8").Qparams(bad.in(0), {0.1}, {1});
  EXPECT_THAT(Codes(Match(matcher, bad)), ElementsAre("QS101"));
  bad.in(0).qparams = nullptr;
  EXPECT_THAT(Match(matcher, bad).unjudged, SizeIs(1));
}

TEST(TableMatcherTest, EvidenceAndSourceComeFromTheRowOrItem) {
  db::OpConstraints op;
  op.op = "Op";
  op.rows = {MakeRow("INT8", 7, "in[0]=UFIXED_POINT_8")};
  op.rows[0].evidence = db::Evidence::kMeasured;
  op.rows[0].source = "asked the library";
  op.items = {MakeItem("All", "in[0]", {"rank max=4"}, 3)};
  op.items[0].source = "page 12";
  TestOp bad;
  bad.Input(0, "FLOAT_32").Shape(bad.in(0), {1, 1, 1, 1, 1});
  const MatchResult result = Match(Compile({MakeTable({op})}), bad);
  ASSERT_THAT(result.violations, SizeIs(2));
  EXPECT_EQ(result.violations[0].row, "Op/INT8/row 7");
  EXPECT_EQ(result.violations[0].evidence, db::Evidence::kMeasured);
  EXPECT_EQ(result.violations[0].document, "asked the library");
  EXPECT_EQ(result.violations[1].row, "Op/All/in[0]/item 3");
  EXPECT_EQ(result.violations[1].evidence, db::Evidence::kDocumented);
  EXPECT_EQ(result.violations[1].document, "page 12");
}

TEST(TableMatcherTest, BadRowsAndDefinitionsAreErrors) {
  db::OpConstraints op;
  op.op = "Op";
  op.rows = {MakeRow("INT8", 1, "in[0]=UFIXED_POINT_8")};
  op.rows[0].ports[0].port = "in[one]";
  EXPECT_THAT(std::string(TableMatcher::Compile({MakeTable({op})}, {}).status().message()),
              HasSubstr("test@1.0.0: Op/INT8/row 1: \"in[one]\" is not a port"));
  op.rows[0].ports[0].port = "in[0]";
  op.rows[0].ports[0].types.clear();
  EXPECT_THAT(std::string(TableMatcher::Compile({MakeTable({op})}, {}).status().message()), HasSubstr("takes no type"));
  op.rows[0].ports[0].types = {{}};
  EXPECT_THAT(std::string(TableMatcher::Compile({MakeTable({op})}, {}).status().message()), HasSubstr("unknown type"));
  op.rows.clear();
  op.items = {MakeItem("All", "in[0]", {"static"})};
  op.items[0].predicates.clear();
  EXPECT_THAT(std::string(TableMatcher::Compile({MakeTable({op})}, {}).status().message()), HasSubstr("no predicate"));
  op.items.clear();
  db::OpDefinition definition;
  definition.op = "Op";
  definition.inputs = {{"out(0)", true}};
  EXPECT_FALSE(TableMatcher::Compile({MakeTable({op})}, {definition}).ok());
}

// Pitfalls.

TEST(Pitfalls, K4_NoFittingRowIsAViolation) {
  db::OpConstraints relu;
  relu.op = "Relu";
  relu.rows = {MakeRow("INT16", 1, "in[0]=UFIXED_POINT_16 out[0]=UFIXED_POINT_16")};
  const TableMatcher matcher = Compile({MakeTable({relu})});
  EXPECT_THAT(Codes(Match(matcher, TestOp("Relu").Input(0, "UFIXED_POINT_8").Output(0, "UFIXED_POINT_8"))),
              ElementsAre("DT101"));
  EXPECT_THAT(Codes(Match(matcher, TestOp("Relu").Input(0, "UFIXED_POINT_16").Output(0, "UFIXED_POINT_16"))),
              IsEmpty());
}

TEST(Pitfalls, K6_EncodingThatNoAlternativeListsIsAViolation) {
  db::OpConstraints op;
  op.op = "Op";
  op.rows = {MakeRow("INT8", 1, "in[0]=SFIXED_POINT_8")};
  op.items = {MakeItem("INT8", "in[0]", {"encodings allowed=per_tensor,bw_per_tensor"})};
  const TableMatcher matcher = Compile({MakeTable({op})});
  TestOp per_channel;
  per_channel.Input(0, "SFIXED_POINT_8").PerChannel(per_channel.in(0), 0, {1, 2}, {});
  EXPECT_THAT(Codes(Match(matcher, per_channel)), ElementsAre("AX102"));
  EXPECT_THAT(Codes(Match(matcher, TestOp().Input(0, "SFIXED_POINT_8"))), IsEmpty());
}

TEST(Pitfalls, K11_EveryOutputIsJudged) {
  db::OpConstraints topk;
  topk.op = "TopK";
  topk.rows = {MakeRow("INT8", 1, "in[0]=UFIXED_POINT_8 out[0]=UFIXED_POINT_8 out[1]=UINT_32,INT_32")};
  const TableMatcher matcher = Compile({MakeTable({topk})});
  TestOp op("TopK");
  op.Input(0, "UFIXED_POINT_8").Output(0, "UFIXED_POINT_8").Output(1, "INT_32");
  EXPECT_THAT(Codes(Match(matcher, op)), IsEmpty());
  op.Output(1, "UFIXED_POINT_8");
  const MatchResult result = Match(matcher, op);
  ASSERT_THAT(Codes(result), ElementsAre("DT101"));
  EXPECT_TRUE(IsPort(result.violations[0].port, PortRef::kOutput, 1));
}

TEST(Pitfalls, K13_InputWithoutASpecStaysFloatAndIsRefused) {
  db::OpConstraints power;
  power.op = "Power";
  power.rows = {MakeRow("INT8", 1, "in[0]=UFIXED_POINT_8 in[1]=UFIXED_POINT_8 out[0]=UFIXED_POINT_8")};
  const TableMatcher matcher = Compile({MakeTable({power})});
  TestOp op("Power");
  op.Input(0, "UFIXED_POINT_8").Input(1, "FLOAT_32").Output(0, "UFIXED_POINT_8");
  const MatchResult result = Match(matcher, op);
  ASSERT_THAT(Codes(result), ElementsAre("DT101"));
  EXPECT_EQ(result.violations[0].observed, "in[1]: FLOAT32 (FLOAT_32)");
}

TEST(Pitfalls, V1_OutputsAndInputsFollowTheSameConstraint) {
  db::OpConstraints op;
  op.op = "Op";
  op.rows = {MakeRow("INT8", 1, "in[0]=UFIXED_POINT_8 out[0]=UFIXED_POINT_8")};
  op.items = {MakeItem("INT8", "in[0]", {"encodings allowed=per_tensor"}),
              MakeItem("INT8", "out[0]", {"encodings allowed=per_tensor"})};
  const TableMatcher matcher = Compile({MakeTable({op})});
  // Nothing is said of symmetry, so an affine tensor is fine on both sides.
  TestOp affine;
  affine.Input(0, "UFIXED_POINT_8").Output(0, "UFIXED_POINT_8");
  affine.Qparams(affine.in(0), {0.1}, {3}).Qparams(affine.out(0), {0.1}, {3});
  EXPECT_THAT(Codes(Match(matcher, affine)), IsEmpty());
}

TEST(Pitfalls, V2_AlternativesOfAPortAreOrWhateverTheirOrder) {
  for (const char* types : {"SFIXED_POINT_8,UFIXED_POINT_8", "UFIXED_POINT_8,SFIXED_POINT_8"}) {
    db::OpConstraints op;
    op.op = "Op";
    op.rows = {MakeRow("INT8", 1, std::string("in[0]=") + types + " out[0]=" + types)};
    const TableMatcher matcher = Compile({MakeTable({op})});
    for (const char* in : {"SFIXED_POINT_8", "UFIXED_POINT_8"}) {
      for (const char* out : {"SFIXED_POINT_8", "UFIXED_POINT_8"}) {
        EXPECT_THAT(Codes(Match(matcher, TestOp().Input(0, in).Output(0, out))), IsEmpty()) << in << out;
      }
    }
    EXPECT_THAT(Match(matcher, TestOp().Input(0, "INT_8").Output(0, "SFIXED_POINT_8")).violations, SizeIs(1));
  }
}

TEST(Pitfalls, V3_ALaterConfigurationWithTheSameTypesIsTried) {
  for (const bool strict_first : {true, false}) {
    db::OpConstraints op;
    op.op = "Op";
    op.rows = {MakeRow(strict_first ? "INT8" : "OTHERS", 1, "in[0]=SFIXED_POINT_8"),
               MakeRow(strict_first ? "OTHERS" : "INT8", 2, "in[0]=SFIXED_POINT_8")};
    op.items = {MakeItem("INT8", "in[0]", {"symmetric"})};
    const TableMatcher matcher = Compile({MakeTable({op})});
    TestOp affine;
    affine.Input(0, "SFIXED_POINT_8").Qparams(affine.in(0), {0.1}, {3});
    EXPECT_THAT(Codes(Match(matcher, affine)), IsEmpty());
    // When neither holds, the one with fewer errors is reported.
    op.items.push_back(MakeItem("OTHERS", "in[0]", {"static", "signed", "rank max=1"}));
    affine.Shape(affine.in(0), {1, 1});
    EXPECT_THAT(Codes(Match(Compile({MakeTable({op})}), affine)), ElementsAre("QS101"));
  }
}

TEST(Pitfalls, V4_PortsAreBoundByPosition) {
  db::OpConstraints select;
  select.op = "ElementWiseSelect";
  select.rows = {MakeRow("INT8", 1, "in[0]=BOOL_8 in[1]=SFIXED_POINT_8 in[2]=SFIXED_POINT_8 out[0]=SFIXED_POINT_8")};
  select.items = {MakeItem("INT8", "in[1]", {"symmetric"})};
  const TableMatcher matcher = Compile({MakeTable({select})});
  TestOp op("ElementWiseSelect");
  op.Input(0, "BOOL_8").Input(1, "SFIXED_POINT_8").Input(2, "SFIXED_POINT_8").Output(0, "SFIXED_POINT_8");
  op.Qparams(op.in(2), {0.1}, {3});
  EXPECT_THAT(Codes(Match(matcher, op)), IsEmpty());
  op.Qparams(op.in(1), {0.1}, {3});
  const MatchResult result = Match(matcher, op);
  ASSERT_THAT(Codes(result), ElementsAre("QS101"));
  EXPECT_TRUE(IsPort(result.violations[0].port, PortRef::kInput, 1));
}

TEST(Pitfalls, V5_TheSameTensorOnTwoPortsIsJudgedOnBoth) {
  db::OpConstraints add;
  add.op = "Add";
  add.rows = {MakeRow("INT8", 1, "in[0]=UFIXED_POINT_8,SFIXED_POINT_8 in[1]=UFIXED_POINT_8 out[0]=UFIXED_POINT_8")};
  const TableMatcher matcher = Compile({MakeTable({add})});
  const MatchResult result =
      Match(matcher, TestOp("Add").Input(0, "SFIXED_POINT_8").Input(1, "SFIXED_POINT_8").Output(0, "UFIXED_POINT_8"));
  ASSERT_THAT(Codes(result), ElementsAre("DT101"));
  EXPECT_TRUE(IsPort(result.violations[0].port, PortRef::kInput, 1));
}

TEST(Pitfalls, V7_VariadicPortsCoverEveryTensorAndOnlyTheTail) {
  db::OpConstraints nms;
  nms.op = "MultiClassNms";
  nms.rows = {MakeRow("INT8", 1,
                      "in[0]=UFIXED_POINT_8 in[1]=UFIXED_POINT_16 in[2..m]=INT_32 out[0]=FLOAT_32 "
                      "out[1..M]=INT_32")};
  nms.items = {MakeItem("All", "in[2..m]", {"rank max=2"})};
  const TableMatcher matcher = Compile({MakeTable({nms})});
  const auto make = [](const char* last_type, std::vector<int64_t> last_shape) {
    TestOp op("MultiClassNms");
    op.Input(0, "UFIXED_POINT_8").Input(1, "UFIXED_POINT_16");
    for (size_t i = 2; i < 6; ++i) op.Input(i, i == 5 ? last_type : "INT_32").Shape(op.in(i), {1, 2});
    op.Shape(op.in(5), std::move(last_shape));
    op.Output(0, "FLOAT_32").Output(1, "INT_32").Output(2, "INT_32");
    return op;
  };
  EXPECT_THAT(Codes(Match(matcher, make("INT_32", {1, 2}))), IsEmpty());
  MatchResult result = Match(matcher, make("UINT_32", {1, 2}));
  ASSERT_THAT(Codes(result), ElementsAre("DT101"));
  EXPECT_TRUE(IsPort(result.violations[0].port, PortRef::kInput, 5));
  result = Match(matcher, make("INT_32", {1, 2, 3}));
  ASSERT_THAT(Codes(result), ElementsAre("GS103"));
  EXPECT_TRUE(IsPort(result.violations[0].port, PortRef::kInput, 5));
  EXPECT_EQ(result.violations[0].row, "MultiClassNms/All/in[2..m]/item 1");
  // The tail's type does not reach the ports before it.
  TestOp shifted("MultiClassNms");
  shifted.Input(0, "UFIXED_POINT_8").Input(1, "INT_32").Output(0, "FLOAT_32");
  EXPECT_THAT(Codes(Match(matcher, shifted)), ElementsAre("DT101"));
}

TEST(Pitfalls, V8_AMissingMandatoryPortIsAViolationAnOptionalOneIsNot) {
  const TableMatcher matcher = Compile({MakeTable({Conv2d()})}, {Conv2dDefinition()});
  EXPECT_THAT(Codes(Match(matcher, ConvOp("UFIXED_POINT_8", "SFIXED_POINT_8", nullptr, "UFIXED_POINT_8"))), IsEmpty());
  TestOp op = ConvOp("UFIXED_POINT_8", "SFIXED_POINT_8", nullptr, "UFIXED_POINT_8");
  op.in(1).present = false;
  const MatchResult result = Match(matcher, op);
  ASSERT_THAT(Codes(result), ElementsAre("GS101"));
  EXPECT_TRUE(IsPort(result.violations[0].port, PortRef::kInput, 1));
  EXPECT_EQ(result.violations[0].observed, "no in[1]");
}

TEST(Matcher, ATensorThatTheDefinitionDoesNotHaveIsRefusedInABackendsOwnGraph) {
  const TableMatcher matcher = Compile({MakeTable({Conv2d()})}, {Conv2dDefinition()});
  TestOp op = ConvOp("UFIXED_POINT_8", "SFIXED_POINT_8", nullptr, "UFIXED_POINT_8");
  op.as_stated = true;
  EXPECT_THAT(Codes(Match(matcher, op)), Not(Contains("GS102")));
  op.Input(3, "UFIXED_POINT_8");
  const MatchResult result = Match(matcher, op);
  ASSERT_THAT(Codes(result), Contains("GS102"));
  EXPECT_TRUE(IsPort(result.violations[0].port, PortRef::kInput, 3));
  EXPECT_EQ(result.violations[0].observed, "a tensor in[3]");
}

TEST(Pitfalls, V9_TheAxisIsCompared) {
  const TableMatcher matcher = Compile({MakeTable({Conv2d()})});
  TestOp op = ConvOp("UFIXED_POINT_8", "SFIXED_POINT_8", nullptr, "UFIXED_POINT_8");
  op.PerChannel(op.in(1), 3, {0.1, 0.2}, {0, 0});
  EXPECT_THAT(Codes(Match(matcher, op)), IsEmpty());
  op.in(1).axis = 0;
  EXPECT_THAT(Codes(Match(matcher, op)), ElementsAre("AX101"));
}

TEST(Pitfalls, V17_UnquantizedIntegersKeepTheirOwnType) {
  db::OpConstraints gather;
  gather.op = "Gather";
  gather.rows = {MakeRow("INT8", 1, "in[0]=UFIXED_POINT_8 in[1]=INT_32 out[0]=UFIXED_POINT_8")};
  const TableMatcher matcher = Compile({MakeTable({gather})});
  TestOp op("Gather");
  op.Input(0, "UFIXED_POINT_8").Input(1, "INT_32").Output(0, "UFIXED_POINT_8");
  EXPECT_THAT(Codes(Match(matcher, op)), IsEmpty());
  op.Input(1, "SFIXED_POINT_32");
  EXPECT_THAT(Codes(Match(matcher, op)), ElementsAre("DT101"));
  op.Input(0, "UINT_8").Input(1, "INT_32");
  EXPECT_THAT(Codes(Match(matcher, op)), ElementsAre("DT101"));
}

TEST(Pitfalls, X4_RowsWithoutInputsOrOutputs) {
  db::OpConstraints source, sink, nothing;
  source.op = "Source", sink.op = "Sink", nothing.op = "Nothing";
  source.rows = {MakeRow("INT8", 1, "out[0]=UFIXED_POINT_8")};
  sink.rows = {MakeRow("INT8", 1, "in[0]=UFIXED_POINT_8")};
  nothing.rows = {MakeRow("INT8", 1, "")};
  const TableMatcher matcher = Compile({MakeTable({nothing, sink, source})});
  EXPECT_THAT(Codes(Match(matcher, TestOp("Source").Output(0, "UFIXED_POINT_8"))), IsEmpty());
  EXPECT_THAT(Codes(Match(matcher, TestOp("Source").Output(0, "FLOAT_32"))), ElementsAre("DT101"));
  EXPECT_THAT(Codes(Match(matcher, TestOp("Sink").Input(0, "UFIXED_POINT_8"))), IsEmpty());
  EXPECT_THAT(Codes(Match(matcher, TestOp("Nothing"))), IsEmpty());
  EXPECT_THAT(Codes(Match(matcher, TestOp("Nothing").Input(0, "FLOAT_32"))), ElementsAre("DT101"));
}

TEST(Pitfalls, X5_EveryDataTypeCanBeMatchedAndPrinted) {
  const TableMatcher matcher = Compile({MakeTable({Conv2d()})});
  for (int type = v1::DATA_TYPE_BOOL; type <= v1::DATA_TYPE_STRING; ++type) {
    for (const bool quantized : {false, true}) {
      TestOp op = ConvOp("UFIXED_POINT_8", "SFIXED_POINT_8", nullptr, "UFIXED_POINT_8");
      op.in(1).type = {static_cast<v1::DataType>(type), quantized};
      const bool listed = quantized && (type == v1::DATA_TYPE_INT8 || type == v1::DATA_TYPE_UINT8);
      const MatchResult result = Match(matcher, op);
      EXPECT_EQ(result.violations.empty(), listed) << type;
      if (!listed) {
        EXPECT_THAT(result.violations[0].observed, HasSubstr("in[1]: ")) << type;
      }
    }
  }
}

TEST(Pitfalls, X6_UnknownShapesAreNotJudged) {
  const TableMatcher matcher = Compile({MakeTable({Conv2d()})});
  TestOp op = ConvOp("UFIXED_POINT_8", "SFIXED_POINT_8", nullptr, "UFIXED_POINT_8");
  op.in(0).rank = -1;
  op.in(0).dims = {};
  const MatchResult result = Match(matcher, op);
  EXPECT_THAT(result.violations, IsEmpty());
  ASSERT_THAT(result.unjudged, SizeIs(1));
  EXPECT_STREQ(result.unjudged[0].rule->code, "GS103");
}

// Rules.

TEST(ConstraintRulesTest, CodesAndNamesAreUniqueAndTextsComplete) {
  std::set<std::string> codes, names;
  for (const RuleInfo* rule : ConstraintRules()) {
    EXPECT_TRUE(codes.insert(rule->code).second) << rule->code;
    EXPECT_TRUE(names.insert(rule->name).second) << rule->name;
    ASSERT_EQ(std::string(rule->code).size(), 5u);
    EXPECT_EQ(rule->code[2], '1') << rule->code;
    for (const char* part : {"{subject}", "{observed}", "{allowed}"}) {
      EXPECT_TRUE(absl::StrContains(rule->message, part)) << rule->code << " " << part;
    }
    for (const char* text : {rule->message, rule->why, rule->fix, rule->example}) {
      EXPECT_TRUE(absl::EndsWith(text, ".")) << rule->code << ": " << text;
    }
    EXPECT_TRUE(absl::StartsWith(rule->example, "Fires: ")) << rule->code;
    EXPECT_TRUE(absl::StrContains(rule->example, "Does not: ")) << rule->code;
    EXPECT_NE(rule->stages, 0u);
    const bool error = rule->effect == v1::Finding::REFUSED || rule->effect == v1::Finding::WRONG_NUMBERS;
    EXPECT_EQ(rule->severity, error ? v1::Finding::ERROR : v1::Finding::INFO) << rule->code;
  }
}

}  // namespace
}  // namespace quantgate
