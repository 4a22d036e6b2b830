#include "client/cli/constraint_text.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "client/report/layout.h"
#include "db/table_text.h"

namespace quantgate {
namespace {

// What the table says beside the condition: for which archs, and how it is known when not from the table's document.
std::string Remarks(db::ArchRange archs, db::Evidence evidence, const std::string& source) {
  std::vector<std::string> remarks;
  if (std::string text = db::ArchText(archs); !text.empty()) remarks.push_back(std::move(text));
  if (evidence == db::Evidence::kMeasured) remarks.push_back("measured");
  if (!source.empty()) remarks.push_back(source);
  return remarks.empty() ? "" : absl::StrCat(" (", absl::StrJoin(remarks, ", "), ")");
}

void AppendNames(std::string& out, absl::string_view label, const std::vector<std::string>& names, const Style& style) {
  if (names.empty()) return;
  AppendWrapped(out, absl::StrCat(label, " (", names.size(), "): "), absl::StrJoin(names, ", "), style.width, 2);
}

void AppendRowChange(std::string& out, const db::RowChange& change, const Style& style) {
  std::string text = db::RowText(change.row);
  absl::string_view sign = "  + row  ";
  if (change.kind == db::RowChange::kRemoved) sign = "  - row  ";
  if (change.kind == db::RowChange::kNarrowed) {
    sign = "  ~ row  ";
    absl::StrAppend(&text, " (", change.remaining, " of ", change.combinations, " combinations remain)");
  }
  AppendWrapped(out, sign, text + Remarks(change.row.archs, change.row.evidence, change.row.source), style.width);
}

void AppendConditionChange(std::string& out, const db::ConditionChange& change, const Style& style) {
  const absl::string_view sign = change.before.empty() ? "  + " : change.after.empty() ? "  - " : "  ~ ";
  const absl::string_view arrow = change.before.empty() || change.after.empty() ? "" : " -> ";
  const std::string archs = db::ArchText(change.archs);
  AppendWrapped(out, absl::StrCat(sign, change.port, "  "),
                absl::StrCat(change.before, arrow, change.after, archs.empty() ? "" : absl::StrCat(" (", archs, ")")),
                style.width);
}

void AppendFormals(std::string& out, const std::vector<db::Formal>& formals, const Style& style) {
  for (const db::Formal& formal : formals) {
    std::vector<std::string> facts = {
        formal.mandatory ? "mandatory" : "optional",
        absl::StrReplaceAll(formal.dtype, {{"|", " or "}, {"backend", "types as each backend's table says"}})};
    if (!formal.default_value.empty()) facts.push_back(absl::StrCat("default ", formal.default_value));
    if (!formal.same_type_as.empty()) facts.push_back(absl::StrCat("the type of ", formal.same_type_as));
    AppendWrapped(out, absl::StrCat("  ", formal.name, "  "), absl::StrJoin(facts, ", "), style.width);
  }
}

}  // namespace

std::string RenderOpDefinition(const db::OpDefinition& op, const Style& style) {
  std::string out = absl::StrCat(Paint(style, Ink::kBold, op.op), "\n");
  AppendFormals(out, op.inputs, style);
  AppendFormals(out, op.parameters, style);
  AppendFormals(out, op.outputs, style);
  return out;
}

std::string RenderOpConstraints(const db::OpConstraints& op, const Style& style) {
  std::string out = absl::StrCat(Paint(style, Ink::kBold, op.op), "\n");
  for (const db::DtypeRow& row : op.rows) {
    AppendWrapped(out, absl::StrCat("  ", row.configuration, "/row ", row.ordinal, "  "),
                  db::RowText(row) + Remarks(row.archs, row.evidence, row.source), style.width);
  }
  for (const db::Item& item : op.items) {
    AppendWrapped(out, absl::StrCat("  ", item.configuration, "/", item.port, "/item ", item.ordinal, "  "),
                  absl::StrCat(db::ItemText(item), Remarks(item.archs, item.evidence, item.source)), style.width);
  }
  return out;
}

std::string RenderTableDiff(const db::TableDiff& diff, const Style& style) {
  std::string out = absl::StrCat("from ", diff.before, " to ", diff.after, "\n");
  if (diff.empty()) return absl::StrCat(out, "no difference\n");
  AppendNames(out, "operators added", diff.ops_added, style);
  AppendNames(out, "operators removed", diff.ops_removed, style);
  for (const db::OpChange& op : diff.ops) {
    for (const db::ConfigurationChange& change : op.configurations) {
      absl::StrAppend(&out, "\n", Paint(style, Ink::kBold, absl::StrCat(op.op, ", ", change.configuration)), "\n");
      for (const db::RowChange& row : change.rows) AppendRowChange(out, row, style);
      for (const db::ConditionChange& condition : change.conditions) AppendConditionChange(out, condition, style);
    }
  }
  return out;
}

}  // namespace quantgate
