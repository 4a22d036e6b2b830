// Where the vendor's library is on this machine.
#ifndef QUANTGATE_CLIENT_CONFIRM_FIND_LIBRARY_H_
#define QUANTGATE_CLIENT_CONFIRM_FIND_LIBRARY_H_

#include <string>

#include "absl/status/statusor.h"

namespace quantgate {

// `path` when it is not empty, else $QUANTGATE_QNN_LIB, else that of the package onnxruntime_qnn of the python3 on
// $PATH. FAILED_PRECONDITION says what was looked for and how to get it.
absl::StatusOr<std::string> FindVendorLibrary(const std::string& path);

}  // namespace quantgate

#endif  // QUANTGATE_CLIENT_CONFIRM_FIND_LIBRARY_H_
