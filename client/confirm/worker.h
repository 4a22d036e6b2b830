// The process in which the vendor's library runs. Speaks JSON lines on standard input and output; what the library
// itself prints is thrown away.
#ifndef QUANTGATE_CLIENT_CONFIRM_WORKER_H_
#define QUANTGATE_CLIENT_CONFIRM_WORKER_H_

#include <string>

namespace quantgate {

// Says {"sdk"} or {"error"} first. Then per line {"op", "config", "prepare"} one {"validate", "prepare"}, each {"code",
// "step", "reason"}, or {"error"} for a question that cannot be expressed. Returns the exit code at the end of input.
int RunVendorWorker(const std::string& library, int soc_id);

}  // namespace quantgate

#endif  // QUANTGATE_CLIENT_CONFIRM_WORKER_H_
