// The filter language of ListReports, a subset of AIP-160: conditions joined with AND.
#ifndef QUANTGATE_DB_REPORTS_FILTER_H_
#define QUANTGATE_DB_REPORTS_FILTER_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace quantgate::db {

struct Condition {
  enum Field {
    kModelPath,
    kModelSha256,
    kGraphDigest,
    kTarget,
    kVerdict,
    kCode,
    kRepository,
    kBranch,
    kRevision,
    kPullRequest,
    kCreateTime,
    kSubject  // not of the language: the id of a subject (schema.h)
  };
  enum Operator { kEqual, kNotEqual, kLess, kLessEqual, kGreater, kGreaterEqual };
  Field field = kModelPath;
  Operator op = kEqual;
  std::string text;    // all fields but those below
  int64_t number = 0;  // kVerdict: v1::Result::Verdict; kCreateTime: nanoseconds since 1970-01-01T00:00:00Z; kSubject

  friend bool operator==(const Condition&, const Condition&) = default;
};

// At most 2,048 bytes and 16 conditions. Empty or blank: no conditions. A value is a string in double quotes (with \"
// and \\ for these two) or a bare word. INVALID_ARGUMENT: "filter: at character 14: ...".
absl::StatusOr<std::vector<Condition>> ParseReportFilter(absl::string_view filter);

// `filter` with the names of targets that `name_of` gives for those in it; where it gives none, and in what is no
// filter, all stays as it is.
std::string RenameTargets(absl::string_view filter,
                          const std::function<std::optional<std::string>(const std::string& target)>& name_of);

}  // namespace quantgate::db

#endif  // QUANTGATE_DB_REPORTS_FILTER_H_
