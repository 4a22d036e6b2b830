#ifndef QUANTGATE_CLIENT_SAME_FILE_H_
#define QUANTGATE_CLIENT_SAME_FILE_H_

#include <string>

namespace quantgate {

// Whether two paths lead to one regular file, or would: through links, "./" and other ways to spell one place. An empty
// path leads nowhere, devices and pipes are no files.
bool IsSameFile(const std::string& a, const std::string& b);

}  // namespace quantgate

#endif  // QUANTGATE_CLIENT_SAME_FILE_H_
