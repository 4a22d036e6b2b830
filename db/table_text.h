// Rows and items of constraint tables as text: what they say, and the names by which findings refer to them.
#ifndef QUANTGATE_DB_TABLE_TEXT_H_
#define QUANTGATE_DB_TABLE_TEXT_H_

#include <string>

#include "absl/strings/string_view.h"
#include "db/table.h"

namespace quantgate::db {

// "Conv2d/INT8/row 3"
std::string RowName(absl::string_view op, const DtypeRow& row);
// "Conv2d/All/in[1]/item 2"; without the port where the item is about the operator.
std::string ItemName(absl::string_view op, const Item& item);

// "in[0]=UFIXED_POINT_8 out[0]=UFIXED_POINT_8|SFIXED_POINT_8"
std::string RowText(const DtypeRow& row);
// A predicate as the tables spell it: "rank max=4".
std::string PredicateText(const Predicate& predicate);
// "rank max=4 and static", behind "else wrong numbers: " and the like where breaking it is not refused.
std::string ItemText(const Item& item);
// "", "V73 and later", "up to V75", "V73 to V75"
std::string ArchText(ArchRange archs);

}  // namespace quantgate::db

#endif  // QUANTGATE_DB_TABLE_TEXT_H_
