// Model files are read in a process of their own, with limits: whatever they do to it, the server goes on.
#ifndef QUANTGATE_SERVER_HTTP_IMPORT_PROCESS_H_
#define QUANTGATE_SERVER_HTTP_IMPORT_PROCESS_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"

namespace quantgate::server {

struct ImportLimits {
  int64_t memory_bytes = int64_t{4} << 30;  // address space
  int64_t output_bytes = int64_t{512} << 20;
  absl::Duration cpu_time = absl::Seconds(60);
  absl::Duration time = absl::Seconds(120);
};

// Runs `command` in `folder` and waits for it, asking `gone` several times a second. INVALID_ARGUMENT with the
// program's one line on standard error when it says no (exit code 2); RESOURCE_EXHAUSTED when it met a limit or ended
// by a signal; CANCELLED when `gone`; INTERNAL when it cannot be started.
absl::Status RunImport(const std::vector<std::string>& command, const std::string& folder, const ImportLimits& limits,
                       const std::function<bool()>& gone);

}  // namespace quantgate::server

#endif  // QUANTGATE_SERVER_HTTP_IMPORT_PROCESS_H_
