// Layout of the compiled database, shared by the compiler that writes it and the Database that reads it.
#ifndef QUANTGATE_DB_SCHEMA_H_
#define QUANTGATE_DB_SCHEMA_H_

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace quantgate::db {

// PRAGMA application_id ("QGdb") and user_version. The version changes with any change below.
inline constexpr int kApplicationId = 0x51476462;
inline constexpr int kSchemaVersion = 5;

struct TableSchema {
  absl::string_view name;
  absl::string_view sql;     // exactly as sqlite_schema holds it
  absl::string_view select;  // all columns of all rows in key order: what the digest covers
};

// Every table; the file holds these and nothing else.
absl::Span<const TableSchema> Schema();

}  // namespace quantgate::db

#endif  // QUANTGATE_DB_SCHEMA_H_
