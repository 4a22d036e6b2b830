// Asks the vendor's library in a process of its own: whatever happens there is an answer here.
#ifndef QUANTGATE_CLIENT_CONFIRM_VENDOR_PROCESS_H_
#define QUANTGATE_CLIENT_CONFIRM_VENDOR_PROCESS_H_

#include <sys/types.h>

#include <chrono>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace quantgate {

// The answer to one of the two steps.
struct VendorStep {
  enum Outcome { kNotAsked, kAccepted, kRefused, kCrashed, kTimedOut };
  Outcome outcome = kNotAsked;
  uint32_t code = 0;
  std::string step;    // function of the interface; empty when accepted
  std::string reason;  // the library's words, how the process ended, or why it was not asked
};

struct VendorReply {
  VendorStep validate;
  VendorStep prepare;
  // The library takes what it validates *and* prepares.
  bool accepted() const {
    return validate.outcome == VendorStep::kAccepted && prepare.outcome == VendorStep::kAccepted;
  }
  bool asked() const { return validate.outcome != VendorStep::kNotAsked; }
  // The step that decided: the first that is no acceptance.
  const VendorStep& deciding() const { return validate.outcome == VendorStep::kAccepted ? prepare : validate; }
};

// A program that runs RunVendorWorker(); started when it is first asked, and again after it died.
class VendorProcess {
 public:
  VendorProcess(std::vector<std::string> command, std::chrono::milliseconds timeout)
      : command_(std::move(command)), timeout_(timeout) {}
  VendorProcess(const VendorProcess&) = delete;
  VendorProcess& operator=(const VendorProcess&) = delete;
  ~VendorProcess() { Stop(); }

  // FAILED_PRECONDITION with one line: the library cannot be loaded, dies or hangs while it is.
  absl::Status Start();
  // Version that the library states, after Start().
  const std::string& sdk() const { return sdk_; }
  // The error is Start()'s; everything else is in the reply.
  absl::StatusOr<VendorReply> Ask(const std::string& op, const nlohmann::json& config);

 private:
  // One line there and back. False: the process is gone, and `ended` says how.
  bool Exchange(const std::string& question, nlohmann::json& answer, VendorStep& ended);
  bool ReadLine(std::string& line, VendorStep& ended);
  VendorStep Reap(bool timed_out);
  void Stop();

  const std::vector<std::string> command_;
  const std::chrono::milliseconds timeout_;
  std::string sdk_;
  std::string pending_;  // read and not yet used
  pid_t pid_ = -1;
  int to_ = -1;
  int from_ = -1;
};

}  // namespace quantgate

#endif  // QUANTGATE_CLIENT_CONFIRM_VENDOR_PROCESS_H_
