#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "db/compiler/compile.h"
#include "db/database.h"

namespace quantgate::db {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr char kDefinitions[] = R"(definitions: ops
sdk: 1.0
document: definitions
evidence: documented
ops:
  Add:
    inputs:
      - in[0] required backend
      - in[1] required backend
    parameters:
      - operation required UINT_32
      - axis optional UINT_32 default=N-1
    outputs:
      - out[0] required backend same_as=in[0]
  Pack:
    inputs:
      - in[0..m] required backend
    outputs:
      - out[0] required backend
)";

constexpr char kTable[] = R"(table: toy
sdk: 2.25.0
document: a document
evidence: documented
definitions: ops@1.0
enums:
  Add.operation: PLUS=0 MINUS=7
ops:
  Add:
    ports: in[0] in[1] out[0] axis
    rows:
      INT8:
        - UFIXED_POINT_8 UFIXED_POINT_8|
            SFIXED_POINT_8 UFIXED_POINT_8 ~
        - {types: INT_32 INT_32 INT_32 UINT_32, archs: 73.., evidence: measured, source: asked}
    items:
      All in[0]:
        - rank max=4
        - - rank max=5 when_operation=PLUS,
              MINUS
          - symmetric when_type=UFIXED_POINT_8
        - {predicates: static_dims, archs: ..75, evidence: measured, source: asked}
    summary:
      INT8 axis:
        - param_default
  Pack:
    ports: in[0..m] out[0]
    rows:
      All:
        - BOOL_8 BOOL_8
)";

absl::StatusOr<ConstraintSource> Parse(const std::string& table) {
  const auto sources = ParseSources(std::vector<SourceFile>{{"toy.yaml", table}, {"ops.yaml", kDefinitions}});
  if (!sources.ok()) return sources.status();
  for (const Source& source : *sources) {
    if (std::holds_alternative<ConstraintSource>(source)) return std::get<ConstraintSource>(source);
  }
  return absl::NotFoundError("no table");
}

std::string Replaced(const std::string& from, const std::string& to) {
  const std::string text = absl::StrReplaceAll(kTable, {{from, to}});
  EXPECT_NE(text, kTable) << from;
  return text;
}

std::string ErrorOf(const std::string& table) {
  const auto parsed = Parse(table);
  EXPECT_EQ(parsed.status().code(), absl::StatusCode::kInvalidArgument) << parsed.status();
  return std::string(parsed.status().message());
}

TEST(ParseSources, ReadsRowsItemsAndAnnotations) {
  const auto table = Parse(kTable);
  ASSERT_TRUE(table.ok()) << table.status();
  EXPECT_EQ(table->head.name, "toy");
  ASSERT_EQ(table->ops.size(), 2u);
  const OpConstraints& add = table->ops[0];
  ASSERT_EQ(add.rows.size(), 2u);
  ASSERT_EQ(add.rows[0].ports.size(), 3u);  // "~": says nothing of axis
  EXPECT_EQ(add.rows[0].ports[1].types.size(), 2u);
  EXPECT_EQ(add.rows[0].source, "");
  EXPECT_EQ(add.rows[1].archs.min, 73);
  EXPECT_EQ(add.rows[1].archs.max, 0);
  EXPECT_EQ(add.rows[1].evidence, Evidence::kMeasured);
  EXPECT_EQ(add.rows[1].source, "asked");
  ASSERT_EQ(add.items.size(), 4u);
  ASSERT_EQ(add.items[1].predicates.size(), 2u);
  EXPECT_EQ(add.items[1].predicates[0].args[1].second, "PLUS=0,MINUS=7");
  EXPECT_EQ(add.items[2].archs.max, 75);
  EXPECT_EQ(add.items[2].ordinal, 3);
  EXPECT_TRUE(add.items[3].summary);
  EXPECT_EQ(add.items[3].ordinal, 1);
}

struct Mistake {
  const char* name;
  const char* from;
  const char* to;
  const char* error;
};

class CompileErrors : public testing::TestWithParam<Mistake> {};

