// Opaque page tokens: a position, tied to the query it belongs to.
#ifndef QUANTGATE_DB_REPORTS_PAGE_TOKEN_H_
#define QUANTGATE_DB_REPORTS_PAGE_TOKEN_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace quantgate::db {

// `query` is any text that is equal for all pages of one listing.
std::string EncodePageToken(absl::string_view query, int64_t position);

// INVALID_ARGUMENT: "page_token: ..." when the token was not made for this query, or not by this program.
absl::StatusOr<int64_t> DecodePageToken(absl::string_view query, absl::string_view token);

}  // namespace quantgate::db

#endif  // QUANTGATE_DB_REPORTS_PAGE_TOKEN_H_
