// The compiled tables against facts drawn from the documents by other means (data/*.tsv; see data/README.md).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "db/database.h"
#include "db/table_text.h"

namespace quantgate::db {
namespace {

using Fields = std::vector<std::string>;

std::vector<Fields> ReadTsv(const std::string& name) {
  std::ifstream file(absl::StrCat(QUANTGATE_TEST_DATA, "/data/", name));
  EXPECT_TRUE(file.good()) << name;
  std::vector<Fields> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(absl::StrSplit(line, '\t'));
  return lines;
}

const Database& Shipped() {
  static const Database* database = [] {
    auto opened = Database::OpenDefault();
    if (!opened.ok()) ADD_FAILURE() << opened.status();
    return opened->release();
  }();
  return *database;
}

const OpConstraints* FindOp(const ConstraintTable& table, const std::string& name) {
  for (const OpConstraints& op : table.ops) {
    if (op.op == name) return &op;
  }
  return nullptr;
}

// --- Facts of an item, checked against its predicates.

// "ADD=0,DIVIDE=2" as {"ADD", "DIVIDE"}, without underscores: the document's spelling.
std::set<std::string> Names(const std::string& list) {
  std::set<std::string> names;
  for (absl::string_view entry : absl::StrSplit(list, ',')) {
    const std::pair<std::string, std::string> pair = absl::StrSplit(entry, absl::MaxSplits('=', 1));
    names.insert(absl::StrReplaceAll(pair.first, {{"_", ""}}));
  }
  return names;
}

std::string Arg(const Predicate& predicate, const std::string& name) {
  for (const auto& [key, value] : predicate.args) {
    if (key == name) return value;
  }
  return "";
}

// Does the predicate speak of this operation? "*" is an operation that no predicate names.
bool Concerns(const Predicate& predicate, const std::string& operation) {
  const std::string when = Arg(predicate, "when_operation");
  const std::string unless = Arg(predicate, "unless_operation");
  if (!when.empty() && Names(when).count(operation) == 0) return false;
  return unless.empty() || Names(unless).count(operation) == 0;
}

// The value of `arg` in the predicates of `kind` that concern the operation; they must agree.
std::string ValueFor(const Item& item, const std::string& kind, const std::string& arg, const std::string& operation) {
  std::set<std::string> values;
  for (const Predicate& predicate : item.predicates) {
    if (predicate.kind == kind && Concerns(predicate, operation)) values.insert(Arg(predicate, arg));
  }
  return values.empty() ? "-" : absl::StrJoin(values, " and ");
}

std::string SortedTypes(const std::string& list) {
  std::vector<std::string> types = absl::StrSplit(list, ',');
  std::sort(types.begin(), types.end());
  return absl::StrJoin(types, "|");
}

bool HasFact(const Item& item, const std::string& fact) {
  const Fields parts = absl::StrSplit(fact, absl::MaxSplits(':', 2));
  if (parts[0] == "R") {  // R:LO:HI, rank
    const Predicate& predicate = item.predicates.front();
    return predicate.kind == "rank" && Arg(predicate, "min") == (parts[1] == "-" ? "" : parts[1]) &&
           Arg(predicate, "max") == parts[2];
  }
  if (parts[0] == "O") {
    return ValueFor(item, "rank", "max", parts[1]) == parts[2];  // O:OPERATION:HI, rank
  }
  if (parts[0] == "T") {  // T:OPERATION:TYPES|none
    for (const Predicate& predicate : item.predicates) {
      if (predicate.kind == "operation_unsupported" && Names(Arg(predicate, "operations")).count(parts[1]) != 0) {
        return parts[2] == "none";
      }
    }
    return SortedTypes(ValueFor(item, "types", "allowed", parts[1])) == parts[2];
  }
  if (parts[0] == "N") {  // N:argument=value
    const Fields pair = absl::StrSplit(parts[1], absl::MaxSplits('=', 1));
    return std::any_of(item.predicates.begin(), item.predicates.end(), [&](const Predicate& predicate) {
      const std::string value = Arg(predicate, pair[0]);
      // Values of an enumeration by name, in whatever order.
      return value == pair[1] || (value.find('=') != value.npos && Names(value) == Names(pair[1]));
    });
  }
  if (parts[0] == "W") {  // W:word, somewhere
    return std::any_of(item.predicates.begin(), item.predicates.end(), [&](const Predicate& predicate) {
      const std::vector<std::string> words = absl::StrSplit(PredicateText(predicate), absl::ByAnyChar(" ,=:"));
      return std::find(words.begin(), words.end(), parts[1]) != words.end();
    });
  }
  return false;
}

struct Table {
  const char* backend;
  const char* sdk;
  int ops, rows, items, summaries;
};

std::ostream& operator<<(std::ostream& out, const Table& table) { return out << table.backend << "@" << table.sdk; }

class ConstraintTables : public testing::TestWithParam<Table> {
 protected:
  void SetUp() override {
    auto table = Shipped().LoadTable(GetParam().backend, GetParam().sdk);
    ASSERT_TRUE(table.ok()) << table.status();
    table_ = *std::move(table);
  }
  std::vector<Fields> Data(const char* kind) const {
    return ReadTsv(absl::StrCat(GetParam().backend, "-", GetParam().sdk, ".", kind, ".tsv"));
  }
  ConstraintTable table_;
};

TEST_P(ConstraintTables, HaveTheDocumentsCounts) {
  int rows = 0, items = 0, summaries = 0;
  for (const OpConstraints& op : table_.ops) {
    rows += static_cast<int>(op.rows.size());
    for (const Item& item : op.items) ++(item.summary ? summaries : items);
  }
  EXPECT_EQ(table_.ops.size(), GetParam().ops);
  EXPECT_EQ(rows, GetParam().rows);
  EXPECT_EQ(items, GetParam().items);
  EXPECT_EQ(summaries, GetParam().summaries);
  EXPECT_TRUE(std::is_sorted(table_.ops.begin(), table_.ops.end(),
                             [](const OpConstraints& a, const OpConstraints& b) { return a.op < b.op; }));
  for (const TableInfo& info : Shipped().tables()) {
    if (info.backend != GetParam().backend || info.sdk != GetParam().sdk) continue;
    EXPECT_EQ(info.ops, GetParam().ops);
    EXPECT_EQ(info.rows, GetParam().rows);
    EXPECT_EQ(info.items, GetParam().items);
    EXPECT_FALSE(info.definitions);
  }
}

TEST_P(ConstraintTables, HoldEveryRowInOrder) {
  std::map<std::string, size_t> next;
  for (const Fields& fields : Data("rows")) {
    const OpConstraints* op = FindOp(table_, fields[0]);
    ASSERT_NE(op, nullptr) << fields[0];
    const size_t index = next[fields[0]]++;
    ASSERT_LT(index, op->rows.size()) << fields[0];
    const DtypeRow& row = op->rows[index];
    EXPECT_EQ(row.ordinal, static_cast<int>(index) + 1);
    EXPECT_EQ(row.configuration, fields[1]) << fields[0] << " row " << row.ordinal;
    // One port order per operator; within it, the document's ports and types.
    std::set<std::string> expected = absl::StrSplit(absl::StrReplaceAll(fields[2], {{",", "|"}}), ' ');
    std::set<std::string> actual = absl::StrSplit(RowText(row), ' ');
    EXPECT_EQ(actual, expected) << fields[0] << " row " << row.ordinal;
    EXPECT_EQ(row.evidence, Evidence::kDocumented);
    EXPECT_EQ(row.source, "");
  }
  for (const OpConstraints& op : table_.ops) EXPECT_EQ(op.rows.size(), next[op.op]) << op.op;
}

TEST_P(ConstraintTables, HoldEveryItemWithItsFacts) {
  size_t count = 0;
  for (const Fields& fields : Data("items")) {
    const std::string where = absl::StrJoin(Fields(fields.begin(), fields.begin() + 4), "/");
    const OpConstraints* op = FindOp(table_, fields[0]);
    ASSERT_NE(op, nullptr) << where;
    const auto item = std::find_if(op->items.begin(), op->items.end(), [&](const Item& candidate) {
      return candidate.configuration == fields[1] && candidate.port == fields[2] &&
             absl::StrCat(candidate.ordinal) == fields[3] && candidate.summary == (fields[4] == "summary");
    });
    ASSERT_NE(item, op->items.end()) << where;
    ++count;
    std::set<std::string> kinds;
    for (const Predicate& predicate : item->predicates) kinds.insert(predicate.kind);
    EXPECT_EQ(absl::StrJoin(kinds, ","), fields[6]) << where << ", statement " << fields[5];
    if (fields[7] == "-") continue;
    for (const std::string& fact : Fields(absl::StrSplit(fields[7], ' '))) {
      EXPECT_TRUE(HasFact(*item, fact)) << where << " lacks " << fact;
    }
  }
  EXPECT_EQ(count, static_cast<size_t>(GetParam().items + GetParam().summaries));
}

// The same statement is encoded the same way wherever it stands, but for what depends on the operator.
TEST_P(ConstraintTables, EncodeOneStatementOneWay) {
  std::map<std::string, std::set<std::string>> encodings;
  for (const Fields& fields : Data("items")) {
    const OpConstraints* op = FindOp(table_, fields[0]);
    for (const Item& item : op->items) {
      if (item.configuration != fields[1] || item.port != fields[2] || absl::StrCat(item.ordinal) != fields[3] ||
          item.summary != (fields[4] == "summary")) {
        continue;
      }
      std::string text;
      for (const Predicate& predicate : item.predicates) absl::StrAppend(&text, PredicateText(predicate), "; ");
      // "Rank <= 2" of a tensor counts its dimensions, of a parameter its numbers.
      const bool tensor = absl::StartsWith(fields[2], "in[") || absl::StartsWith(fields[2], "out[");
      encodings[absl::StrCat(fields[5], tensor ? "" : ", of a parameter")].insert(text);
    }
  }
  for (const auto& [statement, texts] : encodings) {
    // The channel axis of a block encoding is the first one of FullyConnected, the last one elsewhere.
    const bool by_operator = texts.begin()->find("axis=-1 when_encoding=block_expansion") != std::string::npos ||
                             texts.begin()->find("axis=0 when_encoding=block_expansion") != std::string::npos;
    EXPECT_LE(texts.size(), by_operator ? 2u : 1u) << statement << ": " << absl::StrJoin(texts, " | ");
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, ConstraintTables,
    testing::Values(Table{"qnn_htp", "2.13.0", 112, 112, 249, 13}, Table{"qnn_htp", "2.25.0", 121, 1086, 624, 0},
                    Table{"qnn_htp_fp16", "2.13.0", 93, 93, 197, 10}, Table{"qnn_lpai", "2.25.0", 46, 46, 104, 6}),
    [](const auto& info) {
      return absl::StrReplaceAll(absl::StrCat(info.param.backend, "_", info.param.sdk), {{".", "_"}});
    });

// Rows that came with a version, and items that went.
TEST(MeasuredTable, AnOlderSdkLacksWhatCameLater) {
  const auto older = Shipped().LoadTable("qnn_htp", "2.47.0");
  const auto newer = Shipped().LoadTable("qnn_htp", "2.51.0");
  ASSERT_TRUE(older.ok() && newer.ok());
  const auto rows = [](const ConstraintTable& table, const char* op) { return FindOp(table, op)->rows.size(); };
  EXPECT_EQ(rows(*older, "ReduceMax") + 2, rows(*newer, "ReduceMax"));
  EXPECT_EQ(rows(*older, "Convert") + 8, rows(*newer, "Convert"));
  EXPECT_EQ(FindOp(*older, "MatMul")->items.size(), FindOp(*newer, "MatMul")->items.size() + 4);
  // Numbers are those of the version's own list.
  for (const OpConstraints& op : older->ops) {
    for (size_t i = 0; i < op.rows.size(); ++i) EXPECT_EQ(op.rows[i].ordinal, static_cast<int>(i) + 1) << op.op;
  }
}

// Every combination of element types that the vendor's library took, from which arch on, and no others.
TEST(MeasuredTable, HoldsTheRowsThatTheLibraryTook) {
  const auto table = Shipped().LoadTable("qnn_htp", "2.51.0");
  ASSERT_TRUE(table.ok()) << table.status();
  EXPECT_EQ(table->evidence, Evidence::kMeasured);
  std::map<std::string, size_t> next;
  for (const Fields& fields : ReadTsv("qnn_htp-2.51.0.rows.tsv")) {
    const OpConstraints* op = FindOp(*table, fields[0]);
    ASSERT_NE(op, nullptr) << fields[0];
    const size_t index = next[fields[0]]++;
    ASSERT_LT(index, op->rows.size()) << fields[0];
    const DtypeRow& row = op->rows[index];
    EXPECT_EQ(row.configuration, fields[1]) << fields[0] << " row " << row.ordinal;
    const std::set<std::string> expected = absl::StrSplit(fields[2], ' ');
    const std::set<std::string> actual = absl::StrSplit(RowText(row), ' ');
    EXPECT_EQ(actual, expected) << fields[0] << " row " << row.ordinal;
    std::string how = absl::StrCat(row.archs.min == 0 ? 68 : row.archs.min, "..");
    if (absl::StartsWith(row.source, "listed")) how = "listed";
    if (row.evidence == Evidence::kDocumented) how = "documented";
    EXPECT_EQ(how, fields[3]) << fields[0] << " row " << row.ordinal;
  }
  for (const OpConstraints& op : table->ops) {
    EXPECT_EQ(op.rows.size(), next[op.op]) << op.op;
    // An operation's entry carries the number of its operation.
    EXPECT_EQ(op.operation >= 0, op.op.find(':') != std::string::npos) << op.op;
  }
}

TEST(Definitions, HoldEveryPortAndParameter) {
  const auto definitions = Shipped().LoadDefinitions("qnn_master", "2.25.0");
  ASSERT_TRUE(definitions.ok()) << definitions.status();
  EXPECT_EQ(definitions->size(), 151u);
  std::map<std::string, const OpDefinition*> by_name;
  for (const OpDefinition& definition : *definitions) by_name[definition.op] = &definition;
  std::map<std::string, size_t> next;
  for (const Fields& fields : ReadTsv("qnn_master-2.25.0.tsv")) {
    ASSERT_EQ(by_name.count(fields[0]), 1u) << fields[0];
    const OpDefinition& definition = *by_name[fields[0]];
    const auto& formals = fields[1] == "inputs"    ? definition.inputs
                          : fields[1] == "outputs" ? definition.outputs
                                                   : definition.parameters;
    const size_t index = next[fields[0] + fields[1]]++;
    ASSERT_LT(index, formals.size());
    const Formal& formal = formals[index];
    EXPECT_EQ(formal.name, fields[2]) << fields[0];
    EXPECT_EQ(formal.mandatory, fields[3] == "1") << fields[0] << "." << formal.name;
    EXPECT_EQ(formal.dtype, fields[4]) << fields[0] << "." << formal.name;
    // Plain numbers are taken over as they are; tensors and words have a form of their own.
    double number = 0;
    if (absl::SimpleAtod(fields[5], &number)) {
      EXPECT_EQ(formal.default_value, fields[5]) << fields[0];
    }
    if (fields[5] == "-") {
      EXPECT_EQ(formal.default_value, "") << fields[0] << "." << formal.name;
    }
    if (fields[5][0] == '[' || fields[5][0] == '{') {
      EXPECT_THAT(formal.default_value, testing::StartsWith("fill:")) << fields[0] << "." << formal.name;
    }
  }
  for (const TableInfo& info : Shipped().tables()) {
    if (info.backend != "qnn_master") continue;
    EXPECT_TRUE(info.definitions);
    // Three operators that later libraries have, of three or four ports and parameters.
    const bool later = info.sdk != "2.25.0";
    EXPECT_EQ(info.ops, later ? 154 : 151);
    EXPECT_EQ(info.rows, 0);
    EXPECT_EQ(info.items, later ? 747 : 736);
  }
}

TEST(Definitions, KnowDefaultsAndSharedTypes) {
  const auto definitions = Shipped().LoadDefinitions("qnn_master", "2.25.0");
  ASSERT_TRUE(definitions.ok());
  const auto formal = [&](const std::string& op, const std::string& name) -> Formal {
    for (const OpDefinition& definition : *definitions) {
      if (definition.op != op) continue;
      for (const auto* list : {&definition.inputs, &definition.parameters, &definition.outputs}) {
        for (const Formal& candidate : *list) {
          if (candidate.name == name) return candidate;
        }
      }
    }
    ADD_FAILURE() << op << "." << name;
    return {};
  };
  EXPECT_EQ(formal("Softmax", "axis").default_value, "N-1");
  EXPECT_EQ(formal("Conv2d", "dilation").default_value, "fill:1");
  EXPECT_EQ(formal("Conv2d", "in[2]").default_value, "fill:0");
  EXPECT_EQ(formal("LayerNorm", "epsilon").default_value, "0.001");
  EXPECT_EQ(formal("ElementWiseNeuron", "min_value").default_value, "");
  EXPECT_EQ(formal("Relu", "out[0]").same_type_as, "in[0]");
  EXPECT_EQ(formal("Argmax", "out[0]").same_type_as, "");
}

TEST(Socs, HoldEveryIdWithItsArch) {
  const std::vector<Soc>& socs = Shipped().socs();
  const auto lines = ReadTsv("qnn_htp-socs-2.51.0.tsv");
  ASSERT_EQ(socs.size(), lines.size());
  ASSERT_EQ(socs.size(), 95u);
  int with_htp = 0;
  for (size_t i = 0; i < lines.size(); ++i) {
    EXPECT_EQ(absl::StrCat(socs[i].id), lines[i][0]);
    if (lines[i][1] != "-") {
      EXPECT_EQ(socs[i].name, lines[i][1]);
    }
    int arch = 0;
    ASSERT_TRUE(absl::SimpleAtoi(lines[i][2], &arch));
    EXPECT_EQ(socs[i].arch, arch >= 68 ? arch : 0) << socs[i].name;
    with_htp += socs[i].arch != 0;
  }
  EXPECT_EQ(with_htp, 70);
}

TEST(Socs, KnowTheToolchainsNames) {
  const auto find = [](const std::string& name) -> Soc {
    for (const Soc& soc : Shipped().socs()) {
      const auto& aliases = soc.aliases;
      if (soc.name == name || std::find(aliases.begin(), aliases.end(), name) != aliases.end()) return soc;
    }
    return {};
  };
  EXPECT_EQ(find("QCM6490").id, 93);
  EXPECT_EQ(find("QCM6490").arch, 68);
  EXPECT_EQ(find("QCM6490").vtcm_mb, 2);
  EXPECT_EQ(find("SA8255").id, 52);  // no name in the library
  EXPECT_EQ(find("SM8650").arch, 75);
  EXPECT_EQ(find("SM8650").vtcm_mb, 8);
  EXPECT_EQ(find("SM8250").arch, 0);  // an older DSP
  EXPECT_EQ(find("SM8250").id, 21);
  EXPECT_EQ(find("SM9999").id, 0);
}

TEST(ShippedDatabase, ListsTablesByBackendAndVersion) {
  std::vector<std::string> names;
  for (const TableInfo& info : Shipped().tables()) names.push_back(absl::StrCat(info.backend, "@", info.sdk));
  EXPECT_THAT(names, testing::ElementsAre(
                         "ethos_u@5.2.0", "ethos_u85@5.2.0", "ethos_u_master@5.2.0", "litert@2.3.0",
                         "litert_xnnpack@2.3.0", "onnxruntime@1.31.1", "onnxruntime_master@1.31.1", "qnn_htp@2.13.0",
                         "qnn_htp@2.25.0", "qnn_htp@2.47.0", "qnn_htp@2.49.40", "qnn_htp@2.51.0", "qnn_htp_fp16@2.13.0",
                         "qnn_lpai@2.25.0", "qnn_master@2.25.0", "qnn_master@2.49.40", "tflite_master@2.3.0",
                         "x86_inductor@2.13.0", "x86_master@2.13.0", "xnnpack@1.5.1", "xnnpack_master@1.5.1"));
}

}  // namespace
}  // namespace quantgate::db
