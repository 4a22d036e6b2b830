#include "client/stack_trace.h"

#include "absl/strings/numbers.h"
#include "client/text.h"

namespace quantgate {

std::optional<SourceFrame> InnermostFrame(absl::string_view trace) {
  constexpr absl::string_view kFile = "File \"";
  constexpr absl::string_view kLine = "\", line ";
  const size_t file = trace.rfind(kFile);
  if (file == absl::string_view::npos) return std::nullopt;
  trace.remove_prefix(file + kFile.size());
  const size_t end = trace.find(kLine);
  if (end == absl::string_view::npos) return std::nullopt;
  const absl::string_view rest = trace.substr(end + kLine.size());
  int line = 0;
  if (!absl::SimpleAtoi(rest.substr(0, rest.find_first_not_of("0123456789")), &line)) return std::nullopt;
  return SourceFrame{ToUtf8(trace.substr(0, end)), line};
}

}  // namespace quantgate
