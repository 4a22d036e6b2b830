#include <algorithm>

#include "CLI/CLI.hpp"
#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "client/cli/commands.h"
#include "client/cli/constraint_text.h"
#include "client/cli/engine.h"
#include "client/cli/verify.h"
#include "client/report/layout.h"
#include "db/diff.h"
#include "rules/backends/table_judge.h"
#include "rules/catalog.h"
#include "rules/constraints/matcher.h"
#include "rules/engine/nearest.h"

namespace quantgate {
namespace {

struct ConstraintsFlags {
  std::string table;
  std::string other_table;  // diff: the new one
  std::string op;
  std::string tables;
  std::shared_ptr<OutputFlags> output;
};

std::string TableName(const db::TableInfo& table) { return absl::StrCat(table.backend, "@", table.sdk); }

int RunList(const ConstraintsFlags& flags) {
  const auto tables = OpenTables(flags.tables);
  if (!tables.ok()) return Fail(tables.status());
  std::vector<std::vector<std::string>> rows = {{"table", "ops", "rows", "items", "document"}};
  for (const db::TableInfo& table : (*tables)->tables()) {
    rows.push_back({TableName(table), absl::StrCat(table.ops), absl::StrCat(table.rows), absl::StrCat(table.items),
                    table.document});
  }
  return Finish(*flags.output, RenderTable(rows, OutputStyle(*flags.output)));
}

absl::StatusOr<db::ConstraintTable> LoadNamed(const db::TableSource& tables, const std::string& name) {
  const absl::StatusOr<db::TableInfo> info = FindTable(tables, name);
  if (!info.ok()) {
    return absl::Status(info.status().code(),
                        absl::StrCat(info.status().message(), " (see quantgate constraints list)"));
  }
  return tables.LoadTable(info->backend, info->sdk);
}

// A table, or one that a target is judged by, with what holds there.
struct Shown {
  std::string name;
  db::ConstraintTable table;
  std::vector<db::OpDefinition> definitions;  // instead, when the table is one of definitions
};

// What is said of others goes. Of a target that is of no arch nothing is: what its table counts is the model's
// (operator sets).
void KeepOf(const Target& target, const db::ConstraintTable& table, db::OpConstraints& op) {
  const Hardware hardware = HardwareOf(target);
  const auto elsewhere = [&](const auto& entry) {
    return hardware.kernels != 0 && !entry.archs.Contains(hardware.kernels);
  };
  const auto gone = [&](const db::DtypeRow& row) {
    return elsewhere(row) || (!hardware.has_float && db::NeedsFloats(table, row));
  };
  op.rows.erase(std::remove_if(op.rows.begin(), op.rows.end(), gone), op.rows.end());
  op.items.erase(std::remove_if(op.items.begin(), op.items.end(), elsewhere), op.items.end());
}

absl::StatusOr<std::vector<Shown>> LoadTarget(const ConstraintsFlags& flags) {
  const absl::StatusOr<Engine> engine = OpenEngine(flags.tables);
  if (!engine.ok()) return engine.status();
  const absl::StatusOr<TargetName> name = ParseTargetName(flags.table);
  if (!name.ok()) return name.status();
  const absl::StatusOr<const Module*> module = engine->modules->Get(name->backend);
  if (!module.ok()) return module.status();
  const absl::StatusOr<Target> target = (*module)->resolve(*name);
  if (!target.ok()) return target.status();
  if (!target->unknown_reason.empty()) return absl::NotFoundError(target->unknown_reason);
  std::string heading = target->name;
  // What others count in this place is no arch.
  if (absl::StartsWith(target->backend, "qnn_")) {
    const Hardware hardware = HardwareOf(*target);
    const std::string kernels =
        hardware.kernels == hardware.arch ? "" : absl::StrCat(", kernels of V", hardware.kernels);
    absl::StrAppend(&heading, " (V", target->arch, kernels, hardware.has_float ? "" : ", no floats", ")");
  }
  std::vector<Shown> shown;
  for (const std::string& consulted : target->tables) {
    absl::StatusOr<db::ConstraintTable> table = LoadNamed(*engine->tables, consulted);
    if (!table.ok()) return table.status();
    for (db::OpConstraints& op : table->ops) KeepOf(*target, *table, op);
    const std::string which = target->tables.size() == 1 ? "" : absl::StrCat(", ", consulted);
    shown.push_back({heading + which, *std::move(table), {}});
  }
  return shown;
}

absl::StatusOr<std::vector<Shown>> LoadShown(const ConstraintsFlags& flags) {
  if (absl::StrContains(flags.table, '/')) return LoadTarget(flags);
  const auto tables = OpenTables(flags.tables);
  if (!tables.ok()) return tables.status();
  auto table = LoadNamed(**tables, flags.table);
  if (!table.ok()) return table.status();
  // Most tables have none.
  auto definitions = (*tables)->LoadDefinitions(table->backend, table->sdk);
  const std::string name = absl::StrCat(table->backend, "@", table->sdk);
  return std::vector<Shown>{
      {name, *std::move(table), std::move(definitions).value_or(std::vector<db::OpDefinition>())}};
}

// "ElementWiseBinary" names its operations too, "ElementWiseBinary:ADD" one of them.
bool IsNamed(const std::string& op, const std::string& wanted) {
  return wanted.empty() || absl::EqualsIgnoreCase(op, wanted) || absl::StartsWithIgnoreCase(op, wanted + ":");
}

absl::StatusOr<std::string> ShowTable(const ConstraintsFlags& flags, const Style& style) {
  const absl::StatusOr<std::vector<Shown>> shown = LoadShown(flags);
  if (!shown.ok()) return shown.status();
  std::string out;
  std::vector<std::string> names;
  for (const Shown& table : *shown) {
    std::string text;
    const auto show = [&](const auto& ops, auto render) {
      for (const auto& op : ops) {
        names.push_back(op.op);
        if (IsNamed(op.op, flags.op)) absl::StrAppend(&text, "\n", render(op, style));
      }
    };
    if (table.definitions.empty()) {
      show(table.table.ops, RenderOpConstraints);
    } else {
      show(table.definitions, RenderOpDefinition);
    }
    if (text.empty()) continue;
    if (!out.empty()) absl::StrAppend(&out, "\n");
    AppendWrapped(out, table.name + ": ", table.table.document, style.width, 2);
    absl::StrAppend(&out, text);
  }
  if (!out.empty()) return out;
  return absl::NotFoundError(
      absl::StrCat(shown->front().name, " has no operator '", flags.op, "'", DidYouMean(flags.op, names)));
}

int RunShow(const ConstraintsFlags& flags) {
  return Finish(*flags.output, ShowTable(flags, OutputStyle(*flags.output)));
}

absl::StatusOr<std::string> DiffNamed(const ConstraintsFlags& flags, const Style& style) {
  const auto tables = OpenTables(flags.tables);
  if (!tables.ok()) return tables.status();
  const auto before = LoadNamed(**tables, flags.table);
  if (!before.ok()) return before.status();
  const auto after = LoadNamed(**tables, flags.other_table);
  if (!after.ok()) return after.status();
  return RenderTableDiff(db::DiffTables(*before, *after), style);
}

int RunDiff(const ConstraintsFlags& flags) {
  return Finish(*flags.output, DiffNamed(flags, OutputStyle(*flags.output)));
}

// Definitions of the operators that a table is about: the newest that have them all. NOT_FOUND when none do.
absl::StatusOr<std::vector<db::OpDefinition>> DefinitionsFor(const db::TableSource& tables,
                                                             const db::ConstraintTable& table) {
  absl::StatusOr<std::vector<db::OpDefinition>> found = absl::NotFoundError("no definitions have all of its operators");
  for (const db::TableInfo& info : tables.tables()) {
    if (!info.definitions) continue;
    absl::StatusOr<std::vector<db::OpDefinition>> definitions = tables.LoadDefinitions(info.backend, info.sdk);
    if (!definitions.ok()) return definitions;
    const auto defined = [&](const db::OpConstraints& op) {
      const std::string name = op.op.substr(0, op.op.find(':'));
      return absl::c_any_of(*definitions, [&](const db::OpDefinition& d) { return d.op == name; });
    };
    if (absl::c_all_of(table.ops, defined)) found = std::move(definitions);
  }
  return found;
}

absl::StatusOr<TableCheck> Verify(const db::TableSource& tables, const db::TableInfo& info) {
  TableCheck check;
  if (const auto definitions = tables.LoadDefinitions(info.backend, info.sdk); definitions.ok()) {
    check = CheckDefinitions(*definitions);
  } else {
    const auto table = tables.LoadTable(info.backend, info.sdk);
    if (!table.ok()) return table.status();
    check = CheckTable(*table, PredicateKinds());
    // Compiling also reads every predicate's arguments.
    auto ports = DefinitionsFor(tables, *table);
    if (!ports.ok()) check.problems.push_back(std::string(ports.status().message()));
    const auto matcher = TableMatcher::Compile({*table}, std::move(ports).value_or(std::vector<db::OpDefinition>()));
    if (!matcher.ok()) check.problems.push_back(std::string(matcher.status().message()));
  }
  if (check.ops != info.ops || check.rows != info.rows || check.items != info.items) {
    check.problems.push_back(
        absl::StrCat("the index counts ", info.ops, " ops, ", info.rows, " rows, ", info.items, " items"));
  }
  return check;
}

int RunVerify(const ConstraintsFlags& flags) {
  const auto tables = OpenTables(flags.tables);
  if (!tables.ok()) return Fail(tables.status());
  if (absl::Status status = (*tables)->CheckContent(); !status.ok()) return Fail(status);
  std::string out;
  bool good = true;
  for (const db::TableInfo& info : (*tables)->tables()) {
    const absl::StatusOr<TableCheck> check = Verify(**tables, info);
    if (!check.ok()) return Fail(check.status());
    absl::StrAppend(&out, TableName(info), ": ", check->ops, " ops, ", check->rows, " rows, ", check->items, " items, ",
                    check->not_encoded, " not encoded\n");
    for (const std::string& problem : check->problems) absl::StrAppend(&out, "  ", problem, "\n");
    good = good && check->problems.empty();
  }
  return Finish(*flags.output, out, good ? 0 : 1);
}

std::shared_ptr<ConstraintsFlags> AddCommon(CLI::App& command, int (*work)(const ConstraintsFlags&), Run* run) {
  auto flags = std::make_shared<ConstraintsFlags>();
  AddTablesFlag(command, flags->tables);
  flags->output = AddOutputFlags(command);
  command.callback([flags, work, run] { *run = [flags, work] { return work(*flags); }; });
  return flags;
}

}  // namespace

void AddConstraintsCommand(CLI::App& app, Run* run) {
  CLI::App* command = app.add_subcommand("constraints", "What backends accept: list, show, diff, verify");
  command->require_subcommand(1);
  command->footer(
      "Examples:\n"
      "  quantgate constraints list\n"
      "  quantgate constraints show qnn_htp/SM8650 Conv2d\n"
      "  quantgate constraints diff qnn_htp@2.13 qnn_htp@2.25\n"
      "  quantgate constraints verify");

  CLI::App* list = command->add_subcommand("list", "Tables of this installation");
  AddCommon(*list, RunList, run);
  list->footer("Examples:\n  quantgate constraints list");

  CLI::App* show = command->add_subcommand(
      "show", "Rows and items of a table, or of all tables of a target, or of one operator there");
  const auto show_flags = AddCommon(*show, RunShow, run);
  show->add_option("TABLE", show_flags->table, "BACKEND[@SDK], or a target: BACKEND/SOC[@SDK]")->required();
  show->add_option("OP", show_flags->op, "Only this operator");
  show->footer(
      "Examples:\n"
      "  quantgate constraints show qnn_htp@2.25 Conv2d\n"
      "  quantgate constraints show qnn_htp/SM8650 Conv2d    what holds on this SoC");

  CLI::App* diff = command->add_subcommand("diff", "What a table changes against another, and for whom");
  const auto diff_flags = AddCommon(*diff, RunDiff, run);
  diff->add_option("OLD", diff_flags->table, "BACKEND[@SDK]")->required();
  diff->add_option("NEW", diff_flags->other_table, "BACKEND[@SDK]")->required();
  diff->footer("Examples:\n  quantgate constraints diff qnn_htp@2.13 qnn_htp@2.25");

  CLI::App* verify = command->add_subcommand("verify", "A line per table: is everything in it understood?");
  AddCommon(*verify, RunVerify, run);
  verify->footer("Examples:\n  quantgate constraints verify");
}

}  // namespace quantgate
