// Machine-readable output: proto3 JSON of the contract's messages.
#ifndef QUANTGATE_CLIENT_REPORT_JSON_H_
#define QUANTGATE_CLIENT_REPORT_JSON_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "client/report/text.h"
#include "google/protobuf/message.h"

namespace quantgate {

// lowerCamelCase names, indented, newline at the end. Empty lists and zero values are written, so that a reader finds
// every field of the contract. INTERNAL when the message holds a string that is not UTF-8.
absl::StatusOr<std::string> ToJson(const google::protobuf::Message& message);

// The same on one line, without a newline.
absl::StatusOr<std::string> ToJsonLine(const google::protobuf::Message& message);

// A JSON array of the reports; programs take the first result of each for granted.
absl::StatusOr<std::string> RowsToJson(absl::Span<const MatrixRow> rows);

// The report, or of a model that could not be checked one without results that says why in a further field, "error".
absl::StatusOr<std::string> RowToJson(const MatrixRow& row);

}  // namespace quantgate

#endif  // QUANTGATE_CLIENT_REPORT_JSON_H_
