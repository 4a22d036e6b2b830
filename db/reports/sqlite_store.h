// The report store in one SQLite file. See schema.h for the tables.
#ifndef QUANTGATE_DB_REPORTS_SQLITE_STORE_H_
#define QUANTGATE_DB_REPORTS_SQLITE_STORE_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "db/reports/report_store.h"

namespace quantgate::db {

struct SqliteStoreOptions {
  bool read_only = false;
  int64_t max_bytes = 0;  // 0: no limit of its own
};

absl::StatusOr<std::unique_ptr<ReportStore>> OpenSqliteStore(const std::string& path,
                                                             const SqliteStoreOptions& options);

}  // namespace quantgate::db

#endif  // QUANTGATE_DB_REPORTS_SQLITE_STORE_H_