TEST_P(CompileErrors, NameFileLineAndCause) {
  EXPECT_EQ(ErrorOf(Replaced(GetParam().from, GetParam().to)), GetParam().error);
}

INSTANTIATE_TEST_SUITE_P(
    All, CompileErrors,
    testing::Values(
        Mistake{"UnknownType", "- BOOL_8 BOOL_8", "- BOOL_8 BOOL_9", "toy.yaml:30: unknown element type \"BOOL_9\""},
        Mistake{"UnknownPort", "ports: in[0..m] out[0]", "ports: in[0..m] out[1]",
                "toy.yaml:27: operator Pack has no port \"out[1]\""},
        Mistake{"UnknownItemPort", "All in[0]:", "All in[2]:", "toy.yaml:17: operator Add has no port \"in[2]\""},
        Mistake{"UnknownConfiguration", "INT8 axis:", "INT4 axis:", "toy.yaml:24: no row has configuration \"INT4\""},
        Mistake{"DuplicateOp", "  Pack:", "  Add:", "toy.yaml:26: duplicate operator \"Add\""},
        Mistake{"UndefinedOp", "  Pack:", "  Packs:", "toy.yaml:27: operator \"Packs\" is not defined in ops"},
        Mistake{"UnknownKind", "rank max=4", "ranks max=4", "toy.yaml:18: predicate kind \"ranks\" has no evaluator"},
        Mistake{"UnknownArgument", "rank max=4", "rank most=4",
                "toy.yaml:18: predicate rank: needs \"min\" or \"max\"; takes no argument \"most\""},
        Mistake{"NoArgument", "rank max=4", "rank", "toy.yaml:18: predicate rank: needs \"min\" or \"max\""},
        Mistake{"OnlyConditions", "rank max=4", "rank when_rank=4..",
                "toy.yaml:18: predicate rank: needs \"min\" or \"max\""},
        Mistake{"MissingArgument", "rank max=4", "dim_value dim=0",
                "toy.yaml:18: predicate dim_value: argument \"value\" is missing"},
        Mistake{"DuplicateArgument", "rank max=4", "rank max=4 max=4",
                "toy.yaml:18: predicate rank: argument \"max\" is given twice"},
        Mistake{"BadNumber", "rank max=4", "rank max=four",
                "toy.yaml:18: predicate rank: argument \"max\" is \"four\", not a number"},
        Mistake{"BadTypeInPredicate", "when_type=UFIXED_POINT_8", "when_type=FIXED_8",
                "toy.yaml:21: predicate symmetric: argument \"when_type\" has \"FIXED_8\", not an element type"},
        Mistake{"BadEncoding", "when_type=UFIXED_POINT_8", "when_encoding=per_axis",
                "toy.yaml:21: predicate symmetric: argument \"when_encoding\" has \"per_axis\", not an encoding"},
        Mistake{"BadRank", "when_type=UFIXED_POINT_8", "when_rank=4",
                "toy.yaml:21: predicate symmetric: argument \"when_rank\" is \"4\", not LO..HI"},
        Mistake{"BadOtherPort", "when_type=UFIXED_POINT_8", "when_port_type=in[7]:BOOL_8",
                "toy.yaml:21: unknown port \"in[7]\""},
        Mistake{"BadParameter", "when_type=UFIXED_POINT_8", "when_param=axes:1",
                "toy.yaml:21: unknown parameter \"axes\""},
        Mistake{"UnknownEnumValue", "when_operation=PLUS", "when_operation=TIMES",
                "toy.yaml:19: unknown value of Add.operation \"TIMES\""},
        Mistake{"UnknownEnumeration", "Add.operation:", "Add.operations:",
                "toy.yaml:7: enumeration \"Add.operations\" is not Operator.parameter"},
        Mistake{"MissingColumn", "- BOOL_8 BOOL_8", "- BOOL_8",
                "toy.yaml:30: row has 1 columns, the operator has 2 ports"},
        Mistake{"UnknownKey", "document: a document", "document: a document\ncolour: red",
                "toy.yaml:4: unknown key \"colour\" in file"},
        Mistake{"MissingHead", "document: a document\n", "", "toy.yaml:1: missing \"document\""},
        Mistake{"BadSdk", "sdk: 2.25.0", "sdk: newest", "toy.yaml:2: not an SDK version: \"newest\""},
        Mistake{"BadEvidence", "evidence: documented", "evidence: rumour",
                "toy.yaml:4: evidence is documented or measured, not \"rumour\""},
        Mistake{"BadArchs", "archs: 73..", "archs: 79..73", "toy.yaml:15: empty arch range"},
        Mistake{"ArchsOfAll", "archs: 73..", "archs: ..", "toy.yaml:15: archs are LO..HI, one may be empty"},
        Mistake{"ArchZero", "archs: 73..", "archs: ..0", "toy.yaml:15: archs are counted from 1 on"},
        Mistake{"BadEffect", "archs: ..75, evidence", "effect: sad, evidence",
                "toy.yaml:22: an effect is refused, unprepared, wrong_numbers or not_enforced"},
        Mistake{"BadSdks", "archs: 73..", "sdks: later", "toy.yaml:15: sdks are LO..HI, either may be empty"},
        Mistake{"BadSdksEnd", "archs: 73..", "sdks: x..", "toy.yaml:15: not an SDK version: \"x\""},
        Mistake{"SdksOfNoVersion", "archs: 73..", "sdks: 2.60..",
                "toy.yaml:15: no version of this table (2.25.0) is within 2.60.."},
        Mistake{"ReversedSdks", "archs: ..75", "sdks: 2.60..2.13",
                "toy.yaml:22: no version of this table (2.25.0) is within 2.60..2.13"},
        Mistake{"NoName", "table: toy", "table: ''", "toy.yaml:1: a name is of letters, digits and _, not \"\""},
        Mistake{"NoNameButASign", "table: toy", "table: '@'",
                "toy.yaml:1: a name is of letters, digits and _, not \"@\""},
        Mistake{"UntilBeforeSdk", "sdk: 2.25.0", "sdk: 2.25.0\nsdk_until: 2.13", "toy.yaml:3: sdk_until is before sdk"},
        Mistake{"ValueNamedTwice", "PLUS=0 MINUS=7", "PLUS=0 PLUS=7", "toy.yaml:7: Add.operation names \"PLUS\" twice"},
        Mistake{"RowTwice", "measured, source: asked}\n    items",
                "measured, source: asked}\n        - {types: INT_32 INT_32 INT_32 UINT_32, archs: 73..}\n    items",
                "toy.yaml:16: the same as row 2"},
        Mistake{"ItemTwice", "    summary:", "        - {predicates: static_dims, archs: ..75}\n    summary:",
                "toy.yaml:23: the same as item 3"},
        Mistake{"PredicateTwice", "symmetric when", "rank max=5 when_operation=PLUS,MINUS\n          - symmetric when",
                "toy.yaml:21: the same predicate twice"},
        Mistake{"OddOpenEnd", "All in[0]:", "All in[0..x]:", "toy.yaml:17: operator Add has no port \"in[0..x]\""},
        Mistake{"BadAlso", "document: a document", "document: a document\nalso: old",
                "toy.yaml:4: not an SDK version: \"old\""},
        Mistake{"BadOperation", "  Pack:\n", "  Add:TIMES:\n",
                "toy.yaml:27: \"Add:TIMES\" names no operation of the enumerations"},
        Mistake{"FamilyOfNobody", "enums:", "families:\n  - ops: Sub\n    items: {}\nenums:",
                "toy.yaml:7: operator \"Sub\" is not in this table"},
        Mistake{"FamilyWithoutAStranger", "enums:", "families:\n  - {ops: Add, except: Pack, items: {}}\nenums:",
                "toy.yaml:7: operator \"Pack\" is not in the family"},
        Mistake{"NoDefinitions", "definitions: ops@1.0", "definitions: ops@2.0",
                "toy.yaml:5: no definitions \"ops@2.0\""}),
    [](const auto& info) { return info.param.name; });

