// Labels: where a checked model comes from.
#ifndef QUANTGATE_DB_REPORTS_LABELS_H_
#define QUANTGATE_DB_REPORTS_LABELS_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "quantgate/v1/report.pb.h"

namespace quantgate::db {

// INVALID_ARGUMENT "options.labels.branch: ...": longer than 256 bytes, or not UTF-8.
absl::Status CheckLabels(const v1::Labels& labels);

// Whether a report can hold the text: protobuf writes other bytes and does not read them again.
bool IsUtf8(absl::string_view text);

// Sets the label that "NAME=VALUE" names: repository, revision, branch or pull_request. INVALID_ARGUMENT.
absl::Status SetLabel(absl::string_view assignment, v1::Labels& labels);

}  // namespace quantgate::db

#endif  // QUANTGATE_DB_REPORTS_LABELS_H_
