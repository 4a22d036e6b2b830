#include "client/cli/verify.h"

#include <set>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "db/table_text.h"

namespace quantgate {
namespace {

std::string ItemPlace(const db::OpConstraints& op, const db::Item& item) {
  return absl::StrCat(db::ItemName(op.op, item), item.summary ? " (summary)" : "");
}

void CheckRow(const db::OpConstraints& op, const db::DtypeRow& row, TableCheck& check) {
  const std::string place = db::RowName(op.op, row);
  if (row.ports.empty()) check.problems.push_back(absl::StrCat(place, ": names no port"));
  std::set<std::string> ports;
  for (const db::PortTypes& port : row.ports) {
    if (port.types.empty()) check.problems.push_back(absl::StrCat(place, ": ", port.port, " takes no type"));
    if (!ports.insert(port.port).second)
      check.problems.push_back(absl::StrCat(place, ": ", port.port, " occurs twice"));
  }
}

void CheckItem(const db::OpConstraints& op, const db::Item& item, absl::Span<const absl::string_view> kinds,
               TableCheck& check) {
  const std::string place = ItemPlace(op, item);
  bool encoded = !item.predicates.empty();
  if (!encoded) check.problems.push_back(absl::StrCat(place, ": has no predicate"));
  for (const db::Predicate& predicate : item.predicates) {
    if (absl::c_linear_search(kinds, predicate.kind)) continue;
    encoded = false;
    check.problems.push_back(absl::StrCat(place, ": nothing evaluates '", predicate.kind, "'"));
  }
  if (!encoded) ++check.not_encoded;
}

}  // namespace

TableCheck CheckTable(const db::ConstraintTable& table, absl::Span<const absl::string_view> kinds) {
  TableCheck check;
  std::set<std::string> places;
  const auto once = [&](const std::string& place) {
    if (!places.insert(place).second) check.problems.push_back(absl::StrCat(place, ": occurs twice"));
  };
  for (const db::OpConstraints& op : table.ops) {
    ++check.ops;
    once(op.op);
    for (const db::DtypeRow& row : op.rows) {
      ++check.rows;
      once(absl::StrCat(op.op, "/row ", row.ordinal));
      CheckRow(op, row, check);
    }
    for (const db::Item& item : op.items) {
      if (!item.summary) ++check.items;
      once(ItemPlace(op, item));
      CheckItem(op, item, kinds, check);
    }
  }
  return check;
}

TableCheck CheckDefinitions(absl::Span<const db::OpDefinition> definitions) {
  TableCheck check;
  std::set<std::string> places;
  const auto once = [&](const std::string& place) {
    if (!places.insert(place).second) check.problems.push_back(absl::StrCat(place, ": occurs twice"));
  };
  for (const db::OpDefinition& definition : definitions) {
    ++check.ops;
    once(definition.op);
    const std::pair<const char*, const std::vector<db::Formal>*> roles[] = {
        {"input", &definition.inputs}, {"parameter", &definition.parameters}, {"output", &definition.outputs}};
    for (const auto& [role, formals] : roles) {
      for (const db::Formal& formal : *formals) {
        ++check.items;
        const std::string place = absl::StrCat(definition.op, "/", role, " ", formal.name);
        once(place);
        if (formal.name.empty()) check.problems.push_back(absl::StrCat(place, ": has no name"));
      }
    }
  }
  return check;
}

}  // namespace quantgate