// What a kind takes is what the one who evaluates it reads; the place is the file's. Beside each what it does take.
TEST(ParseSources, RefusesWhatNobodyEvaluates) {
  const std::pair<const char*, const char*> cases[] = {
      {"rank min=5 max=4", "rank min=4 max=5"},
      {"rank max=-5", "rank max=0"},
      {"rank max=4.5", "rank max=8"},
      {"rank max=4 when_rank=4..2", "rank max=4 when_rank=2..4"},
      {"fixed_qparams scale=1/0", "fixed_qparams scale=1/2"},
      {"fixed_qparams scale=nan", "fixed_qparams scale=0"},
      {"fixed_qparams scale=inf", "fixed_qparams scale=1e3"},
      {"value_range min=3 max=1", "value_range min=1 max=3"},
      {"value_range min=3", "value_range min=3 max=3"},
      {"zero_point min=4", "zero_point min=4 max=5"},
      {"param_value allowed=1", "param_value param=axis allowed=1"},
      {"note meaning=qparam_may_change", "note meaning=qparams_may_change"},
      {"positive_scale zero_point=foo", "positive_scale zero_point=any"},
      {"run_time_qparams value=perhaps", "run_time_qparams value=no"},
      {"bits allowed=4.5", "bits allowed=4"},
      {"equal_scale port=axis", "equal_scale port=in[1]"},
      {"equal_scale port=in[0]", "equal_scale port=out[0]"},
      {"same_type port=in[0]", "same_type port=in[1]"},
      {"rank max=3 when_port_type=in[0]:BOOL_8", "rank max=3 when_port_type=in[1]:BOOL_8"},
      {"equal_zero_point port=in[1] without_encoding=foo", "equal_zero_point port=in[1] without_encoding=zero"},
      {"min_arch arch=73", "min_arch arch=73 when_type=BOOL_8"},
      {"encoding_axis axis=0", "encoding_axis axis=0 when_encoding=per_channel"},
  };
  for (const auto& [bad, good] : cases) {
    EXPECT_THAT(ErrorOf(Replaced("rank max=4", bad)), StartsWith("toy.yaml:18: predicate ")) << bad;
    const auto parsed = Parse(Replaced("rank max=4", good));
    EXPECT_TRUE(parsed.ok()) << good << ": " << parsed.status();
  }
}

