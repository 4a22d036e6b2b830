// Constraint tables as the catalog lists them.
#ifndef QUANTGATE_SERVER_SERVICES_CONSTRAINT_TEXT_H_
#define QUANTGATE_SERVER_SERVICES_CONSTRAINT_TEXT_H_

#include <vector>

#include "absl/strings/string_view.h"
#include "db/table.h"
#include "quantgate/v1/catalog_service.pb.h"

namespace quantgate::server {

// Every dtype row, then every item, of `op` (empty: of all operators, in the table's order).
std::vector<v1::Constraint> ConstraintsOf(const db::ConstraintTable& table, absl::string_view op);

}  // namespace quantgate::server

#endif  // QUANTGATE_SERVER_SERVICES_CONSTRAINT_TEXT_H_
