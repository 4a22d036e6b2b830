// Rows and items of constraint tables in words.
#ifndef QUANTGATE_CLIENT_CLI_CONSTRAINT_TEXT_H_
#define QUANTGATE_CLIENT_CLI_CONSTRAINT_TEXT_H_

#include <string>

#include "client/report/style.h"
#include "db/table.h"

namespace quantgate {

// "in[0] UFIXED_POINT_8 | SFIXED_POINT_8, out[0] UFIXED_POINT_8".
std::string RowText(const db::DtypeRow& row);

// "rank(min=1, max=4) and static()": the predicates as they are encoded.
std::string ItemText(const db::Item& item);

// "from V73", "up to V69", "V68 to V73"; empty when open at both ends.
std::string ArchText(db::ArchRange archs);

// An operator with everything the table says of it.
std::string RenderOpConstraints(const db::OpConstraints& op, const Style& style);

}  // namespace quantgate

#endif  // QUANTGATE_CLIENT_CLI_CONSTRAINT_TEXT_H_