// A document that says a thing twice is kept as it is: its numbers count on.
TEST(ParseSources, KeepsWhatADocumentSaysTwice) {
  const auto parsed = Parse(Replaced("- rank max=4", "- rank max=4\n        - rank max=4"));
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(parsed->ops[0].items.size(), 5);
}

TEST(ParseSources, AFileIsOneDocument) {
  EXPECT_EQ(ErrorOf(absl::StrCat(kTable, "---\ntable: other\n")), "toy.yaml:32: a second document; a file holds one");
  EXPECT_TRUE(Parse(absl::StrCat("---\n", kTable)).ok());
}

// Whatever else a table's archs may count, of a backend with SoCs they are the SoCs'.
TEST(ParseSources, ArchsAreThoseOfSocs) {
  const std::string head = "sdk: 1.0\ndocument: d\nevidence: measured\nrows:\n  - 7 X1 73 kernels=75\n";
  const auto parse = [&](const std::string& backend, const std::string& archs) {
    const std::string table = absl::StrReplaceAll(kTable, {{"archs: 73..", absl::StrCat("archs: ", archs)}});
    const std::vector<SourceFile> files = {
        {"ops.yaml", kDefinitions}, {"toy.yaml", table}, {"socs.yaml", absl::StrCat("socs: ", backend, "\n", head)}};
    return ParseSources(files).status();
  };
  EXPECT_EQ(parse("toy", "..60").message(), "toy.yaml:15: no SoC has an arch within ..60");
  EXPECT_EQ(parse("toy", "79..").message(), "toy.yaml:15: no SoC has an arch within 79..");
  for (const char* archs : {"73..", "75..", "..73"}) EXPECT_TRUE(parse("toy", archs).ok()) << archs;
  EXPECT_TRUE(parse("other", "..60").ok());
}

