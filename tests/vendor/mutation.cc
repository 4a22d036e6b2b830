// vendor_mutation COUNT SEED FILE...: takes measured statements out of the newest HTP table, one at a time, and judges
// the cases of FILEs again. A statement survives when every case is judged as before: nothing would tell that it is
// gone. COUNT 0: all of them. Prints a line for each, with the case that tells or "survives", and last "mutation: K of
// N killed, V of them by a verdict or an execution of the vendor's, seed S": the others by a remark, which is an
// earlier answer of QuantGate's that was kept. Exit code 1: one survived.
#include <google/protobuf/arena.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <random>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "db/database.h"
#include "db/table_text.h"
#include "rules/check.h"
#include "rules/engine/module.h"
#include "tests/vendor/case.h"
#include "tests/vendor/lines.h"
#include "tests/vendor/verdict.h"

namespace quantgate::vendor {
namespace {

constexpr char kTable[] = "qnn_htp";

// A row or an item of an operator.
struct Statement {
  size_t op = 0;
  bool is_row = false;
  size_t index = 0;
};

// The database without one statement.
class Mutant : public db::TableSource {
 public:
  Mutant(const db::Database& tables, const db::ConstraintTable& table) : tables_(tables), table_(table) {}

  db::ConstraintTable& table() { return table_; }
  const std::string& digest() const override { return tables_.digest(); }
  const std::vector<db::TableInfo>& tables() const override { return tables_.tables(); }
  const std::vector<db::Soc>& socs() const override { return tables_.socs(); }
  absl::StatusOr<db::ConstraintTable> LoadTable(const std::string& backend, const std::string& sdk) const override {
    if (backend == kTable && sdk == table_.sdk) return table_;
    return tables_.LoadTable(backend, sdk);
  }
  absl::StatusOr<std::vector<db::OpDefinition>> LoadDefinitions(const std::string& family,
                                                                const std::string& sdk) const override {
    return tables_.LoadDefinitions(family, sdk);
  }

