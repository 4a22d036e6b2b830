#include "client/cli/constraint_text.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/report/layout.h"

namespace quantgate {
namespace {

// What the table says beside the condition: for which archs, and how it is known when not from the table's document.
std::string Remarks(db::ArchRange archs, db::Evidence evidence, const std::string& source) {
  std::vector<std::string> remarks;
  if (std::string text = ArchText(archs); !text.empty()) remarks.push_back(std::move(text));
  if (evidence == db::Evidence::kMeasured) remarks.push_back("measured");
  if (!source.empty()) remarks.push_back(source);
  return remarks.empty() ? "" : absl::StrCat(" (", absl::StrJoin(remarks, ", "), ")");
}

}  // namespace

std::string RowText(const db::DtypeRow& row) {
  return absl::StrJoin(row.ports, ", ", [](std::string* out, const db::PortTypes& port) {
    absl::StrAppend(out, port.port, " ",
                    absl::StrJoin(port.types, " | ", [](std::string* types, db::ElementType type) {
                      absl::StrAppend(types, db::ElementTypeName(type));
                    }));
  });
}

std::string ItemText(const db::Item& item) {
  return absl::StrJoin(item.predicates, " and ", [](std::string* out, const db::Predicate& predicate) {
    absl::StrAppend(out, predicate.kind, "(", absl::StrJoin(predicate.args, ", ", absl::PairFormatter("=")), ")");
  });
}

std::string ArchText(db::ArchRange archs) {
  if (archs.min != 0 && archs.max != 0) return absl::StrCat("V", archs.min, " to V", archs.max);
  if (archs.min != 0) return absl::StrCat("from V", archs.min);
  return archs.max != 0 ? absl::StrCat("up to V", archs.max) : "";
}

std::string RenderOpConstraints(const db::OpConstraints& op, const Style& style) {
  std::string out = absl::StrCat(Paint(style, Ink::kBold, op.op), "\n");
  for (const db::DtypeRow& row : op.rows) {
    AppendWrapped(out, absl::StrCat("  ", row.configuration, "/row ", row.ordinal, "  "),
                  RowText(row) + Remarks(row.archs, row.evidence, row.source), style.width);
  }
  for (const db::Item& item : op.items) {
    AppendWrapped(out, absl::StrCat("  ", item.configuration, "/", item.port, "/item ", item.ordinal, "  "),
                  ItemText(item) + Remarks(item.archs, item.evidence, item.source), style.width);
  }
  return out;
}

}  // namespace quantgate