// Families, effects, entries of operations, and the versions that one file speaks for.
TEST(ParseSources, ReadsWhatMeasuredTablesNeed) {
  const std::string text = absl::StrReplaceAll(
      kTable, {{"document: a document", "also: 2.13.0\ndocument: a document"},
               {"archs: 73..", "sdks: 2.25.."},
               {"archs: ..75, evidence: measured", "effect: wrong_numbers, sdks: ..2.13, evidence: measured"},
               {"  Pack:\n", "  Add:MINUS:\n    items:\n      All in[1]:\n        - rank max=3\n  Pack:\n"},
               {"enums:",
                "families:\n  - ops: \"*\"\n    except: Add\n    items:\n      All in[0]:\n        - rank max=2\n"
                "enums:"}});
  const auto sources = ParseSources(std::vector<SourceFile>{{"toy.yaml", text}, {"ops.yaml", kDefinitions}});
  ASSERT_TRUE(sources.ok()) << sources.status();
  std::map<std::string, const ConstraintSource*> tables;
  for (const Source& source : *sources) {
    if (const auto* table = std::get_if<ConstraintSource>(&source)) tables[table->head.sdk] = table;
  }
  ASSERT_EQ(tables.size(), 2);
  const std::vector<OpConstraints>& newer = tables["2.25.0"]->ops;
  const std::vector<OpConstraints>& older = tables["2.13.0"]->ops;
  ASSERT_EQ(newer.size(), 3);
  EXPECT_EQ(newer[0].op, "Add");
  EXPECT_EQ(newer[0].operation, -1);
  EXPECT_EQ(newer[1].op, "Add:MINUS");
  EXPECT_EQ(newer[1].operation, 7);
  EXPECT_EQ(newer[0].rows.size(), 2);
  EXPECT_EQ(older[0].rows.size(), 1);
  EXPECT_EQ(newer[0].items.size(), 3);
  ASSERT_EQ(older[0].items.size(), 4);
  EXPECT_EQ(older[0].items[2].effect, ItemEffect::kWrongNumbers);
  EXPECT_EQ(older[0].items[2].ordinal, 3);
  EXPECT_EQ(newer[0].items[0].effect, ItemEffect::kRefused);
  // The family reaches all but one.
  EXPECT_EQ(newer[1].items.size(), 2);
  EXPECT_EQ(newer[2].items.size(), 1);
}

TEST(ParseSources, DefinitionsExtendOlderOnes) {
  const std::string head = "definitions: ops\nsdk: 1.1\ndocument: d\nevidence: measured\nextends: ops@1.0\nops:\n";
  const auto parse = [&](const std::string& later) {
    const std::vector<SourceFile> files = {{"ops.yaml", kDefinitions}, {"later.yaml", later}, {"toy.yaml", kTable}};
    return ParseSources(files);
  };
  const std::string relu = "  Relu:\n    inputs:\n      - in[0] required backend\n";
  const auto good = parse(head + relu);
  ASSERT_TRUE(good.ok()) << good.status();
  EXPECT_EQ(std::get<DefinitionSource>((*good)[0]).ops.size(), 2);
  EXPECT_EQ(std::get<DefinitionSource>((*good)[1]).ops.size(), 3);
  EXPECT_THAT(parse(absl::StrReplaceAll(head + relu, {{"ops@1.0", "ops@0.9"}})).status().message(),
              HasSubstr("later.yaml:5: no definitions \"ops@0.9\""));
  EXPECT_THAT(parse(absl::StrReplaceAll(head + relu, {{"Relu", "Add"}})).status().message(),
              HasSubstr("operator \"Add\" is defined in what this file extends"));
}

TEST(ParseSources, NamesTheLineOfBadYaml) {
  // yaml-cpp lets an open quote run to the end of the file.
  EXPECT_EQ(ErrorOf(Replaced("ports: in[0..m] out[0]", "ports: \"in[0..m] out[0]")),
            "toy.yaml:27: operator Pack has ports and no rows");
  EXPECT_THAT(ErrorOf(Replaced("  Pack:", " Pack:")), StartsWith("toy.yaml:26:"));
  EXPECT_THAT(ErrorOf(""), HasSubstr("expected a mapping"));
  EXPECT_THAT(ErrorOf("[1, 2"), StartsWith("toy.yaml:1:"));
}