 private:
  const db::Database& tables_;
  db::ConstraintTable table_;
};

// "Conv2d" of "ElementWiseBinary:ADD" is "ElementWiseBinary".
std::string Base(const std::string& op) { return op.substr(0, op.find(':')); }

struct Judged {
  bool refused = false;  // what the vendor's library was asked
  bool named = false;    // what its executions showed: an output with wrong numbers
  std::string remarks;
  Step stops_at = Step::kNone;  // of what is refused
};

bool SameVerdict(const Judged& a, const Judged& b) {
  return a.refused == b.refused && a.named == b.named && a.stops_at == b.stops_at;
}
bool operator==(const Judged& a, const Judged& b) { return SameVerdict(a, b) && a.remarks == b.remarks; }

// How each case is judged, in order.
std::vector<Judged> Judge(const db::TableSource& tables, const std::vector<const Case*>& cases) {
  ModuleRegistry modules(tables);
  RegisterBuiltinModules(modules);
  CheckOptions options;
  options.corrections = false;
  std::vector<Judged> judged;
  for (const Case* one : cases) {
    options.targets = {one->target};
    options.toolchain = "qnn-converter";
    google::protobuf::Arena arena;
    v1::Report& report = *google::protobuf::Arena::CreateMessage<v1::Report>(&arena);
    const absl::Status status = Check(one->graph, options, modules, report);
    if (!status.ok()) {
      judged.push_back({false, false, std::string(status.message())});
      continue;
    }
    judged.push_back({Refused(report.results(0)), TellsOutputEncoding(*one) && OutputNamed(report.results(0)), ""});
    if (one->remarks) judged.back().remarks = absl::StrJoin(Remarks(report.results(0)), ", ");
    if (!judged.back().refused) continue;
    options.toolchain = "executorch";
    v1::Report& in_steps = *google::protobuf::Arena::CreateMessage<v1::Report>(&arena);
    if (Check(one->graph, options, modules, in_steps).ok()) judged.back().stops_at = StopsAt(in_steps.results(0));
  }
  return judged;
}

// BFLOAT_16: the library lists these rows, and cannot be asked about them.
bool IsListedOnly(const db::DtypeRow& row) {
  return std::any_of(row.ports.begin(), row.ports.end(), [](const db::PortTypes& port) {
    return std::any_of(port.types.begin(), port.types.end(),
                       [](const db::ElementType& type) { return type.type == v1::DATA_TYPE_BFLOAT16; });
  });
}

// A statement about encodings that is made of all operators, here of a port that no row quantizes: it cannot fire.
bool IsVacuous(const db::OpConstraints& op, const db::Item& item) {
  const bool of_encodings = std::all_of(item.predicates.begin(), item.predicates.end(), [](const db::Predicate& each) {
    return each.kind == "encoding_unsupported" || each.kind == "positive_scale";
  });
  // "in[0..m]" is every input.
  const std::string kind = item.port.substr(0, item.port.find('['));
  const bool every = absl::StrContains(item.port, "..");
  const auto quantized = [&](const db::PortTypes& port) {
    return (every ? absl::StartsWith(port.port, kind) : port.port == item.port) &&
           std::any_of(port.types.begin(), port.types.end(),
                       [](const db::ElementType& type) { return type.quantized; });
  };
  return of_encodings && !op.rows.empty() && std::none_of(op.rows.begin(), op.rows.end(), [&](const db::DtypeRow& row) {
           return std::any_of(row.ports.begin(), row.ports.end(), quantized);
         });
}

// Every operation has an entry of its own, which takes the place of this one unless the operation has no meaning.
bool IsReplaced(const db::ConstraintTable& table, const std::string& op) {
  return std::any_of(table.ops.begin(), table.ops.end(),
                     [&](const db::OpConstraints& other) { return other.operation >= 0 && Base(other.op) == op; });
}

std::vector<Statement> MeasuredStatements(const db::ConstraintTable& table) {
  std::vector<Statement> all;
  for (size_t op = 0; op < table.ops.size(); ++op) {
    const bool replaced = IsReplaced(table, table.ops[op].op);
    for (size_t i = 0; i < table.ops[op].rows.size() && !replaced; ++i) {
      const db::DtypeRow& row = table.ops[op].rows[i];
      if (row.evidence == db::Evidence::kMeasured && !IsListedOnly(row)) all.push_back({op, true, i});
    }
    for (size_t i = 0; i < table.ops[op].items.size(); ++i) {
      const db::Item& item = table.ops[op].items[i];
      if (item.evidence != db::Evidence::kMeasured || IsVacuous(table.ops[op], item)) continue;
      if (!replaced || item.port == "operation") all.push_back({op, false, i});
    }
  }
  return all;
}

std::string TextOf(const db::OpConstraints& op, const Statement& statement) {
  if (statement.is_row) {
    const db::DtypeRow& row = op.rows[statement.index];
    return absl::StrCat(db::RowName(op.op, row), ": ", db::RowText(row));
  }
  const db::Item& item = op.items[statement.index];
  return absl::StrCat(db::ItemName(op.op, item), ": ", db::ItemText(item));
}

void TakeOut(const Statement& statement, db::ConstraintTable& table) {
  db::OpConstraints& op = table.ops[statement.op];
  if (statement.is_row) {
    op.rows.erase(op.rows.begin() + statement.index);
  } else {
    op.items.erase(op.items.begin() + statement.index);
  }
}

int Run(size_t count, uint32_t seed, int num_files, char** files) {
  const auto tables = db::Database::OpenDefault();
  if (!tables.ok()) {
    std::fprintf(stderr, "error: %s\n", std::string(tables.status().message()).c_str());
    return 2;
  }
  std::string newest;
  for (const db::TableInfo& info : (*tables)->tables()) {
    if (info.backend == kTable) newest = info.sdk;
  }
  const absl::StatusOr<db::ConstraintTable> table = (*tables)->LoadTable(kTable, newest);
  if (!table.ok()) return 2;
  std::vector<Case> cases;
  for (int i = 0; i < num_files; ++i) {
    const absl::Status status = ForEachLine(files[i], [&](int64_t, absl::string_view line) {
      absl::StatusOr<Case> parsed = ParseCase(line);
      if (parsed.ok()) cases.push_back(*std::move(parsed));
    });
    if (!status.ok()) {
      std::fprintf(stderr, "error: %s\n", std::string(status.message()).c_str());
      return 2;
    }
  }
  std::map<std::string, std::vector<const Case*>> by_op;
  for (const Case& one : cases) by_op[Base(one.op)].push_back(&one);
  std::map<std::string, std::vector<Judged>> before;
  for (const auto& [op, of_op] : by_op) before[op] = Judge(**tables, of_op);

  std::vector<Statement> statements = MeasuredStatements(*table);
  std::mt19937 random(seed);
  std::shuffle(statements.begin(), statements.end(), random);
  if (count > 0 && count < statements.size()) statements.resize(count);
  size_t killed = 0;
  size_t by_verdict = 0;
  for (const Statement& statement : statements) {
    const db::OpConstraints& op = table->ops[statement.op];
    Mutant mutant(**tables, *table);
    TakeOut(statement, mutant.table());
    const std::vector<const Case*>& of_op = by_op[Base(op.op)];
    const std::vector<Judged> after = Judge(mutant, of_op);
    const auto first_other = [&](auto same) {
      return std::mismatch(after.begin(), after.end(), before[Base(op.op)].begin(), same).first - after.begin();
    };
    const size_t other_verdict = first_other(SameVerdict);
    const size_t differs = other_verdict < after.size() ? other_verdict : first_other(std::equal_to<>());
    by_verdict += other_verdict < after.size();
    killed += differs < after.size();
    std::printf("%s: %s\n", differs < after.size() ? absl::StrCat("told by ", of_op[differs]->id).c_str() : "survives",
                TextOf(op, statement).c_str());
  }
  std::printf("mutation: %zu of %zu killed, %zu of them by a verdict or an execution of the vendor's, seed %u\n",
              killed, statements.size(), by_verdict, seed);
  return killed == statements.size() ? 0 : 1;
}

}  // namespace
}  // namespace quantgate::vendor

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fputs("usage: vendor_mutation COUNT SEED FILE...\n", stderr);
    return 2;
  }
  return quantgate::vendor::Run(std::strtoul(argv[1], nullptr, 10), std::strtoul(argv[2], nullptr, 10), argc - 3,
                                argv + 3);
}
