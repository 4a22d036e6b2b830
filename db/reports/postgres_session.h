// A session with a PostgreSQL database. A connection that breaks is UNAVAILABLE; the next call makes another one.
#ifndef QUANTGATE_DB_REPORTS_POSTGRES_SESSION_H_
#define QUANTGATE_DB_REPORTS_POSTGRES_SESSION_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "db/reports/session.h"

namespace quantgate::db::reports {

// `url`: a connection URI of PostgreSQL, "postgresql://user@host/database?sslmode=verify-full". INVALID_ARGUMENT: not
// one; UNAVAILABLE: nobody answers there, or not to this user. A statement that is not answered within `patience`, not
// even with the error of the server's own limit (six sevenths of that), counts as a connection that breaks. A database
// that lets somebody wait for a connection in vain is not asked again for some seconds: others need not wait as well.
absl::StatusOr<std::unique_ptr<Session>> OpenPostgresSession(const std::string& url,
                                                             absl::Duration patience = absl::Seconds(70));

}  // namespace quantgate::db::reports

#endif  // QUANTGATE_DB_REPORTS_POSTGRES_SESSION_H_
