// Python stack traces as exporters write them down.
#ifndef QUANTGATE_CLIENT_STACK_TRACE_H_
#define QUANTGATE_CLIENT_STACK_TRACE_H_

#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace quantgate {

struct SourceFrame {
  std::string file;  // UTF-8
  int line = 0;      // 1-based
};

// The last `File "model.py", line 12` of a trace, where the innermost call is.
std::optional<SourceFrame> InnermostFrame(absl::string_view trace);

}  // namespace quantgate

#endif  // QUANTGATE_CLIENT_STACK_TRACE_H_
