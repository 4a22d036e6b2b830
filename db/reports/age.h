// How old reports may become.
#ifndef QUANTGATE_DB_REPORTS_AGE_H_
#define QUANTGATE_DB_REPORTS_AGE_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace quantgate::db {

// "90d", "12h", "8w": a whole number of hours, days or weeks, at least one hour and at most 100 years.
// INVALID_ARGUMENT.
absl::StatusOr<absl::Duration> ParseAge(absl::string_view text);

}  // namespace quantgate::db

#endif  // QUANTGATE_DB_REPORTS_AGE_H_
