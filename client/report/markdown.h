// A summary for a pull request's comment.
#ifndef QUANTGATE_CLIENT_REPORT_MARKDOWN_H_
#define QUANTGATE_CLIENT_REPORT_MARKDOWN_H_

#include <string>

#include "absl/types/span.h"
#include "client/report/text.h"

namespace quantgate {

// GitHub takes no comment beyond 65,536 characters; a character has at most four bytes, most have one.
inline constexpr size_t kMaxMarkdownBytes = 60'000;

// Verdicts of models × targets as a table, then of each model the causes, errors first, with their details folded; then
// corrections and what was not checked. Never longer than `max_bytes` (and a note of how much was left out): verdicts
// of the first models go before details. Whatever comes from a model stands in code, where nothing is markup, a link or
// a mention.
std::string RenderMarkdown(absl::Span<const MatrixRow> rows, int exit_code, size_t max_bytes = kMaxMarkdownBytes);

}  // namespace quantgate

#endif  // QUANTGATE_CLIENT_REPORT_MARKDOWN_H_
