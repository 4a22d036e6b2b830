#include "client/cli/verify.h"

#include <set>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"

namespace quantgate {
namespace {

void CheckRow(const db::OpConstraints& op, const db::DtypeRow& row, TableCheck& check) {
  const std::string place = absl::StrCat(op.op, "/", row.configuration, "/row ", row.ordinal);
  if (row.ports.empty()) check.problems.push_back(absl::StrCat(place, ": names no port"));
  std::set<std::string> ports;
  for (const db::PortTypes& port : row.ports) {
    if (port.types.empty()) check.problems.push_back(absl::StrCat(place, ": ", port.port, " takes no type"));
    if (!ports.insert(port.port).second) check.problems.push_back(absl::StrCat(place, ": ", port.port, " occurs twice"));
  }
}

void CheckItem(const db::OpConstraints& op, const db::Item& item, absl::Span<const absl::string_view> kinds,
               TableCheck& check) {
  const std::string place = absl::StrCat(op.op, "/", item.configuration, "/", item.port, "/item ", item.ordinal);
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
      ++check.items;
      once(absl::StrCat(op.op, "/", item.configuration, "/", item.port, "/item ", item.ordinal));
      CheckItem(op, item, kinds, check);
    }
  }
  return check;
}

}  // namespace quantgate