TEST(ParseSources, ReadsSocs) {
  const std::string head = "socs: toy\nsdk: 1.0\ndocument: d\nevidence: measured\nrows:\n";
  const auto parse = [&](const std::string& rows) { return ParseSource("socs.yaml", head + rows, {}); };
  const auto good = parse("  - 7 X1 73 vtcm=8 alias=X2,X3 kernels=75 float=no\n  - 3 - 66\n");
  ASSERT_TRUE(good.ok()) << good.status();
  const auto& socs = std::get<SocSource>(*good).socs;
  ASSERT_EQ(socs.size(), 2u);
  EXPECT_EQ(socs[0].id, 3);
  EXPECT_TRUE(socs[0].has_float);
  EXPECT_FALSE(socs[1].has_float);
  EXPECT_EQ(socs[1].arch, 73);
  EXPECT_EQ(socs[1].kernels, 75);
  EXPECT_EQ(socs[0].arch, 0);
  EXPECT_EQ(socs[0].name, "");
  EXPECT_THAT(socs[1].aliases, testing::ElementsAre("X2", "X3"));
  EXPECT_EQ(std::get<SocSource>(*parse("  - 7 X1 73\n")).socs[0].kernels, 73);
  EXPECT_EQ(parse("  - 7 X1 73\n  - 7 X2 73\n").status().message(), "socs.yaml:7: duplicate SoC id 7");
  EXPECT_EQ(parse("  - 7 X1 73\n  - 8 X2 73 alias=X1\n").status().message(), "socs.yaml:7: duplicate SoC name \"X1\"");
  // Targets are named in whatever case, and by archs and ids, too.
  EXPECT_EQ(parse("  - 7 X1 73\n  - 8 x1 73\n").status().message(), "socs.yaml:7: duplicate SoC name \"x1\"");
  for (const char* name : {"V68", "v79", "900"}) {
    EXPECT_EQ(parse(absl::StrCat("  - 7 X1 73 alias=", name, "\n")).status().message(),
              absl::StrCat("socs.yaml:6: \"", name, "\" reads as an arch or an id, not as a name"));
  }
  EXPECT_TRUE(parse("  - 7 V68A 73 alias=9X\n").ok());
  for (const char* row : {"  - 7 X1 73 kernels=69\n", "  - 7 X1 66 kernels=68\n"}) {
    EXPECT_EQ(parse(row).status().message(), "socs.yaml:6: kernels are those of the SoC's arch or a later one") << row;
  }
  EXPECT_EQ(parse("  - 7 X1 V73\n").status().message(), "socs.yaml:6: not an integer: \"V73\"");
}

// --- The file

std::string Compile(const std::string& table, const std::string& name, bool reversed = false) {
  std::vector<SourceFile> files = {{"toy.yaml", table}, {"ops.yaml", kDefinitions}};
  if (reversed) std::swap(files[0], files[1]);
  auto sources = ParseSources(files);
  EXPECT_TRUE(sources.ok()) << sources.status();
  if (reversed) std::reverse(sources->begin(), sources->end());
  const std::string path = testing::TempDir() + name;
  const auto status = WriteDatabase(*sources, path);
  EXPECT_TRUE(status.ok()) << status;
  return path;
}

std::string Bytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

std::string DigestOf(const std::string& table) {
  const auto database = Database::Open(Compile(table, "digest.sqlite"));
  EXPECT_TRUE(database.ok()) << database.status();
  return database.ok() ? (*database)->digest() : "";
}

TEST(WriteDatabase, GivesTheSameBytesForTheSameSources) {
  const std::string first = Bytes(Compile(kTable, "first.sqlite"));
  EXPECT_FALSE(first.empty());
  EXPECT_EQ(first, Bytes(Compile(kTable, "second.sqlite", /*reversed=*/true)));
}

