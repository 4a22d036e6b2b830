// Constraint tables and their differences as text.
#ifndef QUANTGATE_CLIENT_CLI_CONSTRAINT_TEXT_H_
#define QUANTGATE_CLIENT_CLI_CONSTRAINT_TEXT_H_

#include <string>

#include "client/report/style.h"
#include "db/diff.h"
#include "db/table.h"

namespace quantgate {

// Ports and parameters of an operator's definition.
std::string RenderOpDefinition(const db::OpDefinition& op, const Style& style);

// An operator with everything the table says of it, a line per row and item.
std::string RenderOpConstraints(const db::OpConstraints& op, const Style& style);

// What changes for whom, by operator.
std::string RenderTableDiff(const db::TableDiff& diff, const Style& style);

}  // namespace quantgate

#endif  // QUANTGATE_CLIENT_CLI_CONSTRAINT_TEXT_H_
