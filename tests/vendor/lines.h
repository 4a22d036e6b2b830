// Lines of a text file, plain or compressed with gzip.
#ifndef QUANTGATE_TESTS_VENDOR_LINES_H_
#define QUANTGATE_TESTS_VENDOR_LINES_H_

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace quantgate::vendor {

// Calls `use` with every line that is not empty, and its number from 1 on. NOT_FOUND: it cannot be opened. DATA_LOSS:
// it is truncated or damaged; the lines before were used.
absl::Status ForEachLine(const std::string& path, const std::function<void(int64_t, absl::string_view)>& use);

}  // namespace quantgate::vendor

#endif  // QUANTGATE_TESTS_VENDOR_LINES_H_
