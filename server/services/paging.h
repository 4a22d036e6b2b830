// Page sizes and pages over lists that are in memory.
#ifndef QUANTGATE_SERVER_SERVICES_PAGING_H_
#define QUANTGATE_SERVER_SERVICES_PAGING_H_

#include <algorithm>
#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "db/reports/page_token.h"

namespace quantgate::server {

// 0: the default; more than 1,000: 1,000. INVALID_ARGUMENT when negative.
inline absl::StatusOr<int> PageSize(int requested, int default_size) {
  if (requested < 0) return absl::InvalidArgumentError(absl::StrCat("page_size: ", requested, " is negative"));
  return requested == 0 ? default_size : std::min(requested, 1000);
}

// Calls `add(i)` for each index of the page of `request` in a list of `size` entries, and sets the response's next
// token. `query` names the list: everything beside page size and token that decides what is in it.
template <typename Request, typename Response, typename Add>
absl::Status AddPage(const Request& request, const std::string& query, size_t size, Response& response, Add add) {
  absl::StatusOr<int> page_size = PageSize(request.page_size(), 100);
  if (!page_size.ok()) return page_size.status();
  int64_t begin = 0;
  if (!request.page_token().empty()) {
    absl::StatusOr<int64_t> position = db::DecodePageToken(query, request.page_token());
    if (!position.ok()) return position.status();
    begin = *position;
  }
  const int64_t end = static_cast<int64_t>(size);
  if (begin < 0 || begin > end) return absl::InvalidArgumentError("page_token: is beyond the end of the list");
  const int64_t stop = std::min(end, begin + *page_size);
  for (int64_t i = begin; i < stop; ++i) add(static_cast<size_t>(i));
  if (stop < end) response.set_next_page_token(db::EncodePageToken(query, stop));
  return absl::OkStatus();
}

}  // namespace quantgate::server

#endif  // QUANTGATE_SERVER_SERVICES_PAGING_H_