TEST(WriteDatabase, DigestFollowsTheContent) {
  const std::string digest = DigestOf(kTable);
  EXPECT_EQ(digest.size(), 64u);
  EXPECT_EQ(digest, DigestOf(Replaced("ops:\n  Add:", "# a comment\nops:\n  Add:")));
  EXPECT_NE(digest, DigestOf(Replaced("- BOOL_8 BOOL_8", "- BOOL_8 INT_32")));
  EXPECT_NE(digest, DigestOf(Replaced("rank max=4", "rank max=3")));
  EXPECT_NE(digest, DigestOf(Replaced("source: asked", "source: asked twice")));
  EXPECT_NE(digest, DigestOf(Replaced("archs: 73..", "archs: 75..")));
}

TEST(WriteDatabase, RefusesTwoSourcesOfOneName) {
  const auto sources =
      ParseSources(std::vector<SourceFile>{{"a.yaml", kTable}, {"b.yaml", kTable}, {"ops.yaml", kDefinitions}});
  ASSERT_TRUE(sources.ok());
  const auto status = WriteDatabase(*sources, testing::TempDir() + "twice.sqlite");
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("toy@2.25.0"));
}

TEST(WriteDatabase, SaysWhereItCannotWrite) {
  const auto sources = ParseSources(std::vector<SourceFile>{{"ops.yaml", kDefinitions}});
  ASSERT_TRUE(sources.ok());
  EXPECT_THAT(std::string(WriteDatabase(*sources, "/nonexistent/x.sqlite").message()),
              HasSubstr("/nonexistent/x.sqlite"));
}

TEST(WriteDatabase, RoundTripsThroughTheDatabase) {
  const auto database = Database::Open(Compile(kTable, "trip.sqlite"));
  ASSERT_TRUE(database.ok()) << database.status();
  const auto parsed = Parse(kTable);
  const auto loaded = (*database)->LoadTable("toy", "2.25.0");
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(loaded->document, "a document");
  ASSERT_EQ(loaded->ops.size(), parsed->ops.size());
  const OpConstraints& before = parsed->ops[0];
  const OpConstraints& after = loaded->ops[0];
  ASSERT_EQ(after.rows.size(), before.rows.size());
  for (size_t i = 0; i < before.rows.size(); ++i) {
    EXPECT_EQ(after.rows[i].configuration, before.rows[i].configuration);
    EXPECT_EQ(after.rows[i].archs.min, before.rows[i].archs.min);
    EXPECT_EQ(after.rows[i].evidence, before.rows[i].evidence);
    EXPECT_EQ(after.rows[i].source, before.rows[i].source);
    ASSERT_EQ(after.rows[i].ports.size(), before.rows[i].ports.size());
    for (size_t p = 0; p < before.rows[i].ports.size(); ++p) {
      EXPECT_EQ(after.rows[i].ports[p].port, before.rows[i].ports[p].port);
      EXPECT_EQ(after.rows[i].ports[p].types, before.rows[i].ports[p].types);
    }
  }
  ASSERT_EQ(after.items.size(), before.items.size());
  for (size_t i = 0; i < before.items.size(); ++i) {
    EXPECT_EQ(after.items[i].port, before.items[i].port);
    EXPECT_EQ(after.items[i].ordinal, before.items[i].ordinal);
    EXPECT_EQ(after.items[i].summary, before.items[i].summary);
    EXPECT_EQ(after.items[i].archs.max, before.items[i].archs.max);
    EXPECT_EQ(after.items[i].source, before.items[i].source);
    ASSERT_EQ(after.items[i].predicates.size(), before.items[i].predicates.size());
    for (size_t p = 0; p < before.items[i].predicates.size(); ++p) {
      EXPECT_EQ(after.items[i].predicates[p].kind, before.items[i].predicates[p].kind);
      EXPECT_EQ(after.items[i].predicates[p].args, before.items[i].predicates[p].args);
    }
  }
  const auto definitions = (*database)->LoadDefinitions("ops", "1.0");
  ASSERT_TRUE(definitions.ok()) << definitions.status();
  ASSERT_EQ(definitions->size(), 2u);
  EXPECT_EQ((*definitions)[0].parameters[1].default_value, "N-1");
  EXPECT_EQ((*definitions)[0].outputs[0].same_type_as, "in[0]");
}

}  // namespace
}  // namespace quantgate::db
