// The vendor's library, loaded into this process. It may end the process or never return: only the worker does this.
#ifndef QUANTGATE_CLIENT_CONFIRM_VENDOR_LIBRARY_H_
#define QUANTGATE_CLIENT_CONFIRM_VENDOR_LIBRARY_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "client/confirm/qnn_abi.h"
#include "client/confirm/qnn_graph.h"

namespace quantgate {

// What one call said. Code 0: accepted.
struct StepReply {
  uint32_t code = 0;
  std::string step;    // "graphFinalize"; empty when accepted
  std::string reason;  // the library's words, or empty
};

// One per process: the library keeps the arch of the device that was made last.
class VendorLibrary {
 public:
  // `soc_id` in the vendor's numbering. FAILED_PRECONDITION: it cannot be loaded, or has no such interface or device.
  static absl::StatusOr<VendorLibrary> Load(const std::string& path, int soc_id);

  // "2.51.0".
  const std::string& sdk() const { return sdk_; }

  // Every operator by itself.
  StepReply Validate(QnnGraph& graph);
  // All of it as one graph, prepared for the device; works whatever Validate said.
  StepReply Prepare(QnnGraph& graph);

 private:
  VendorLibrary() = default;
  StepReply Build(QnnGraph& graph, qnn_abi::Handle context);

  const qnn_abi::Interface* functions_ = nullptr;
  qnn_abi::Handle backend_ = nullptr;
  qnn_abi::Handle device_ = nullptr;
  std::string sdk_;
};

}  // namespace quantgate

#endif  // QUANTGATE_CLIENT_CONFIRM_VENDOR_LIBRARY_H_
