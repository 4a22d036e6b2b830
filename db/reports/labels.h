// Labels: where a checked model comes from.
#ifndef QUANTGATE_DB_REPORTS_LABELS_H_
#define QUANTGATE_DB_REPORTS_LABELS_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "quantgate/v1/report.pb.h"

namespace quantgate::db {

// INVALID_ARGUMENT "options.labels.branch: ...": longer than 256 bytes.
absl::Status CheckLabels(const v1::Labels& labels);

// Sets the label that "NAME=VALUE" names: repository, revision, branch or pull_request. INVALID_ARGUMENT.
absl::Status SetLabel(absl::string_view assignment, v1::Labels& labels);

}  // namespace quantgate::db

#endif  // QUANTGATE_DB_REPORTS_LABELS_H_
