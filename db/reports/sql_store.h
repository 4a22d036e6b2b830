// The report store over two sessions with one database. schema.h has the tables.
#ifndef QUANTGATE_DB_REPORTS_SQL_STORE_H_
#define QUANTGATE_DB_REPORTS_SQL_STORE_H_

#include <memory>

#include "db/reports/report_store.h"
#include "db/reports/session.h"

namespace quantgate::db {

// Two sessions, so that a listing does not hold up a report that is being stored. The schema is prepared.
std::unique_ptr<ReportStore> MakeSqlStore(std::unique_ptr<reports::Session> writer,
                                          std::unique_ptr<reports::Session> reader);

}  // namespace quantgate::db

#endif  // QUANTGATE_DB_REPORTS_SQL_STORE_H_
